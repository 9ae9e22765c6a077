import { FirnError } from '../../core/firnError.ts';
import { groupBy } from '../../core/groupBy.ts';
import type { Statements } from '../../load/database/transaction.ts';
import type { DirtyRange } from '../changes/dirtyRanges.ts';
import type { PlacedModel } from '../models/model.ts';
import { aboutModel, ModelError } from '../models/modelError.ts';

/** What is kept of chains whose old raw rows were dropped (`firn.frozen`), while tables are rebuilt. */
export interface FrozenRows {
  /** Tables of which rows are kept. */
  readonly names: ReadonlySet<string>;
  /** Puts back rows of tables kept by hour, and first occurrences: the raw rows that they were made from are gone. */
  putBack(): Promise<void>;
  /** The time that these rows cover, by chain, for the tables made from them. It has no heights. */
  past(): Promise<DirtyRange[]>;
  /** Puts back the metrics of buckets that had ended, but for metrics that were removed: a new version may count rows that were not kept. */
  putBackMetrics(): Promise<void>;
}

/** Types of a table's columns by their names, in their order. */
type ColumnTypes = ReadonlyMap<string, string>;

/** A table with the copy of some of its rows; columns that a new version of the model added are NULL in them. */
interface Kept {
  readonly model: PlacedModel;
  readonly copy: string;
  readonly columns: ColumnTypes;
}

const metrics = 'mart.metric';

/**
 * Copies, before tables are rebuilt, what cannot be computed again because its raw rows were dropped. Runs inside the open transaction.
 *
 * @returns undefined where nothing was dropped
 */
export async function keepFrozen(
  warehouse: Statements,
  models: readonly PlacedModel[],
): Promise<FrozenRows | undefined> {
  const selections = await frozenSelections(warehouse, models);
  if (selections.length === 0) return undefined;
  const kept: Kept[] = [];
  for (const { model, columns, sql } of selections) {
    const copy = `temp.firn_frozen_${kept.length}`;
    const create = `CREATE OR REPLACE TEMP TABLE firn_frozen_${kept.length} AS ${sql}`;
    await aboutPast(model, () => warehouse.run(create));
    kept.push({ model, copy, columns });
  }
  return {
    names: new Set(kept.map(({ model }) => model.name)),
    async putBack() {
      const columns = await columnsByTable(warehouse);
      for (const table of kept) if (table.model.name !== metrics) await insert(warehouse, table, columns);
    },
    async past() {
      const rows = await warehouse.query<{ chain: string; from: string; until: string }>(
        `SELECT f.chain_id AS chain, CAST(date_trunc('hour', min(f.block_time)) AS VARCHAR) AS "from", CAST(any_value(z.until) AS VARCHAR) AS until
         FROM mart.fct_block AS f JOIN firn.frozen AS z ON z.chain_id = f.chain_id
         WHERE f."number" > 0 AND f.block_time < z.until GROUP BY f.chain_id`,
      );
      return rows.map((row) => ({ ...row, first: 1n, last: 0n }));
    },
    async putBackMetrics() {
      const table = kept.find(({ model }) => model.name === metrics);
      if (!table) return;
      await warehouse.run(
        `DELETE FROM ${table.copy} WHERE NOT (${hasModel('metric')});
         DELETE FROM ${metrics} AS kept USING firn.frozen AS frozen WHERE frozen.chain_id = kept.chain_id AND ${isOver}`,
      );
      await insert(warehouse, table, await columnsByTable(warehouse));
    },
  };
}

/**
 * The rows of built tables that cannot be computed again because their raw rows were dropped, as a SELECT for each table; none where nothing was
 * dropped.
 */
export async function frozenSelections(
  warehouse: Pick<Statements, 'query'>,
  models: readonly PlacedModel[],
): Promise<{ readonly model: PlacedModel; readonly columns: ColumnTypes; readonly sql: string }[]> {
  const [frozen] = await warehouse.query('SELECT 1 FROM firn.frozen LIMIT 1');
  if (!frozen) return [];
  const byTable = await columnsByTable(warehouse);
  return models.flatMap((model) => {
    const columns: ColumnTypes = byTable.get(model.name) ?? new Map();
    const sql = columns.has('chain_id') ? selectFrozen(model, columns) : undefined;
    return sql === undefined ? [] : [{ model, columns, sql }];
  });
}

/** Whether a bucket ended before the time from which on raw rows are held. */
export const hasEnded = (bucket: string, until: string): string =>
  `end_of_bucket(${bucket}.time_interval, ${bucket}.bucket) <= ${until}`;

/** Whether a metric has a model, and was not removed. @param models how SQL calls `firn.model` */
export const hasModel = (metric: string, models = 'firn.model'): string =>
  `'mart.metric_' || ${metric} IN (SELECT name FROM ${models})`;

const isOver = hasEnded('kept', 'frozen.until');

function selectFrozen({ name, keptAs }: PlacedModel, columns: ColumnTypes): string | undefined {
  const from = `FROM ${name} AS kept JOIN firn.frozen AS frozen ON frozen.chain_id = kept.chain_id`;
  switch (keptAs.kind) {
    case 'hours':
      return `SELECT kept.* ${from} WHERE kept."${keptAs.column}" < frozen.until`;
    case 'buckets':
      // The others are made of tables kept by hour, which hold the past.
      return name === metrics ? `SELECT kept.* ${from} WHERE ${isOver}` : undefined;
    case 'earliest': {
      const measures = [...columns.keys()].filter((column) => !keptAs.key.includes(column));
      const early = (column: string) => `CASE WHEN kept."${column}" < frozen.until THEN kept."${column}" END`;
      const values = [
        ...keptAs.key.map((column) => `kept."${column}"`),
        ...measures.map((column) => `${early(column)} AS "${column}"`),
      ];
      return `SELECT ${values.join(', ')} ${from} WHERE coalesce(${measures.map(early).join(', ')}) IS NOT NULL`;
    }
    default:
      return undefined;
  }
}

async function insert(
  warehouse: Statements,
  { model, copy, columns }: Kept,
  byTable: ReadonlyMap<string, ColumnTypes>,
): Promise<void> {
  const common = [...(byTable.get(model.name) ?? [])].filter(([name]) => columns.has(name));
  const names = common.map(([name]) => `"${name}"`).join(', ');
  const sql = `INSERT INTO ${model.name} BY NAME SELECT ${names} FROM ${copy}; DROP TABLE ${copy}`;
  await aboutPast(model, async () => {
    for (const [name, type] of common) if (type !== columns.get(name)) await refuseLoss(warehouse, copy, name, type);
    await warehouse.run(sql);
  });
}

/** DuckDB rounds without a word what has more digits than its column. */
async function refuseLoss(warehouse: Statements, copy: string, name: string, type: string): Promise<void> {
  const [lost] = await warehouse.query(
    `SELECT "${name}" AS "value" FROM ${copy} WHERE CAST("${name}" AS ${type}) IS DISTINCT FROM "${name}" LIMIT 1`,
  );
  if (lost) throw new Error(`${name}, which is ${type} by now, cannot hold ${lost['value']}`);
}

/** @throws ModelError where what a table holds of the past does not fit its model any more */
const aboutPast = <T>(model: PlacedModel, work: () => Promise<T>): Promise<T> =>
  aboutModel(model, work).catch((error: unknown) => {
    if (!(error instanceof ModelError)) throw error;
    const told = `${error.message}. Its table holds rows whose raw rows were dropped, and which do not fit it: leave its columns as they were, or give it another name, under which it begins anew.`;
    throw new ModelError(model.name, new FirnError('failed', told, { cause: error.reason }));
  });

/** Columns of every table; views have none here. One look for all: DuckDB walks its whole catalogue for each. */
async function columnsByTable(warehouse: Pick<Statements, 'query'>): Promise<ReadonlyMap<string, ColumnTypes>> {
  const rows = await warehouse.query<{ name: string; column: string; type: string }>(
    `SELECT c.schema_name || '.' || c.table_name AS name, c.column_name AS "column", c.data_type AS type FROM duckdb_columns() AS c
     JOIN duckdb_tables() AS t ON t.database_name = c.database_name AND t.schema_name = c.schema_name AND t.table_name = c.table_name
     WHERE c.database_name = current_database() ORDER BY name, c.column_index`,
  );
  const byTable = groupBy(rows, ({ name }) => name);
  return new Map([...byTable].map(([name, own]) => [name, new Map(own.map(({ column, type }) => [column, type]))]));
}
