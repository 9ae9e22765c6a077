import type { ColumnType } from '../../core/columns/columnType.ts';
import { identifier } from '../../core/text/sqlText.ts';
import type { LakeTable, Stage } from '../contract.ts';
import { repeated } from '../trino/repeated.ts';
import { hasNoExchange, isOverMemory } from '../trino/statementError.ts';
import type { TrinoClient, TrinoResult } from '../trino/trinoClient.ts';
import type { SessionProperties } from '../trino/trinoHttp.ts';
import { type AskedOnce, askedOnce } from './askedOnce.ts';
import { catalogName } from './catalogName.ts';
import { keptColumns } from './lakeTable.ts';
import { ownColumns } from './relationSchemas.ts';

export interface TrinoLakeOptions {
  /** Its catalog is the Iceberg one that holds the tables. */
  readonly client: TrinoClient;
  /** What the names of its schemas begin with: `raw` is `<schema>_raw`. */
  readonly schema: string;
  /** The Hive catalog through which staged files are read. */
  readonly stageCatalog: string;
  /** What the URIs of staged files begin with. */
  readonly stageRoot: Stage['root'];
}

/** A Trino and how the tables of a lake are called there. */
export interface TrinoLake extends TrinoLakeOptions {
  /**
   * Runs a statement that does the same if it is run twice; what may pass is tried again, and what needs more memory than Trino gives to one
   * statement is run in parts.
   *
   * @param before asked each time before it is sent
   */
  run<R extends object>(
    sql: string,
    session?: SessionProperties,
    before?: () => Promise<void>,
  ): Promise<TrinoResult<R>>;
  /** How SQL calls a relation. */
  name(relation: string): string;
  /** How SQL calls the schema in which staged files are read. */
  readonly stageSchema: string;
  /** The schemas that are there: neither Iceberg nor the stage has one without being told. */
  readonly schemas: AskedOnce<unknown>;
}

const columnsTable = 'information_schema.columns';

/** Sends nothing yet. */
export function trinoLake(options: TrinoLakeOptions): TrinoLake {
  const { client, schema, stageCatalog } = options;
  const run: TrinoLake['run'] = (sql, session, before) => {
    const send = async (properties?: SessionProperties) => {
      await before?.();
      return client.run<never>(sql, properties);
    };
    return inParts((properties) => repeated(() => send(properties)), session);
  };
  const prefixed = (relation: string) => `${schema}_${relation}`;
  return {
    ...options,
    run,
    name: (relation) => (relation === columnsTable ? ownColumns({ name: prefixed }) : prefixed(relation)),
    stageSchema: `${catalogName(stageCatalog)}.${schema}`,
    schemas: askedOnce((named) => run(`CREATE SCHEMA IF NOT EXISTS ${named}`)),
  };
}

/**
 * Runs a statement, and once more where it was too large: as small tasks whose results lie in Trino's exchange until others take them, so that
 * they need not be in memory together. A first build of nine million rows got through a Trino of 150 MB a statement that way.
 */
async function inParts<T>(run: (session?: SessionProperties) => Promise<T>, session?: SessionProperties): Promise<T> {
  try {
    return await run(session);
  } catch (error) {
    if (!isOverMemory(error)) throw error;
    return run({ ...session, retry_policy: 'TASK' }).catch((again: unknown) => {
      throw hasNoExchange(again) ? error : again;
    });
  }
}

export const trinoTypes: Record<ColumnType, string> = {
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

/** The columns of a table as it is kept, with their types. */
export const definitions = (table: LakeTable): string[] =>
  keptColumns(table).map(({ name, type }) => `${identifier(name)} ${trinoTypes[type]}`);
