import { literal } from '../../core/text/sqlText.ts';
import { sha256 } from '../../load/sha256.ts';
import type { LakeTable } from '../contract.ts';
import { bare } from '../relationName.ts';
import { isMissing, lacksColumn } from '../trino/statementError.ts';
import type { SessionProperties } from '../trino/trinoHttp.ts';
import { definitions, type TrinoLake } from './trinoLake.ts';

/** The staged files of each table as a table: one for all batches, of which a statement names the files that it reads. */
export interface StagedTables {
  /** For statements that read or write staged files. */
  readonly reading: SessionProperties;
  /** Makes a schema for them. */
  ready(): Promise<unknown>;
  /** Runs a statement over the one of a table, which is made where the statement finds none, or one of another version that lacks columns: mostly it is there. */
  read<T>(table: LakeTable, statement: (name: string) => Promise<T>): Promise<T>;
  /** Drops it: it is only a view of the files, with the columns that they had when it was made. */
  drop(table: string): Promise<void>;
}

export function stagedTables({ run, schemas, stageCatalog, stageSchema, stageRoot }: TrinoLake): StagedTables {
  // Another warehouse may have the same schema in this catalog, and tables in another one: its files lie elsewhere.
  const place = sha256(stageRoot).slice(0, 8);
  const nameOf = (table: string) => `${stageSchema}.${bare(table)}_${place}`;
  const reading = {
    [`${stageCatalog}.timestamp_precision`]: 'MICROSECONDS',
    [`${stageCatalog}.parquet_use_column_names`]: 'true',
  };
  const ready = () => schemas.get(stageSchema);
  const drop = async (table: string) => {
    await ready();
    await run(`DROP TABLE IF EXISTS ${nameOf(table)}`);
  };
  const make = async (table: LakeTable) => {
    await ready();
    const location = literal(`${stageRoot}${bare(table.name)}`);
    await run(
      `CREATE TABLE IF NOT EXISTS ${nameOf(table.name)} (${definitions(table).join(', ')})
         WITH (format = 'PARQUET', external_location = ${location})`,
      reading,
    );
  };
  return {
    reading,
    ready,
    async read(table, statement) {
      try {
        return await statement(nameOf(table.name));
      } catch (error) {
        if (lacksColumn(error)) await drop(table.name);
        else if (!isMissing(error)) throw error;
        await make(table);
        return await statement(nameOf(table.name));
      }
    },
    drop,
  };
}
