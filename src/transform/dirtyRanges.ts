import { querySql } from '../load/packageFiles.ts';
import type { Statements } from '../load/transaction.ts';
import { mergeHours } from './mergeHours.ts';

/** Whole hours of a chain whose blocks changed, and the heights that lie in them now. Times are TIMESTAMP text in UTC. */
export interface DirtyRange {
  readonly chain: string;
  readonly from: string;
  readonly until: string;
  readonly first: bigint;
  readonly last: bigint;
}

/** Gas that one statement works on: up to half a million transactions. This bounds the memory of a full build. */
const gasAtOnce = 10_000_000_000;

/**
 * The hours to build again since a load: those of new and replaced blocks, of the blocks that follow them (their distance to the parent
 * changes), and those in which a block stood before, should its time have changed. Hours whose raw rows were dropped stay as they are.
 *
 * @param since the last load that the tables hold; -1 means that they hold nothing
 */
export async function dirtyRanges(warehouse: Statements, since: bigint): Promise<DirtyRange[]> {
  // Rows that were loaded again without a change keep their load: a block counts as changed if any of its rows is new.
  const changed = since < 0n ? 'staging.evm_block' : `staging.evm_change WHERE _load_id > ${since}`;
  await warehouse.run(
    `CREATE OR REPLACE TEMP TABLE firn_changed AS SELECT DISTINCT chain_id, "number" FROM ${changed}`,
  );
  await warehouse.run(`CREATE OR REPLACE TEMP TABLE firn_hours AS ${querySql('changed_hours')}`);
  const [span] = await warehouse.query<{ first: string | null; last: string | null }>(
    'SELECT min("hour") AS "first", max("hour") + INTERVAL 1 HOUR AS "last" FROM firn_hours',
  );
  if (!span?.first) return [];
  // Bounds are constants, which spares a scan of the whole history.
  const rows = await warehouse.query<Omit<ChangedHour, 'hour'> & { hour: bigint }>(
    `WITH near AS (
       SELECT chain_id, date_trunc('hour', block_time) AS "hour", "number", gas_used FROM staging.evm_block
       WHERE block_time >= TIMESTAMP '${span.first}' AND block_time < TIMESTAMP '${span.last}'
     )
     SELECT h.chain_id, epoch_ms(h."hour") // 3600000 AS "hour", min(b."number") AS "first", max(b."number") AS "last",
       CAST(coalesce(sum(b.gas_used), 0) AS VARCHAR) AS gas, h.is_all
     FROM firn_hours AS h
     LEFT JOIN near AS b ON b.chain_id = h.chain_id AND b."hour" = h."hour"
     GROUP BY h.chain_id, h."hour", h.is_all ORDER BY h.chain_id, h."hour"`,
  );
  await warehouse.run('DROP TABLE firn_changed; DROP TABLE firn_hours');
  return joinHours(rows.map((row) => ({ ...row, hour: Number(row.hour), is_all: row.is_all || since < 0n })));
}

/** An hour of a chain: hours since the epoch, the heights in it, and their gas. */
export interface ChangedHour {
  readonly chain_id: string;
  readonly hour: number;
  readonly first: bigint | null;
  readonly last: bigint | null;
  readonly gas: string;
  /** Whether every hour of the chain with a block is among those that changed. */
  readonly is_all: boolean;
}

/** Hours in their order, joined to ranges. */
export function joinHours(rows: readonly ChangedHour[]): DirtyRange[] {
  const chains = [...new Set(rows.map(({ chain_id }) => chain_id))];
  return chains.flatMap((chain) => {
    const own = rows.filter(({ chain_id }) => chain_id === chain);
    const hours = own.map(({ hour, first, last, gas }) => ({ hour, first, last, weight: Number(gas) }));
    const isAll = own.every(({ is_all }) => is_all);
    return mergeHours(hours, gasAtOnce, isAll).map((range) => ({ chain, ...range }));
  });
}
