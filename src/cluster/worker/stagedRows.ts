import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { partitionKey } from '../../core/stream/partition.ts';
import { literal } from '../../core/text/sqlText.ts';
import type { HeldQuery } from '../../run/read/partitionContext.ts';
import type { ListPartition, StagedContext } from './leaseContext.ts';
import { withValues } from './queryLake.ts';

/** The rows of a list that wait to be applied: those of the newest batch of its chain, which tell of it as those of the lake do. */
export function stagedRows(
  { ledger, stage, scratch, lists }: StagedContext,
  { stream, partition }: ListPartition,
): HeldQuery {
  const isOf = ({ stream: other, partition: { values } }: ListPartition) =>
    other.id === stream.id && stream.chainOfRows.by.every((name) => values[name] === partition.values[name]);
  const partitions = lists.filter(isOf).map((list) => partitionKey(list.partition));
  const table = stream.table.name;
  const path = join(scratch.folder, 'staged.parquet');
  const take = async () => {
    const newest = await ledger.newestPending({ table, stream: stream.id, partitions });
    if (!newest) return false;
    try {
      await stage.fetch(newest, path);
      await scratch.run(`CREATE OR REPLACE TEMP TABLE firn_staged AS FROM read_parquet(${literal(path)})`);
    } finally {
      await rm(path, { force: true });
    }
    return true;
  };
  let taken: Promise<boolean> | undefined;
  return async (sql, values) => {
    taken ??= take();
    return (await taken) ? scratch.query(withValues(sql.replaceAll(table, 'temp.firn_staged'), values)) : [];
  };
}
