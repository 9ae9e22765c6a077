import type { DuckDBListValue } from '@duckdb/node-api';
import { literal } from '../../core/text/sqlText.ts';
import { openDuckDb } from '../../load/database/openDuckDb.ts';
import { stateFile } from '../../load/state/stateFile.ts';

/** How two warehouses differ in one table. */
export interface TableDifference {
  readonly table: string;
  readonly onlyFirst: number;
  readonly onlySecond: number;
}

/**
 * Compares the tables of two warehouses row by row, as multisets, apart from what depends on when a run took place: load
 * numbers, validity and fetch times, and the bookkeeping in `firn`. A table that one of them lacks counts as empty there.
 */
export async function compareWarehouses(first: string, second: string): Promise<TableDifference[]> {
  const { connection, close } = await openDuckDb({ folders: [first, second] });
  try {
    for (const [name, folder] of Object.entries({ a: first, b: second })) {
      await connection.run(`ATTACH ${literal(stateFile(folder))} AS ${name} (READ_ONLY)`);
    }
    const reader = await connection.runAndReadAll(
      `SELECT schema_name || '."' || table_name || '"' AS "table", column_name AS "column", max(estimated_size) > 0 AS is_filled,
         array_agg(database_name) AS holders
       FROM duckdb_columns() JOIN duckdb_tables() USING (database_name, schema_name, table_name)
       WHERE database_name IN ('a', 'b') AND schema_name IN ('raw', 'staging', 'mart')
       GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    const columns = new Map<string, string[]>();
    const filled = new Set<string>();
    const holders = new Map<string, Set<string>>();
    for (const row of reader.getRowObjects()) {
      const table = String(row['table']);
      const column = String(row['column']);
      columns.set(table, [...(columns.get(table) ?? []), ...(dependsOnTime(column) ? [] : [`"${column}"`])]);
      if (row['is_filled']) filled.add(table);
      const { items } = row['holders'] as DuckDBListValue;
      holders.set(table, new Set([...(holders.get(table) ?? []), ...items.map(String)]));
    }
    const compared = [...columns].filter(([table]) => !madeOfTimes.has(table));
    // EXCEPT takes seconds: it is run only for tables whose sums of hashes differ. Most have no rows.
    const sums = async (name: string) => {
      const asked = compared.filter(([table]) => filled.has(table) && holders.get(table)?.has(name));
      if (asked.length === 0) return new Map();
      const selects = asked.map(
        ([table, names]) =>
          `(SELECT count(*) || ' ' || coalesce(sum(hash(${names.join(', ')})), 0) FROM ${name}.${table})`,
      );
      const found = (await connection.runAndReadAll(`SELECT unnest([${selects.join(', ')}])`)).getRows();
      return new Map(asked.map(([table], place) => [table, found[place]?.[0]]));
    };
    const [sumsOfFirst, sumsOfSecond] = [await sums('a'), await sums('b')];
    const differences: TableDifference[] = [];
    for (const [table, names] of compared) {
      const rows = (name: string) => `SELECT ${names.join(', ')} FROM ${name}.${table}`;
      const count = async (one: string, other: string) => {
        if (sumsOfFirst.get(table) === sumsOfSecond.get(table)) return 0;
        if (!holders.get(table)?.has(one)) return 0;
        const others = holders.get(table)?.has(other) ? ` EXCEPT ALL ${rows(other)}` : '';
        const found = await connection.runAndReadAll(`SELECT count(*) AS n FROM (${rows(one)}${others})`);
        return Number(found.getRowObjects()[0]?.['n']);
      };
      differences.push({ table, onlyFirst: await count('a', 'b'), onlySecond: await count('b', 'a') });
    }
    return differences;
  } finally {
    close();
  }
}

/** Computed from the times at which answers were asked for. */
const madeOfTimes = new Set(['mart."served_freshness"']);

const dependsOnTime = (column: string) => (column.startsWith('_') && column !== '_extra') || column === 'fetched_at';
