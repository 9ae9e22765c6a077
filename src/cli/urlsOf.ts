import type { Source } from '../core/source.ts';
import type { SourceSettings } from '../core/sourceSettings.ts';

/** URLs of a configured source: its own, and those of the servers that answer single paths in its place. */
export const urlsOf = (source: Source, given: SourceSettings | undefined): readonly string[] =>
  given
    ? [...(given.url === undefined ? [] : [given.url]), ...(source.elsewhere?.(given) ?? []).map(({ url }) => url)]
    : [];
