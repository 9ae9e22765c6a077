import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import type { Column, Table } from '../../core/columns/table.ts';
import type { Rows } from '../../core/rows/rows.ts';
import { diskError } from '../diskError.ts';
import type { RowScanner } from './rowScanner.ts';

/** Values of a prepared statement: `$1`, `$2`, ... or by name. */
export type Values = readonly DuckDBValue[] | Readonly<Record<string, DuckDBValue>>;

/** What answers SQL: a state, published tables, the control database of a cluster. */
export interface Queries {
  query<R extends object = Record<string, unknown>>(sql: string): Promise<R[]>;
}

/** SQL on the state database. Throws FirnError `disk` where the disk is full. */
export interface Statements extends Queries {
  /** Runs statements that change something. Gives the rows that the last of them inserted, changed or deleted. */
  run(sql: string, values?: Values): Promise<number>;
  /** Rows as plain objects: BIGINT as bigint, DECIMAL and TIMESTAMP as text. */
  query<R extends object = Record<string, unknown>>(sql: string, values?: Values): Promise<R[]>;
}

/** Rows for a table. */
export interface Insertion {
  readonly table: Pick<Table, 'name' | 'columns'>;
  readonly parts: readonly Rows[];
}

/** Statements that become durable together or not at all. */
export interface Transaction extends Statements {
  /**
   * Inserts rows into tables, one part after the other.
   *
   * @param constants SQL of columns that all rows have in common
   */
  insert(into: readonly Insertion[], constants?: Readonly<Record<string, string>>): Promise<void>;
  /** Lets SQL read columns of rows for the time of `use`, which is given what to write after FROM. */
  offer<T>(columns: readonly Column[], parts: readonly Rows[], use: (from: string) => Promise<T>): Promise<T>;
  /** What records in quarantine say that are empty here, by their ids. Left out where all are whole. */
  readonly recordsOf?: (ids: readonly bigint[]) => Promise<ReadonlyMap<bigint, string>>;
}

/** Statements on a connection; the caller begins and ends their transaction. `changes` counts those that may change something. */
export function createTransaction(
  connection: DuckDBConnection,
  scanner: RowScanner,
): Transaction & { changes(): number } {
  let changes = 0;
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw diskError(error, 'write the warehouse');
    }
  };
  const run: Transaction['run'] = (sql, values) => {
    changes++;
    return attempt(async () => (await connection.run(sql, values as DuckDBValue[])).rowsChanged);
  };
  const query = queryOf(connection);
  const offer: Transaction['offer'] = async (columns, parts, use) => {
    const offered = scanner.offer(columns, parts);
    try {
      return await use(offered.from);
    } finally {
      offered.release();
    }
  };
  return {
    changes: () => changes,
    run,
    offer,
    query: (sql, values) => attempt(() => query(sql, values)),
    async insert(into, constants = {}) {
      const offered = into.map(({ table: { name, columns }, parts }) => {
        const own = columns.filter((column) => !(column.name in constants));
        // By name: columns that a newer version added stand last.
        const list = [
          ...own.map((column) => `new."${column.name}"`),
          ...Object.entries(constants).map(([column, sql]) => `${sql} AS "${column}"`),
        ];
        const { from, release } = scanner.offer(own, parts);
        return { release, sql: `INSERT INTO ${name} BY NAME SELECT ${list.join(', ')} FROM ${from} AS new` };
      });
      try {
        if (into.length > 0) await run(offered.map(({ sql }) => sql).join(';\n'));
      } finally {
        for (const { release } of offered) release();
      }
    },
  };
}

/** Asks a connection for rows. Errors are DuckDB's own. */
export const queryOf =
  (connection: DuckDBConnection): Statements['query'] =>
  async (sql, values) => {
    const result = await connection.run(sql, values as DuckDBValue[]);
    // All rows are there already: fetching them would take further turns of the event loop.
    const chunks = Array.from({ length: result.chunkCount }, (_, i) => result.getChunk(i));
    const names = result.deduplicatedColumnNames();
    return chunks.flatMap((chunk) => chunk.getRowObjects(names)).map(plainRow) as never;
  };

/** DuckDB's value classes as text, in the row itself; bigint, number, boolean, string and null stay. */
export function plainRow(row: Record<string, DuckDBValue>): Record<string, unknown> {
  for (const name in row) {
    const value = row[name];
    if (value !== null && typeof value === 'object') row[name] = String(value);
  }
  return row;
}
