import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ColumnType } from '../../core/columnType.ts';
import { FirnError } from '../../core/firnError.ts';
import { identifier, literal } from '../../core/sqlText.ts';
import type { Engine, LakeTable, Stage, StagedFile } from '../contract.ts';
import { unloadFolder } from '../stage/fileName.ts';
import type { TrinoClient } from '../trino/trinoClient.ts';
import { hashOfView, keptColumns, keptName, markSql, markTable, mergeSql, newestRows, noRows } from './lakeTable.ts';
import { lakeSchemaNames, ownColumns, ownSchemas, publishedName } from './relationSchemas.ts';

const types: Record<ColumnType, string> = {
  varchar: 'VARCHAR',
  varchars: 'ARRAY(VARCHAR)',
  json: 'VARCHAR',
  boolean: 'BOOLEAN',
  integer: 'INTEGER',
  bigint: 'BIGINT',
  ubigint: 'DECIMAL(20,0)',
  decimal38: 'DECIMAL(38,0)',
  decimal18: 'DECIMAL(38,18)',
  double: 'DOUBLE',
  timestamp: 'TIMESTAMP(6)',
  blob: 'VARBINARY',
};

export interface TrinoEngineOptions {
  /** Its catalog is the Iceberg one that holds the tables. */
  readonly client: TrinoClient;
  /** What the names of its schemas begin with: `raw` is `<schema>_raw`. */
  readonly schema: string;
  /** The Hive catalog through which staged files are read. */
  readonly stageCatalog: string;
  /** What the URIs of staged files begin with. */
  readonly stageRoot: Stage['root'];
  /** Session properties of the statements that write, such as `retry_policy: TASK` where workers may be lost. */
  readonly writing?: Readonly<Record<string, string>>;
}

/** A view is planned anew wherever it is read, and models read views of views: some have more stages than the 150 that Trino allows. */
const planning = { query_max_stage_count: '600' };

/** How often a statement is sent that may be repeated. */
const tries = 6;

/** Tables whose snapshots one statement asks for: each is a scan of its own to plan. */
const snapshotsAtOnce = 30;

const columnsTable = 'information_schema.columns';

/** Iceberg tables that Trino makes, fills, builds and reads; firn only sends SQL. */
export function createTrinoEngine({
  client,
  schema,
  stageCatalog,
  stageRoot,
  writing = {},
}: TrinoEngineOptions): Engine {
  const tables = new Map<string, LakeTable>();
  /** Tables that were checked, and are as they should be. */
  const ensured = new Set<string>();
  // Every statement here does the same if it is run twice.
  const run = <R extends object>(sql: string, session?: Readonly<Record<string, string>>) =>
    repeated(() => client.run<R>(sql, session));
  const staged = new Set<string>();
  /** Columns of the tables of a schema as they were when it was first asked for: it is asked once for all of them. */
  const held = new Map<string, Promise<Map<string, Set<string>>>>();
  // Iceberg has no schema without being told; the stage has one for all tables.
  const schemas = new Map<string, Promise<unknown>>();
  const reading = {
    [`${stageCatalog}.timestamp_precision`]: 'MICROSECONDS',
    [`${stageCatalog}.parquet_use_column_names`]: 'true',
  };

  const ensureSchema = (schema: string) => {
    const made = schemas.get(schema) ?? run(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    schemas.set(schema, made);
    made.catch(() => schemas.delete(schema));
    return made;
  };
  const prefixed = (relation: string) => `${schema}_${relation}`;
  const name = (relation: string) => (relation === columnsTable ? ownColumns({ name: prefixed }) : prefixed(relation));
  const columnsOf = (table: LakeTable) =>
    keptColumns(table).map((column) => `${identifier(column.name)} ${types[column.type]}`);
  const stageTable = (table: LakeTable) => `${stageCatalog}.${schema}.${bare(table.name)}`;

  function heldIn(schema: string): Promise<Map<string, Set<string>>> {
    const asked =
      held.get(schema) ??
      ensureSchema(schema)
        .then(() =>
          run<{ table: string; column: string }>(
            `SELECT table_name AS "table", column_name AS "column" FROM ${columnsTable} WHERE table_schema = ${literal(schema)}`,
          ),
        )
        .then(({ rows }) => {
          const found = new Map<string, Set<string>>();
          for (const { table, column } of rows) found.set(table, (found.get(table) ?? new Set()).add(column));
          return found;
        });
    held.set(schema, asked);
    asked.catch(() => held.delete(schema));
    return asked;
  }

  let claimed: Promise<string> | undefined;
  async function mark(warehouse: string): Promise<string> {
    const table = name(markTable);
    const marked = () => run<{ id: string }>(`SELECT id FROM ${table}`);
    const [found] = (await unlessMissing(marked()))?.rows ?? [];
    if (found) return found.id;
    for (const prefix of ['', publishedName('')])
      for (const own of lakeSchemaNames({ name }, { prefix })) await ensureSchema(own);
    await run(`CREATE TABLE IF NOT EXISTS ${table} (id VARCHAR)`);
    await run(markSql(table, warehouse), writing);
    return (await marked()).rows[0]?.id ?? warehouse;
  }

  /** The staged files as a table: one for all batches, of which a statement names the files that it reads. */
  async function ensureStaged(table: LakeTable): Promise<string> {
    const from = stageTable(table);
    if (staged.has(from)) return from;
    await ensureSchema(`${stageCatalog}.${schema}`);
    const location = literal(`${stageRoot}${bare(table.name)}`);
    await run(
      `CREATE TABLE IF NOT EXISTS ${from} (${columnsOf(table).join(', ')})
         WITH (format = 'PARQUET', external_location = ${location})`,
      reading,
    );
    staged.add(from);
    return from;
  }

  const ensureTable: Engine['ensureTable'] = async (table) => {
    if (ensured.has(table.name) && isDeepStrictEqual(tables.get(table.name), table)) return;
    if (table.parent) await ensureTable(table.parent);
    const kept = name(keptName(table));
    const relations = await heldIn(schemaOf(kept));
    const there = relations.get(bare(kept).toLowerCase());
    const columns = keptColumns(table).map((column) => column.name.toLowerCase());
    if (!there) {
      await run(`CREATE TABLE IF NOT EXISTS ${kept} (${columnsOf(table).join(', ')})`);
      relations.set(bare(kept).toLowerCase(), new Set(columns));
    }
    const lacking = keptColumns(table).filter((_, i) => there && !there.has(columns[i] as string));
    for (const column of lacking) {
      await run(`ALTER TABLE ${kept} ADD COLUMN IF NOT EXISTS ${identifier(column.name)} ${types[column.type]}`);
    }
    if (lacking.length > 0) {
      held.delete(schemaOf(kept));
      // A snapshot has the columns of its day. Writing one row again, unchanged, makes a newer one.
      await run(
        `UPDATE ${kept} SET firn_row = firn_row WHERE firn_row = 0 AND firn_batch = (SELECT max(firn_batch) FROM ${kept})`,
        writing,
      );
      // It is only a view of the files, with the columns that they had when it was made.
      await ensureSchema(`${stageCatalog}.${schema}`);
      await run(`DROP TABLE IF EXISTS ${stageTable(table)}`);
      staged.delete(stageTable(table));
    }
    if (table.replacedBy) {
      await run(`CREATE OR REPLACE VIEW ${name(table.name)} AS ${newestRows(table, kept, name)}`);
    }
    tables.set(table.name, table);
    ensured.add(table.name);
  };

  return {
    dialect: 'trino',

    name,
    asOf: (relation, snapshot) => `${name(relation)} FOR VERSION AS OF ${snapshot}`,

    empty: (table) => noRows(table, (type) => types[type]),

    claim(warehouse) {
      claimed ??= mark(warehouse);
      claimed.catch(() => {
        claimed = undefined;
      });
      return claimed;
    },

    ensureTable,
    async apply(of, batches) {
      const table = tables.get(of);
      if (!table) throw new FirnError('failed', `${of}: ensureTable comes before apply.`);
      if (batches.length === 0) return { inserted: 0 };
      const from = await ensureStaged(table);
      const columns = keptColumns(table).map((column) => column.name);
      const source = `SELECT ${columns.map(identifier).join(', ')} FROM ${from} WHERE "$path" IN (${pathsOf(batches)})`;
      const sql = mergeSql(
        name(keptName(table)),
        columns,
        source,
        batches.map(({ id }) => id),
      );
      try {
        const { written } = await run(sql, { ...reading, ...writing });
        return { inserted: written };
      } catch (error) {
        // Somebody may have dropped or changed the tables: the next statement checks them.
        ensured.delete(of);
        held.delete(schemaOf(name(of)));
        staged.delete(from);
        throw error;
      }
    },

    async replace(table, files) {
      const columns = table.columns.map(
        (column) => `CAST(${identifier(column.name)} AS ${types[column.type]}) AS ${identifier(column.name)}`,
      );
      const from = await ensureStaged(table);
      const rows = files.length > 0 ? `"$path" IN (${pathsOf(files)})` : 'false';
      await ensureSchema(schemaOf(name(table.name)));
      await run(
        `CREATE OR REPLACE TABLE ${name(table.name)} AS SELECT ${columns.join(', ')} FROM ${from} WHERE ${rows}`,
        {
          ...reading,
          ...writing,
        },
      );
    },

    async build(model, sql) {
      await ensureSchema(schemaOf(name(model)));
      await run(`CREATE OR REPLACE TABLE ${name(model)} AS ${sql}`, { ...planning, ...writing });
    },

    run: async (sql) => void (await run(sql, { ...planning, ...writing })),

    async show(view, sql) {
      await ensureSchema(schemaOf(name(view)));
      await run(`CREATE OR REPLACE VIEW ${name(view)} COMMENT ${literal(hashOfView(sql))} AS ${sql}`, planning);
    },

    async shown(prefix) {
      const { rows } = await run<{ view: string; hash: string }>(
        `SELECT substr(schema_name, ${schema.length + 2}) || '.' || table_name AS view, "comment" AS hash FROM system.metadata.table_comments
         WHERE catalog_name = current_catalog AND ${ownSchemas({ name }, { column: 'schema_name', prefix })} AND "comment" IS NOT NULL`,
      );
      return new Map(rows.map(({ view, hash }) => [view, hash]));
    },

    async snapshots(wanted) {
      const found: Record<string, string> = {};
      for (let at = 0; at < wanted.length; at += snapshotsAtOnce) {
        const each = wanted.slice(at, at + snapshotsAtOnce).map((table) => {
          const refs = `${schemaOf(name(table))}."${bare(table)}$refs"`;
          return `SELECT ${literal(table)} AS name, CAST(snapshot_id AS VARCHAR) AS snapshot FROM ${refs} WHERE name = 'main'`;
        });
        const { rows } = await run<{ name: string; snapshot: string }>(each.join(' UNION ALL '), planning);
        for (const row of rows) found[row.name] = row.snapshot;
      }
      return found;
    },

    async query<R extends Record<string, unknown>>(sql: string) {
      return (await run<R>(sql, planning)).rows;
    },

    async unload(of, select) {
      await ensureSchema(`${stageCatalog}.${schema}`);
      return repeated(async () => {
        // Each attempt has a folder of its own: after a lost answer the folder may hold rows already.
        const id = `${of}_${randomUUID().replaceAll('-', '')}`;
        const [root, table] = [`${stageRoot}${unloadFolder}${id}/`, `${stageCatalog}.${schema}.unload_${id}`];
        await client.run(
          `CREATE TABLE ${table} WITH (format = 'PARQUET', external_location = ${literal(root)}) AS ${select}`,
          { ...planning, ...reading, ...writing },
        );
        await run(`DROP TABLE IF EXISTS ${table}`);
        return root;
      });
    },

    async maintain(table) {
      const known = tables.get(table);
      const kept = name(known ? keptName(known) : table);
      await run(`ALTER TABLE ${kept} EXECUTE optimize(file_size_threshold => '128MB')`);
      await run(`ALTER TABLE ${kept} EXECUTE expire_snapshots(retention_threshold => '7d')`);
      await run(`ALTER TABLE ${kept} EXECUTE remove_orphan_files(retention_threshold => '7d')`);
    },

    async nodes() {
      const { rows } = await run<{ node_id: string }>(
        `SELECT node_id FROM system.runtime.nodes WHERE state = 'active' ORDER BY node_id`,
      );
      return rows.map(({ node_id }) => node_id);
    },

    close: () => client.close(),
  };
}

/** Repeats what may succeed the next time. Where nobody answers, the client has tried long enough already. */
async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const mayPass = error instanceof FirnError && error.retryable && error.context['reason'] !== undefined;
      if (!mayPass || attempt === tries) throw error;
      await delay(Math.random() * 500 * 2 ** attempt);
    }
  }
}

/** What a statement gives; undefined where the relation that it reads is not there. */
const unlessMissing = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (error instanceof FirnError && /^(TABLE|SCHEMA)_NOT_FOUND$/.test(error.context.reason ?? '')) return undefined;
    throw error;
  });

const bare = (table: string) => table.slice(table.indexOf('.') + 1);
const schemaOf = (table: string) => table.slice(0, table.indexOf('.'));
const pathsOf = (files: readonly StagedFile[]) => files.map(({ uri }) => literal(uri)).join(', ');
