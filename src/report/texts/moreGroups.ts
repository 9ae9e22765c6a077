import type { Unresolved } from '../../core/unresolved.ts';
import { plural } from './numberText.ts';

/** How many groups there are beyond the first ones, for people; undefined for none. Of more than 200, that many at least. */
export function moreGroups(
  { records, groups }: Pick<Unresolved, 'records' | 'groups'>,
  shown: number,
): string | undefined {
  const more = groups.length - shown;
  if (more <= 0) return undefined;
  const isCut = groups.reduce((sum, group) => sum + group.records, 0) < records;
  return `${isCut ? 'at least ' : ''}${plural(more, 'more group')}`;
}
