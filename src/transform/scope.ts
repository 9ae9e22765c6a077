import type { DuckDBValue } from '@duckdb/node-api';
import type { Warehouse } from '../load/warehouse.ts';
import { sqlText } from './sqlText.ts';

/** What of the chain is being built: the parameters of the models, by the names of their session variables. */
export interface Scope {
  readonly firn_chain?: string;
  readonly firn_first?: bigint;
  readonly firn_last?: bigint;
  readonly firn_interval?: string;
  /** Times are TIMESTAMP text in UTC. */
  readonly firn_from?: string;
  readonly firn_until?: string;
  readonly firn_series_from?: string;
  readonly firn_since?: string;
  readonly firn_variant?: string;
  readonly firn_audited_load?: bigint;
}

const times = new Set(['firn_from', 'firn_until', 'firn_series_from', 'firn_since']);

/** Runs work with these parameters set, and unsets them after. */
export async function withScope<T>(warehouse: Warehouse, scope: Scope, work: () => Promise<T>): Promise<T> {
  const names = Object.keys(scope);
  const set = Object.entries(scope).map(([name, value]) => `SET VARIABLE ${name} = ${literal(name, value)}`);
  await warehouse.run(set.join('; '));
  try {
    return await work();
  } finally {
    // After a fatal error the instance is dead, and the first error is the one to tell.
    await warehouse.run(names.map((name) => `RESET VARIABLE ${name}`).join('; ')).catch(() => {});
  }
}

function literal(name: string, value: DuckDBValue): string {
  if (typeof value === 'bigint') return `${value}::BIGINT`;
  return times.has(name) ? `TIMESTAMP ${sqlText(String(value))}` : sqlText(String(value));
}
