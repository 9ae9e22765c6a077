import { literal } from '../../core/text/sqlText.ts';
import { openDuckDb } from '../../load/database/openDuckDb.ts';
import { queryOf } from '../../load/database/transaction.ts';
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
    for (const [name, folder] of Object.entries({ a: first, b: second }))
      await connection.run(`ATTACH ${literal(stateFile(folder))} AS ${name} (READ_ONLY)`);
    const query = queryOf(connection);
    const known = await query<{ table: string; column: string; is_filled: boolean; holders: string }>(
      `SELECT schema_name || '."' || table_name || '"' AS "table", column_name AS "column", max(estimated_size) > 0 AS is_filled,
         string_agg(database_name) AS holders
       FROM duckdb_columns() JOIN duckdb_tables() USING (database_name, schema_name, table_name)
       WHERE database_name IN ('a', 'b') AND schema_name IN ('raw', 'staging', 'mart')
       GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    const columns = new Map<string, string[]>();
    const filled = new Set<string>();
    const holders = new Map<string, Set<string>>();
    for (const { table, column, is_filled, holders: of } of known) {
      columns.set(table, [...(columns.get(table) ?? []), ...(dependsOnTime(column) ? [] : [`"${column}"`])]);
      if (is_filled) filled.add(table);
      holders.set(table, new Set([...(holders.get(table) ?? []), ...of.split(',')]));
    }
    const compared = [...columns].filter(([table]) => !madeOfTimes.has(table));
    // EXCEPT takes seconds: it is run only for tables whose sums of hashes differ. Most have no rows.
    const sums = async (name: string) => {
      const asked = compared.filter(([table]) => filled.has(table) && holders.get(table)?.has(name));
      if (asked.length === 0) return new Map();
      const selects = asked.map(
        ([table, names]) =>
          `SELECT ${literal(table)} AS "table", count(*) || ' ' || coalesce(sum(hash(${names.join(', ')})), 0) AS said FROM ${name}.${table}`,
      );
      const found = await query<{ table: string; said: string }>(selects.join(' UNION ALL '));
      return new Map(found.map(({ table, said }) => [table, said]));
    };
    const [sumsOfFirst, sumsOfSecond] = [await sums('a'), await sums('b')];
    const differences: TableDifference[] = [];
    for (const [table, names] of compared) {
      const rows = (name: string) => `SELECT ${names.join(', ')} FROM ${name}.${table}`;
      const count = async (one: string, other: string) => {
        if (sumsOfFirst.get(table) === sumsOfSecond.get(table)) return 0;
        if (!holders.get(table)?.has(one)) return 0;
        const others = holders.get(table)?.has(other) ? ` EXCEPT ALL ${rows(other)}` : '';
        const [found] = await query<{ n: bigint }>(`SELECT count(*) AS n FROM (${rows(one)}${others})`);
        return Number(found?.n);
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
