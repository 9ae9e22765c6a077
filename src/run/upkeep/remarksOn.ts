import type { NetworkFacts } from '../../core/network.ts';
import { partitionKey } from '../../core/stream.ts';
import type { Statements } from '../../load/transaction.ts';
import type { PlannedStream } from '../planStreams.ts';

/** How far a clock may be behind the newest load before that is told: two machines are never quite alike. */
const behindMs = 10 * 60_000;

/**
 * What may be a mistake, and harms nothing: a configuration that does not name what another one read into the warehouse, and a clock that
 * is behind the warehouse's own past.
 *
 * @param configured everything that is configured
 * @param now milliseconds since the epoch, by the clock of this machine
 * @returns sentences
 */
export async function remarksOn(
  warehouse: Pick<Statements, 'query'>,
  configured: readonly PlannedStream[],
  network: NetworkFacts,
  now: number,
): Promise<readonly string[]> {
  const [newest] = await warehouse.query<{ at: bigint | null }>(
    'SELECT epoch_ms(max(committed_at)) AS at FROM firn.load',
  );
  // Backfills keep checkpoints under other keys, and loads outlast what was dropped.
  const read = await warehouse.query<{ stream: string; partition: string }>(
    `SELECT DISTINCT stream, "partition" FROM firn.checkpoint JOIN firn.load USING (stream, "partition") ORDER BY ALL`,
  );
  const left = new Map<string, string[]>();
  for (const { stream, partition } of read) {
    const own = configured.filter((one) => one.stream.id === stream);
    if (keysOf(own, network)?.has(partition) === false) left.set(stream, [...(left.get(stream) ?? []), partition]);
  }
  const names = [...left].map(([stream, partitions]) =>
    configured.some((one) => one.stream.id === stream)
      ? `${stream} (${partitions.slice(0, 3).join('; ')}${partitions.length > 3 ? `; and ${partitions.length - 3} more` : ''})`
      : stream,
  );
  const at = Number(newest?.at ?? 0);
  return [
    ...(names.length > 0
      ? [
          `This configuration does not name what was read before: ${names.join(', ')}. It stays as it is. Give each configuration a warehouse of its own, or delete what nobody wants with "firn state drop".`,
        ]
      : []),
    ...(at > now + behindMs
      ? [
          `The clock of this machine says ${new Date(now).toISOString()}, and the newest load was committed at ${new Date(at).toISOString()}: one of them was wrong. Nothing is harmed, but ages and daily quotas are wrong until the clock is right: set it.`,
        ]
      : []),
  ];
}

/** Keys of all partitions; undefined where they cannot be said: the read fails with its own sentence then. */
function keysOf(planned: readonly PlannedStream[], network: NetworkFacts): ReadonlySet<string> | undefined {
  try {
    return new Set(
      planned.flatMap(({ stream, parameters }) => stream.partitions(parameters as never, network).map(partitionKey)),
    );
  } catch {
    return undefined;
  }
}
