import type { Statements } from '../../load/database/transaction.ts';
import { bucketEnd, type Interval, secondsOf } from '../bucketTime.ts';
import { isTouched, type Stretch } from './bucketStretches.ts';

/** Buckets whose proof changed though no block of theirs did, and the days from which cumulative levels changed. */
export interface CoverageChanges {
  readonly stretches: readonly Stretch[];
  readonly cumulativeFrom: ReadonlyMap<string, number>;
}

/** Copies the coverage of the chains in scope before it is built, to compare it afterwards. */
export async function rememberCoverage(warehouse: Statements): Promise<void> {
  await warehouse.run(
    'CREATE OR REPLACE TEMP TABLE firn_coverage_before AS FROM firn.coverage WHERE in_chains(chain_id)',
  );
}

/**
 * Compares the coverage with the one remembered. A hole that was filled covers the buckets around it too, and the block that shows a
 * hole may lie days after the bucket that has it. Of a chain that was not there before every block is new: its buckets are built anyway.
 *
 * @param touched stretches that are built again anyway
 * @param remembered how SQL calls the coverage before
 * @param coverage how it calls that of now
 */
export async function coverageChanges(
  warehouse: Pick<Statements, 'query'>,
  touched: readonly Stretch[],
  remembered = 'firn_coverage_before',
  coverage = '(FROM firn.coverage WHERE in_chains(chain_id))',
): Promise<CoverageChanges> {
  const own = ['first_block', 'last_block', 'blocks_covered', 'gas_covered', 'receipts_covered', 'traces_covered'];
  const inherited = ['blocks', 'receipts', 'traces'].map((what) => `${what}_covered_since_genesis`);
  const differs = (columns: readonly string[]) =>
    columns.map((name) => `before.${name} IS DISTINCT FROM now.${name}`).join(' OR ');
  // Where a bucket is only on one side, the other's are NULL.
  const isOwn = `(${differs(own)})`;
  const interval = 'coalesce(now.time_interval, before.time_interval)';
  const rows = await warehouse.query<{ chain_id: string; time_interval: Interval; bucket: string; own: boolean }>(
    `SELECT coalesce(now.chain_id, before.chain_id) AS chain_id, ${interval} AS time_interval,
       CAST(coalesce(now.bucket, before.bucket) AS VARCHAR) AS bucket, ${isOwn} AS own
     FROM ${coverage} AS now
     FULL JOIN ${remembered} AS before
       ON before.chain_id = now.chain_id AND before.time_interval = now.time_interval AND before.bucket = now.bucket
     WHERE coalesce(now.chain_id, before.chain_id) IN (SELECT chain_id FROM ${remembered})
       AND (${isOwn} OR (${interval} = 'day' AND (${differs(inherited)})))`,
  );
  const cumulativeFrom = new Map<string, number>();
  const stretches: Stretch[] = [];
  for (const { chain_id: chain, time_interval: interval, bucket, own: isOwn } of rows) {
    const from = secondsOf(bucket);
    if (isOwn && !isTouched(touched, chain, interval, from))
      stretches.push({ chain, from, until: bucketEnd(interval, from) });
    if (interval === 'day') cumulativeFrom.set(chain, Math.min(cumulativeFrom.get(chain) ?? from, from));
  }
  return { stretches, cumulativeFrom };
}

/** Updates the states of the chains in scope: a newer block closes and settles buckets that did not change otherwise. */
export async function updateStates(warehouse: Statements): Promise<void> {
  await warehouse.run(
    `UPDATE mart.metric AS m SET state = c.state FROM firn.coverage AS c
     WHERE in_chains(c.chain_id) AND c.chain_id = m.chain_id AND c.time_interval = m.time_interval AND c.bucket = m.bucket AND c.state <> m.state`,
  );
}
