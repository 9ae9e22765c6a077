import { partitionName } from '../../core/partitionName.ts';
import type { Statements } from '../../load/database/transaction.ts';
import type { Rank } from './openPartition.ts';
import type { PartitionResult } from './syncOptions.ts';

/** Runs whose outcomes are looked at; what had no turn in them is read first, whenever it had one. */
const mostRuns = 50;

/** A partition on its way through a run. */
interface Waiting {
  readonly stream: string;
  readonly key: string;
  readonly rank: Rank;
}

type Outcome = Pick<PartitionResult, 'stream' | 'partition' | 'outcome' | 'rows' | 'code' | 'pipeline'>;

/**
 * In which order partitions are read by a run that may end before all is read: those that had their turn longest ago come first, and chance decides
 * between equals. A lookup that others had their turn after waits for nobody any more.
 *
 * @param isBackfill whether something other than new rows is read: that has turns of its own
 * @param random 0 <= random < 1
 */
export async function inTurn<Read extends Waiting>(
  state: Pick<Statements, 'query'>,
  reads: readonly Read[],
  isBackfill: boolean,
  random: () => number,
): Promise<readonly (Read & Waiting)[]> {
  const runs = await state.query<{ run_id: string }>(
    `SELECT run_id FROM firn.run WHERE summary IS NOT NULL ORDER BY started_at DESC LIMIT ${mostRuns}`,
  );
  /** How many runs ago each had its turn. */
  const ago = new Map<string, number>();
  const isKnown = (read: Waiting) => ago.has(partitionName(read.stream, read.key));
  for (const [i, { run_id }] of runs.entries()) {
    if (reads.every(isKnown)) break;
    // One by one: each may name thousands of partitions, and DuckDB has little memory while partitions are read.
    const [run] = await state.query<{ summary: string }>('SELECT summary FROM firn.run WHERE run_id = $1', [run_id]);
    const { partitions = [] } = JSON.parse(run?.summary ?? '{}') as { readonly partitions?: readonly Outcome[] };
    for (const { stream, partition } of partitions.filter(hadTurn)) {
      const name = partitionName(stream, partition);
      if (!ago.has(name)) ago.set(name, i);
    }
  }
  const agoOf = (read: Waiting) => ago.get(partitionName(read.stream, read.key)) ?? mostRuns;
  // Each address may be a partition: as arguments of Math.min, some 120,000 overflow the stack.
  const newest = reads.reduce((least, read) => Math.min(least, agoOf(read)), mostRuns);
  return reads
    .map((read) => ({ read, ago: agoOf(read), chance: random() }))
    .sort((a, b) => b.ago - a.ago || a.chance - b.chance)
    .map(({ read, ago }) => ({ ...read, rank: read.rank === 'late' && ago !== newest ? 'first' : read.rank }));

  /** What the run's end kept from coming to anything had none; unless it was the first, which had all that the run could do. */
  function hadTurn({ outcome, code, rows, pipeline }: Outcome, place: number): boolean {
    if ((pipeline === undefined) !== isBackfill) return false;
    return place === 0 || rows > 0 || (outcome !== 'stopped' && code !== 'rate_limited');
  }
}
