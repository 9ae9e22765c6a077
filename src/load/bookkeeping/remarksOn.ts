import { groupBy } from '../../core/groupBy.ts';
import type { Declared } from '../../core/stream/stream.ts';
import type { Statements } from '../database/transaction.ts';

/** How far a clock may be behind the newest load before that is reported: two clocks never quite agree. */
const behindMs = 10 * 60_000;
/** Partitions that are named by their keys. */
const mostNamed = 3;

/**
 * Likely mistakes that harm nothing: a configuration that does not name what another one read into the warehouse, and a clock that
 * is behind the warehouse's own past.
 *
 * @param configured keys of all configured partitions, by stream; null where one of them cannot be listed
 * @param declared what commands fill is never named in a configuration
 * @param now milliseconds since the epoch, by the clock of this machine
 * @returns sentences
 */
export async function remarksOn(
  warehouse: Pick<Statements, 'query'>,
  configured: ReadonlyMap<string, readonly string[] | null>,
  declared: readonly Pick<Declared, 'id' | 'way'>[],
  now: number,
): Promise<readonly string[]> {
  const [newest] = await warehouse.query<{ at: bigint | null }>(
    'SELECT epoch_ms(max(committed_at)) AS at FROM firn.load',
  );
  // Backfills keep checkpoints under other keys, and loads outlast what was dropped.
  const read = await warehouse.query<{ stream: string; key: string }>(
    `SELECT DISTINCT stream, "partition" AS key FROM firn.checkpoint SEMI JOIN firn.load USING (stream, "partition") ORDER BY ALL`,
  );
  const byCommand = new Set(declared.flatMap(({ id, way }) => (way === 'action' ? [id] : [])));
  const names = [...groupBy(read, ({ stream }) => stream)].flatMap(([stream, rows]) => {
    if (byCommand.has(stream)) return [];
    const keys = rows.map(({ key }) => key);
    return nameOf(stream, keys, configured.get(stream)) ?? [];
  });
  const at = Number(newest?.at ?? 0);
  return [
    names.length > 0 &&
      `This configuration does not name what was read before: ${names.join(', ')}. It stays as it was read last, and counts in models as still so. Give each configuration a warehouse of its own, or delete what is not wanted with "firn state drop".`,
    at > now + behindMs &&
      `The clock of this machine says ${new Date(now).toISOString()}, and the newest load was committed at ${new Date(at).toISOString()}: one of them was wrong. Nothing is harmed, but ages and daily quotas are wrong until the clock is right: set it.`,
  ].filter((remark) => remark !== false);
}

/** The part of a stream that is not configured; undefined where all of it is. */
function nameOf(
  stream: string,
  read: readonly string[],
  configured: readonly string[] | null | undefined,
): string | undefined {
  if (configured === undefined) return stream;
  const known = new Set(configured);
  const left = configured ? read.filter((key) => !known.has(key)) : [];
  if (left.length === 0) return undefined;
  const more = left.length > mostNamed ? [`and ${left.length - mostNamed} more`] : [];
  return `${stream} (${[...left.slice(0, mostNamed), ...more].join('; ')})`;
}
