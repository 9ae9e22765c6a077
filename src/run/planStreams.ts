import type { z } from 'zod';
import { FirnError } from '../core/firnError.ts';
import type { Stream } from '../core/stream.ts';
import type { Settings } from './settings.ts';

/** A stream with its checked parameters. */
export interface PlannedStream {
  readonly pipeline: string;
  readonly stream: Stream;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface Selection {
  /** Stream names and globs (`node/*`); all where it is empty. */
  readonly select?: readonly string[];
  /** Pipelines by name; all where it is empty. */
  readonly pipelines?: readonly string[];
}

/**
 * The streams of the configuration with their parameters checked by the streams' own schemas, in the catalogue's order.
 *
 * @throws FirnError `config` naming the stream and parameter; `usage` where a selection matches nothing
 */
export function planStreams(
  settings: Settings,
  catalogue: readonly Stream[],
  selection: Selection = {},
): PlannedStream[] {
  const planned = Object.entries(settings.pipelines).flatMap(([pipeline, { streams }]) =>
    Object.entries(streams).map(([id, given]) => ({ pipeline, ...checked(id, given, settings, catalogue) })),
  );
  const order = new Map(catalogue.map((stream, index) => [stream.id, index]));
  const chosen = planned
    .filter(({ pipeline }) => !selection.pipelines?.length || selection.pipelines.includes(pipeline))
    .filter(({ stream }) => !selection.select?.length || selection.select.some((glob) => matches(glob, stream.id)));
  if (chosen.length === 0) {
    const asked = [...(selection.select ?? []), ...(selection.pipelines ?? [])].join(', ');
    throw new FirnError(
      asked ? 'usage' : 'config',
      asked
        ? `Nothing matches ${asked}. The configuration has: ${[...new Set(planned.map(({ stream }) => stream.id))].join(', ') || 'no streams'}.`
        : 'The configuration names no streams. Add some under pipelines, or run firn init.',
    );
  }
  return chosen.sort((a, b) => (order.get(a.stream.id) ?? 0) - (order.get(b.stream.id) ?? 0));
}

function checked(id: string, given: unknown, settings: Settings, catalogue: readonly Stream[]) {
  const stream = catalogue.find((candidate) => candidate.id === id);
  if (!stream) {
    throw new FirnError(
      'config',
      `There is no stream "${id}". ${nearest(
        id,
        catalogue.map((candidate) => candidate.id),
      )}`,
    );
  }
  if (!settings.sources[stream.source.name]) {
    throw new FirnError(
      'config',
      `Stream ${id} reads the source "${stream.source.name}", which is not configured. Add sources.${stream.source.name}.url.`,
    );
  }
  const parsed = (stream.parameters as z.ZodType<Record<string, unknown>>).safeParse(given ?? {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const at = [...(issue?.path ?? [])].join('.');
    const known = Object.keys(stream.parameters.shape).join(', ') || 'none';
    throw new FirnError(
      'config',
      `Stream ${id}${at ? `, parameter ${at}` : ''}: ${issue?.message}. Its parameters are: ${known}.`,
    );
  }
  return { stream, parameters: parsed.data };
}

function nearest(id: string, known: readonly string[]): string {
  const name = id.split('/').at(-1) ?? id;
  const close = known.filter(
    (candidate) => candidate.includes(name) || name.includes(candidate.split('/').at(-1) ?? '?'),
  );
  return close.length > 0 ? `Did you mean ${close.join(' or ')}?` : `There are: ${known.join(', ')}.`;
}

/** Whether a name fits a glob in which `*` stands for any characters. */
function matches(glob: string, name: string): boolean {
  const pattern = glob
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${pattern}$`).test(name);
}
