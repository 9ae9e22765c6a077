import type { DuckDBValue } from '@duckdb/node-api';

/** DuckDB's value classes as text; bigint, number, boolean, string and null stay. */
export function plainRow(row: Record<string, DuckDBValue>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value !== null && typeof value === 'object' ? String(value) : value,
    ]),
  );
}
