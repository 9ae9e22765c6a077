import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine, LakeTable, Stage, StagedFile } from '../../../src/cluster/contract.ts';
import {
  hashOfView,
  keptColumns,
  keptName,
  markSql,
  markTable,
  mergeSql,
  newestRows,
  noRows,
} from '../../../src/cluster/engine/lakeTable.ts';
import { readMacros } from '../../../src/cluster/render/expandMacros.ts';
import { unloadFolder } from '../../../src/cluster/stage/fileName.ts';
import { duckdbType } from '../../../src/core/columns/columnType.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import { identifier, literal } from '../../../src/core/text/sqlText.ts';
import type { DuckDb } from '../../../src/load/database/openDuckDb.ts';
import { plainRow } from '../../../src/load/database/transaction.ts';
import { sqlFolder } from '../../../src/load/packageFiles.ts';

/** The macros of a state, whose database the tables are not in. */
const schema = sqlFolder('schema');
const ownMacros = readMacros(
  readdirSync(schema)
    .sort()
    .map((file) => readFileSync(join(schema, file), 'utf8'))
    .join('\n'),
);

/** The engine's contract without Trino, for tests: tables of a DuckDB, whose file one process has at a time. Staged files lie in a folder. */
export function createDuckDbEngine(duckDb: DuckDb, stageRoot: Stage['root']): Engine {
  const { connection } = duckDb;
  const tables = new Map<string, LakeTable>();
  let last: Promise<unknown> = Promise.resolve();
  /** One statement at a time: two that add the same rows at once would not see each other's. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(() => duckDb.transaction(work));
    last = mine.catch(() => {});
    return mine;
  };

  const made = new Map<string, string>();
  const ensureTable: Engine['ensureTable'] = async (table) => {
    if (table.parent) await ensureTable(table.parent);
    const kept = keptName(table);
    const columns = keptColumns(table).map(({ name, type }) => ({
      name,
      sql: `${identifier(name)} ${duckdbType(type)}`,
    }));
    const all = columns.map(({ sql }) => sql).join(', ');
    const view = table.replacedBy ? `CREATE OR REPLACE VIEW ${table.name} AS ${newestRows(table, kept)}` : '';
    // No other process changes what this one made, but for a statement of its own.
    if (made.get(table.name) === all + view) return;
    await inTurn(async () => {
      await connection.run(`CREATE SCHEMA IF NOT EXISTS ${table.name.split('.')[0]}`);
      await connection.run(`CREATE TABLE IF NOT EXISTS ${kept} (${all})`);
      const reader = await connection.runAndReadAll(`SELECT name FROM pragma_table_info(${literal(kept)})`);
      const held = new Set(reader.getRowObjects().map(({ name }) => name));
      for (const { name, sql } of columns)
        if (!held.has(name)) await connection.run(`ALTER TABLE ${kept} ADD COLUMN IF NOT EXISTS ${sql}`);
      if (view) await connection.run(view);
      tables.set(table.name, table);
    });
    made.set(table.name, all + view);
  };

  const engine: Engine = {
    words: { macros: ownMacros, spellings: [] },
    name: (relation) => relation,
    // DuckDB keeps no past: a snapshot is a copy.
    asOf: (relation, snapshot) => `snapshot."${snapshot} ${relation}"`,

    empty: (table) => noRows(table, duckdbType),

    claim: (warehouse) =>
      inTurn(async () => {
        await connection.run(`CREATE SCHEMA IF NOT EXISTS firn; CREATE TABLE IF NOT EXISTS ${markTable} (id VARCHAR)`);
        await connection.run(markSql(markTable, warehouse));
        return String((await connection.runAndReadAll(`SELECT id FROM ${markTable}`)).getRows()[0]?.[0]);
      }),

    ensureTable,
    apply: (name, batches) =>
      inTurn(async () => {
        const table = tables.get(name);
        if (!table) throw new FirnError('failed', `${name}: ensureTable comes before apply.`);
        if (batches.length === 0) return { inserted: 0 };
        const columns = keptColumns(table).map((column) => column.name);
        const source = `SELECT ${columns.map(identifier).join(', ')} FROM read_parquet([${pathsOf(batches)}], union_by_name => true)`;
        const ids = batches.map(({ id }) => id);
        const { rowsChanged } = await connection.run(mergeSql(keptName(table), columns, source, ids));
        return { inserted: rowsChanged };
      }),

    replace: (table, files) =>
      inTurn(async () => {
        const columns = table.columns.map(
          ({ name, type }) => `CAST(${identifier(name)} AS ${duckdbType(type)}) AS ${identifier(name)}`,
        );
        const none = table.columns.map(({ name }) => `NULL AS ${identifier(name)}`).join(', ');
        const from = files.length > 0 ? `read_parquet([${pathsOf(files)}])` : `(SELECT ${none} LIMIT 0)`;
        await connection.run(`CREATE SCHEMA IF NOT EXISTS ${table.name.split('.')[0]}`);
        await connection.run(`CREATE OR REPLACE TABLE ${table.name} AS SELECT ${columns.join(', ')} FROM ${from}`);
      }),

    drop: (table) => inTurn(async () => void (await connection.run(`DROP TABLE IF EXISTS ${table}`))),

    build: (model, sql) =>
      inTurn(async () => {
        await connection.run(`CREATE SCHEMA IF NOT EXISTS ${model.split('.')[0]}`);
        await connection.run(`CREATE OR REPLACE TABLE ${model} AS ${sql}`);
      }),

    run: (sql) =>
      inTurn(async () => {
        made.clear();
        await connection.run(sql);
      }),

    // One statement at a time, and none outlives its process.
    endChanges: async () => 0,

    held(assertHeld) {
      const asking =
        <A extends unknown[]>(work: (...given: A) => Promise<void>) =>
        async (...given: A) => {
          await assertHeld();
          await work(...given);
        };
      const { replace, drop, build, run, show } = engine;
      const changes = { drop: asking(drop), build: asking(build), run: asking(run), show: asking(show) };
      return { ...engine, ...changes, replace: asking(replace) };
    },

    show: (view, sql) =>
      inTurn(async () => {
        await connection.run(`CREATE SCHEMA IF NOT EXISTS ${view.split('.')[0]}`);
        await connection.run(
          `CREATE OR REPLACE VIEW ${view} AS ${sql}; COMMENT ON VIEW ${view} IS ${literal(hashOfView(sql))}`,
        );
      }),

    async shown(prefix) {
      const reader = await connection.runAndReadAll(
        `SELECT schema_name || '.' || view_name AS view, "comment" AS hash FROM duckdb_views() WHERE starts_with(view, ${literal(prefix)}) AND hash IS NOT NULL`,
      );
      return new Map(reader.getRows().map(([view, hash]) => [String(view), String(hash)]));
    },

    snapshots: (wanted) =>
      inTurn(async () => {
        await connection.run('CREATE SCHEMA IF NOT EXISTS snapshot');
        const found: Record<string, string> = {};
        for (const name of wanted) {
          // A table that holds the same, in the same columns, has the same.
          const columns = `(SELECT count(*) FROM pragma_table_info(${literal(name)}))`;
          const sql = `SELECT concat_ws('-', count(*), sum(hash(t)), ${columns}) AS snapshot FROM ${name} AS t`;
          const snapshot = String((await connection.runAndReadAll(sql)).getRowObjects()[0]?.['snapshot']);
          await connection.run(`CREATE TABLE IF NOT EXISTS snapshot."${snapshot} ${name}" AS FROM ${name}`);
          found[name] = snapshot;
        }
        return found;
      }),

    async query<R extends object = Record<string, unknown>>(sql: string) {
      return (await connection.runAndReadAll(sql)).getRowObjects().map((row) => plainRow(row) as R);
    },

    unload: (name, select) =>
      inTurn(async () => {
        const root = `${stageRoot}${unloadFolder}${name}-${randomUUID()}/`;
        const folder = fileURLToPath(root);
        await mkdir(folder, { recursive: true });
        await connection.run(`COPY (${select}) TO ${literal(join(folder, 'rows.parquet'))} (FORMAT parquet)`);
        return root;
      }),

    close: async () => duckDb.close(),
  };
  return engine;
}

/** A file that is named twice is read once, as by Trino. */
const pathsOf = (files: readonly StagedFile[]) =>
  [...new Set(files.map(({ uri }) => literal(fileURLToPath(uri))))].join(', ');
