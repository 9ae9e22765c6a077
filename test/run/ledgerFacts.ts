import { readFile } from 'node:fs/promises';
import type { EvmChain, LinearChain } from 'firn-devnet';

/** Runs a query, as readers of the warehouse do. */
export type Query = (sql: string) => Promise<Record<string, unknown>[]>;

/** Heights and hashes of an EVM chain, without its genesis where the index has none. */
export const hashesOf = ({ blocks }: EvmChain, from = 0) =>
  blocks.filter(({ number }) => number >= from).map(({ number, hash }) => `${number} ${hash}`);

/** Heights and block ids of the P- or X-Chain, without genesis: no index has it. */
export const blockIdsOf = ({ blocks }: LinearChain) =>
  blocks.filter(({ height }) => height > 0).map(({ height, id }) => `${height} ${id}`);

/** Two columns as `<height> <id>`, by height. */
export async function heightsAndIds(query: Query, table: string, height: string, id: string, where = 'true') {
  const rows = await query(
    `SELECT CAST("${height}" AS VARCHAR) || ' ' || ${id} AS line FROM ${table} WHERE ${where} ORDER BY "${height}"`,
  );
  return rows.map(({ line }) => line);
}

type Expected = number | string | null | { readonly num: string; readonly den: string };

const otherMembers = new Set(['date', 'timestamp', 'blocks']);

/**
 * The metrics on which two independent programs agree, as `<metric> <interval> <bucket> <numerator>/<denominator>`: exact
 * quotients in lowest terms, `NULL` for a value that does not exist.
 *
 * @param chain `C` or the name of the L1
 */
export async function expectedMetrics(chain: string): Promise<string[]> {
  const read = async (name: string) =>
    JSON.parse(await readFile(new URL(`../fixtures/expected/expected-metrics-${name}.json`, import.meta.url), 'utf8'));
  const days = (await read('day'))[chain] as Record<string, Expected>[];
  const others = (await read('other'))[chain] as Record<string, Record<string, Expected>[]>;
  return Object.entries({ day: days, ...others })
    .flatMap(([interval, buckets]) =>
      buckets.flatMap((bucket) =>
        Object.entries(bucket)
          .filter(([metric]) => !otherMembers.has(metric))
          .map(([metric, value]) => `${metric} ${interval} ${bucket['timestamp']} ${quotient(value)}`),
      ),
    )
    .sort();
}

function quotient(value: Expected): string {
  if (value === null) return 'NULL';
  return typeof value === 'object' ? lowestTerms(value.num, value.den) : lowestTerms(String(value), '1');
}

function lowestTerms(numerator: string, denominator: string): string {
  let [a, b] = [BigInt(numerator), BigInt(denominator)];
  while (b > 0n) [a, b] = [b, a % b];
  const divisor = a === 0n ? 1n : a;
  return `${BigInt(numerator) / divisor}/${BigInt(denominator) / divisor}`;
}

/** `mart.metric` of a chain in the same form. */
export async function ownMetrics(query: Query, chainId: string): Promise<string[]> {
  const rows = await query(
    `SELECT metric, time_interval, CAST(epoch(bucket) AS BIGINT)::VARCHAR AS "at", numerator::VARCHAR AS numerator, denominator::VARCHAR AS denominator
     FROM mart.metric WHERE chain_id = '${chainId}'`,
  );
  return rows
    .map((row) => {
      const value =
        row['numerator'] === null ? 'NULL' : lowestTerms(String(row['numerator']), String(row['denominator']));
      return `${row['metric']} ${row['time_interval']} ${row['at']} ${value}`;
    })
    .sort();
}
