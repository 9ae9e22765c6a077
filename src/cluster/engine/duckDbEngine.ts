import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { duckdbType } from '../../core/columnType.ts';
import { FirnError } from '../../core/firnError.ts';
import { identifier, literal } from '../../core/sqlText.ts';
import type { DuckDb } from '../../load/openDuckDb.ts';
import { plainRow } from '../../load/plainRow.ts';
import type { Engine, LakeTable } from '../contract.ts';
import { keptColumns, keptName, mergeSql, newestRows } from './lakeTable.ts';

/** The same contract on one machine: tables of a DuckDB, whose file one process has at a time. Staged files lie in a folder. */
export function createDuckDbEngine(duckDb: DuckDb): Engine {
  const { connection } = duckDb;
  const tables = new Map<string, LakeTable>();
  let last: Promise<unknown> = Promise.resolve();
  /** One statement at a time: two that add the same rows at once would not see each other's. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(() => duckDb.transaction(work));
    last = mine.catch(() => {});
    return mine;
  };

  return {
    dialect: 'duckdb',

    ensureTable: (table) =>
      inTurn(async () => {
        const kept = keptName(table);
        const columns = keptColumns(table).map(({ name, type }) => `${identifier(name)} ${duckdbType(type)}`);
        await connection.run(`CREATE SCHEMA IF NOT EXISTS ${table.name.split('.')[0]}`);
        await connection.run(`CREATE TABLE IF NOT EXISTS ${kept} (${columns.join(', ')})`);
        for (const column of columns) await connection.run(`ALTER TABLE ${kept} ADD COLUMN IF NOT EXISTS ${column}`);
        if (table.replacedBy)
          await connection.run(`CREATE OR REPLACE VIEW ${table.name} AS ${newestRows(table, kept)}`);
        tables.set(table.name, table);
      }),

    apply: (name, batches) =>
      inTurn(async () => {
        const table = tables.get(name);
        if (!table) throw new FirnError('failed', `${name}: ensureTable comes before apply.`);
        if (batches.length === 0) return { inserted: 0 };
        const columns = keptColumns(table).map((column) => column.name);
        const files = batches.map(({ uri }) => literal(fileURLToPath(uri))).join(', ');
        const source = `SELECT ${columns.map(identifier).join(', ')} FROM read_parquet([${files}], union_by_name => true)`;
        const ids = batches.map(({ id }) => id);
        const { rowsChanged } = await connection.run(mergeSql(keptName(table), columns, source, ids));
        return { inserted: rowsChanged };
      }),

    build: (model, sql) =>
      inTurn(async () => {
        await connection.run(`CREATE SCHEMA IF NOT EXISTS ${model.split('.')[0]}`);
        await connection.run(`CREATE OR REPLACE TABLE ${model} AS ${sql}`);
      }),

    async query<R extends Record<string, unknown>>(sql: string) {
      return (await connection.runAndReadAll(sql)).getRowObjects().map((row) => plainRow(row) as R);
    },

    maintain: async () => void (await connection.run('CHECKPOINT')),
    nodes: async () => [hostname()],
    close: async () => duckDb.close(),
  };
}
