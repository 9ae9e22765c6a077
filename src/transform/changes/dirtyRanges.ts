import { groupBy } from '../../core/groupBy.ts';
import { literal } from '../../core/text/sqlText.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { querySql } from '../../load/packageFiles.ts';
import { type DirtyHour, type HourRange, mergeHours } from './mergeHours.ts';

/** Hours of a chain whose blocks changed. */
export interface DirtyRange extends HourRange {
  readonly chain: string;
}

/** Whether a time lies in one of some ranges, in SQL. */
export const withinSql = (column: string, ranges: readonly Pick<DirtyRange, 'from' | 'until'>[]): string =>
  ranges
    .map(({ from, until }) => `(${column} >= TIMESTAMP '${from}' AND ${column} < TIMESTAMP '${until}')`)
    .join(' OR ');

/** Gas that one statement works on: up to half a million transactions. This bounds the memory of a full build. */
const gasAtOnce = 10_000_000_000n;
/** Gas of blocks that are built again needlessly where another range would cost more: to plan its statements takes 0.15 s, as some 5,000 transactions do. */
const gasBridged = 500_000_000n;
/** Gas that a block counts for beside its own, which not every source tells. */
const gasOfBlock = 100_000;

/**
 * The hours to build again since a load: those of new and replaced blocks, of the blocks that follow them (their distance to the parent
 * changes), and those in which a block stood before, should its time have changed. Hours whose raw rows were dropped stay as they are.
 *
 * @param since the last load that the tables hold; -1 means that they hold nothing
 */
export async function dirtyRanges(warehouse: Statements, since: bigint): Promise<DirtyRange[]> {
  // Rows that were loaded again without a change keep their load: a block counts as changed if any of its rows is new.
  const changed =
    since < 0n ? 'FROM staging.evm_block' : changedBlocks(`_load_id > ${since}`, await warehouse.query(unbuiltChains));
  await warehouse.run(
    `CREATE OR REPLACE TEMP TABLE firn_changed AS SELECT DISTINCT chain_id, "number" FROM (${changed})`,
  );
  await warehouse.run(`CREATE OR REPLACE TEMP TABLE firn_hours AS ${querySql('changed_hours')}`);
  const [span] = await warehouse.query<{ first: string | null; last: string | null }>(
    'SELECT min("hour") AS "first", max("hour") + INTERVAL 1 HOUR AS "last" FROM firn_hours',
  );
  if (!span?.first) return [];
  // Bounds are constants, which spares a scan of the whole history.
  const rows = await warehouse.query<Omit<ChangedHour, 'hour'> & { hour: bigint }>(
    `WITH ${placedHours(`TIMESTAMP '${span.first}'`, `TIMESTAMP '${span.last}'`)}
     SELECT * REPLACE (epoch_ms("hour") // 3600000 AS "hour") FROM placed ORDER BY chain_id, "hour"`,
  );
  await warehouse.run('DROP TABLE firn_changed; DROP TABLE firn_hours');
  return joinHours(rows.map((row) => ({ ...row, hour: Number(row.hour) })));
}

/** EVM chains of which no block but the data service's is built: their containers may have been read before the node said which chain they are of. */
export const unbuiltChains = `SELECT chain_id FROM firn.chain WHERE vm = 'evm' AND chain_id NOT IN (SELECT chain_id FROM firn.coverage WHERE source <> 'data')`;

/** The blocks of loads, and the containers of some chains, in SQL: a block may stand there several times. */
export const changedBlocks = (isNew: string, chains: readonly { readonly chain_id: string }[]): string =>
  [
    `SELECT chain_id, "number" FROM staging.evm_change WHERE ${isNew}`,
    ...chains.map(
      ({ chain_id }) =>
        `SELECT chain_id, "number" FROM staging.evm_block WHERE source = 'containers' AND chain_id = ${literal(chain_id)}`,
    ),
  ].join(' UNION ALL ');

/** Common tables, the last of which, `placed`, are the hours of `firn_hours` with what lies in them (`ChangedHour`), in a stretch of time that holds them all. */
export const placedHours = (from: string, until: string): string =>
  querySql('placed_hours', { from, until, gas_of_block: String(gasOfBlock) });

/** An hour of a chain. */
export type ChangedHour = Omit<DirtyHour, 'work' | 'work_so_far'> & {
  readonly chain_id: string;
  /** Gas. */
  readonly work: string;
  readonly work_so_far: string;
};

/** Hours of each chain in their order, joined to ranges. */
export function joinHours(rows: readonly ChangedHour[]): DirtyRange[] {
  const bounds = { atMost: gasAtOnce, bridged: gasBridged };
  return [...groupBy(rows, ({ chain_id }) => chain_id)].flatMap(([chain, own]) => {
    const hours = own.map((row) => ({ ...row, work: BigInt(row.work), work_so_far: BigInt(row.work_so_far) }));
    return mergeHours(hours, bounds).map((range) => ({ chain, ...range }));
  });
}
