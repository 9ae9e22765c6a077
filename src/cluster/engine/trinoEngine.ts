import { randomUUID } from 'node:crypto';
import { FirnError } from '../../core/firnError.ts';
import { identifier, literal } from '../../core/text/sqlText.ts';
import type { Engine, LakeTable, StagedBatch, StagedFile } from '../contract.ts';
import { bare, schemaOf } from '../relationName.ts';
import { trinoMacros } from '../render/expandMacros.ts';
import { unloadFolder } from '../stage/fileName.ts';
import { repeated } from '../trino/repeated.ts';
import { isMissing } from '../trino/statementError.ts';
import { askedOnce } from './askedOnce.ts';
import { endChanges, marked } from './endChanges.ts';
import { hashOfView, keptColumns, keptName, markSql, markTable, mergeSql, noRows } from './lakeTable.ts';
import { queryEach } from './queryEach.ts';
import { lakeSchemaNames, ownSchemas, publishedName } from './relationSchemas.ts';
import { type StagedTables, stagedTables } from './stagedTables.ts';
import { type TrinoLake, type TrinoLakeOptions, trinoLake, trinoTypes } from './trinoLake.ts';
import { TrinoTables } from './trinoTables.ts';

/** A view is planned anew wherever it is read, and models read views of views: some have more stages than the 150 that Trino allows. */
const planning = { query_max_stage_count: '600' };

/** A lake, with what is known to be there. */
interface Parts {
  readonly lake: TrinoLake;
  readonly staged: StagedTables;
  readonly tables: TrinoTables;
}

/** Iceberg tables that Trino makes, fills, builds and reads; firn only sends SQL. */
export function createTrinoEngine(options: TrinoLakeOptions): Engine {
  const lake = trinoLake(options);
  const { run, name, schemas } = lake;
  const staged = stagedTables(lake);
  const tables = new TrinoTables(lake);
  const claims = askedOnce((warehouse) => mark(lake, warehouse));
  /** Whose tables these are. */
  let owner = '';
  const engineOf = (assertHeld?: () => Promise<void>): Engine => {
    const change: TrinoLake['run'] = (sql, session) => run(marked(sql, owner), { ...planning, ...session }, assertHeld);
    return {
      words: { macros: trinoMacros() },
      name,
      asOf: (relation, snapshot) => `${name(relation)} FOR VERSION AS OF ${snapshot}`,
      empty: (table) => noRows(table, (type) => trinoTypes[type]),
      claim: (warehouse) => {
        owner = warehouse;
        return claims.get(warehouse);
      },
      ensureTable: (table) => tables.ensure(table),
      apply: (of, batches) => apply({ lake, staged, tables }, of, batches),
      replace: (table, files) => replace({ lake, staged, change }, table, files),

      async drop(table) {
        await change(`DROP TABLE IF EXISTS ${name(table)}`);
        await staged.drop(table);
      },

      async build(model, sql) {
        await schemas.get(schemaOf(name(model)));
        await change(`CREATE OR REPLACE TABLE ${name(model)} AS ${sql}`);
      },

      run: async (sql) => void (await change(sql)),

      endChanges: () => endChanges(lake, owner),

      held: engineOf,

      async show(view, sql) {
        await schemas.get(schemaOf(name(view)));
        await change(`CREATE OR REPLACE VIEW ${name(view)} COMMENT ${literal(hashOfView(sql))} AS ${sql}`);
      },

      async shown(prefix) {
        const { rows } = await run<{ view: string; hash: string }>(
          `SELECT substr(schema_name, ${lake.schema.length + 2}) || '.' || table_name AS view, "comment" AS hash FROM system.metadata.table_comments
         WHERE catalog_name = current_catalog AND ${ownSchemas({ name }, { column: 'schema_name', prefix })} AND "comment" IS NOT NULL`,
        );
        return new Map(rows.map(({ view, hash }) => [view, hash]));
      },

      snapshots: (wanted) => snapshots(lake, wanted),

      async query<R extends object = Record<string, unknown>>(sql: string) {
        return (await run<R>(sql, planning)).rows;
      },

      unload: (of, select) => unload({ lake, staged }, of, select),

      close: () => options.client.close(),
    };
  };
  return engineOf();
}

/** Marks a lake that is new, and makes all of its schemas. */
async function mark({ run, name, schemas }: TrinoLake, warehouse: string): Promise<string> {
  const table = name(markTable);
  const marked = () => run<{ id: string }>(`SELECT id FROM ${table}`);
  const [found] = await marked().then(
    ({ rows }) => rows,
    (error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    },
  );
  if (found) return found.id;
  for (const prefix of ['', publishedName('')])
    for (const own of lakeSchemaNames({ name }, { prefix })) await schemas.get(own);
  await run(`CREATE TABLE IF NOT EXISTS ${table} (id VARCHAR)`);
  await run(markSql(table, warehouse));
  return (await marked()).rows[0]?.id ?? warehouse;
}

async function apply({ lake, staged, tables }: Parts, of: string, batches: readonly StagedBatch[]) {
  const table = tables.known(of);
  if (!table) throw new FirnError('failed', `${of}: ensureTable comes before apply.`);
  if (batches.length === 0) return { inserted: 0 };
  const columns = keptColumns(table).map((column) => column.name);
  const ids = batches.map(({ id }) => id);
  const mergeFrom = (from: string) => {
    const source = `SELECT ${columns.map(identifier).join(', ')} FROM ${from} WHERE "$path" IN (${pathsOf(batches)})`;
    const sql = mergeSql(lake.name(keptName(table)), columns, source, ids);
    return lake.run(sql, staged.reading);
  };
  try {
    return { inserted: (await staged.read(table, mergeFrom)).written };
  } catch (error) {
    // Somebody may have dropped or changed the table.
    tables.forget(of);
    throw error;
  }
}

async function replace(
  { lake: { name, schemas }, staged, change }: Omit<Parts, 'tables'> & { readonly change: TrinoLake['run'] },
  table: LakeTable,
  files: readonly StagedFile[],
): Promise<void> {
  const columns = table.columns.map(
    (column) => `CAST(${identifier(column.name)} AS ${trinoTypes[column.type]}) AS ${identifier(column.name)}`,
  );
  const rows = files.length > 0 ? `"$path" IN (${pathsOf(files)})` : 'false';
  await schemas.get(schemaOf(name(table.name)));
  const { written } = await staged.read(table, (from) => {
    const select = `SELECT ${columns.join(', ')} FROM ${from} WHERE ${rows}`;
    return change(`CREATE OR REPLACE TABLE ${name(table.name)} AS ${select}`, staged.reading);
  });
  const wanted = files.reduce((sum, file) => sum + file.rows, 0);
  if (written === wanted) return;
  throw new FirnError(
    'contract',
    `${table.name} is to hold the ${wanted} rows of ${files.map(({ uri }) => uri).join(', ')}, and Trino found ${written} there. ` +
      'A file that was just written must be seen at once: switch off what keeps listings in the catalog of the stage (hive.file-status-cache-tables), and run again.',
  );
}

async function snapshots({ run, name }: TrinoLake, tables: readonly string[]): Promise<Record<string, string>> {
  const query = async (sql: string) => (await run<{ name: string; snapshot: string }>(sql, planning)).rows;
  const rows = await queryEach(query, tables, (table) => {
    const refs = `${schemaOf(name(table))}."${bare(table)}$refs"`;
    return `SELECT ${literal(table)} AS name, CAST(snapshot_id AS VARCHAR) AS snapshot FROM ${refs} WHERE name = 'main'`;
  });
  return Object.fromEntries(rows.map((row) => [row.name, row.snapshot]));
}

async function unload(
  { lake: { client, run, stageSchema, stageRoot }, staged }: Omit<Parts, 'tables'>,
  of: string,
  select: string,
): Promise<string> {
  await staged.ready();
  return repeated(async () => {
    // Each attempt has a folder of its own: after a lost answer the folder may hold rows already.
    const id = `${of}_${randomUUID().replaceAll('-', '')}`;
    const [root, table] = [`${stageRoot}${unloadFolder}${id}/`, `${stageSchema}.unload_${id}`];
    await client.run(
      `CREATE TABLE ${table} WITH (format = 'PARQUET', external_location = ${literal(root)}) AS ${select}`,
      { ...planning, ...staged.reading },
    );
    await run(`DROP TABLE IF EXISTS ${table}`);
    return root;
  });
}

const pathsOf = (files: readonly StagedFile[]) => files.map(({ uri }) => literal(uri)).join(', ');
