import { prepareBatch, writeBatch } from '../../src/load/commit/commit.ts';
import type { Warehouse } from '../../src/load/state/warehouse.ts';
import { batchOf, partition, transfer, transfersStream } from './transfers.ts';

/** What is committed together: batches of so many transfers, which came as so many bytes. From 64 MB on a commit passes over the log. */
export const commits: readonly { readonly batches: number; readonly transfers: number; readonly bytes: number }[] = [
  { batches: 2, transfers: 3, bytes: 100 },
  { batches: 2, transfers: 6000, bytes: 40e6 },
  { batches: 1, transfers: 3, bytes: 100 },
  { batches: 3, transfers: 200, bytes: 100 },
];

const stream = transfersStream();

/** Batches before a commit. */
const batchesBefore = (number: number) => commits.slice(0, number).reduce((sum, { batches }) => sum + batches, 0);

/** Writes the batches of a commit, and commits nothing. Its checkpoint is the number of the next batch. */
export async function writeCommit(warehouse: Warehouse, number: number): Promise<void> {
  const { batches, transfers, bytes } = commits[number] as (typeof commits)[number];
  const read = {};
  for (let next = batchesBefore(number); next < batchesBefore(number) + batches; next++) {
    const raws = Array.from({ length: transfers }, (_, i) => transfer(next * 10_000 + i, ['5', '6']));
    const batch = prepareBatch(stream, partition, batchOf(stream, [...raws, { height: `x${next}` }]));
    const [from, to] = [next === 0 ? null : { next }, { next: next + 1 }];
    await warehouse.write(read, bytes, (tx) => writeBatch(tx, { stream, partition, runId: 'run', batch, from, to }));
  }
}

/** What a warehouse holds after so many commits. */
export function heldAfter(number: number) {
  const rows = commits.slice(0, number).reduce((sum, { batches, transfers }) => sum + batches * transfers, 0);
  const loads = batchesBefore(number);
  return { rows, children: 2 * rows, aside: loads, loads, told: 3 * rows, next: number === 0 ? null : loads };
}

/** What it holds. */
export async function heldBy(warehouse: Pick<Warehouse, 'query'>): Promise<ReturnType<typeof heldAfter>> {
  const [held] = await warehouse.query(
    `SELECT (SELECT count(*)::INTEGER FROM raw.data_transfers) AS "rows", (SELECT count(*)::INTEGER FROM raw.data_transfers_parts) AS children,
       (SELECT count(*)::INTEGER FROM firn.quarantine) AS aside, (SELECT count(*)::INTEGER FROM firn.load) AS loads,
       (SELECT coalesce(sum(rows_written), 0)::INTEGER FROM firn.load) AS told,
       (SELECT ("position"->>'next')::INTEGER FROM firn.checkpoint) AS "next"`,
  );
  return held as ReturnType<typeof heldAfter>;
}
