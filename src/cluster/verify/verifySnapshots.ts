import { hasCode } from '../../core/firnError.ts';
import { identifier, literal } from '../../core/text/sqlText.ts';
import { stopIfAborted } from '../../publish/stopIfAborted.ts';
import type { Failure, Watch } from '../../publish/verify/failure.ts';
import { mapAtOnce } from '../../transform/mapAtOnce.ts';
import type { Engine } from '../contract.ts';
import { queryEach } from '../engine/queryEach.ts';
import { heldRelations } from '../lake/ensureLakeTables.ts';

/** A table of a version. */
export interface VersionedTable {
  /** As the version names it, such as `mart.fct_block`. */
  readonly name: string;
  readonly snapshot: string;
  /** The columns that readers see. */
  readonly columns: readonly string[];
}

/** What the snapshots of a version hold. */
export interface Held {
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
  readonly failures: readonly Failure[];
}

/** Tables that are read at once. */
const tablesAtOnce = 4;

/** Whether every snapshot is still there, and every row of it can be read: all columns, as many rows as Iceberg counted when they were written. */
export async function verifySnapshots(
  engine: Engine,
  tables: readonly VersionedTable[],
  { signal, progress }: Watch,
): Promise<Held> {
  const isThere = await heldRelations(engine);
  const summaries = await readSummaries(
    engine,
    tables.filter(({ name }) => isThere(name)),
  );
  const failures: Failure[] = [];
  let done = 0;
  await mapAtOnce(tables, tablesAtOnce, async (table) => {
    stopIfAborted(signal, 'Verifying');
    const summary = summaries.get(table.name);
    const failure = summary ? await harmOf(engine, table, Number(summary.rows)) : gone(table, isThere(table.name));
    if (failure) failures.push(failure);
    progress?.(++done, tables.length);
  });
  const sum = (of: 'rows' | 'files' | 'bytes') =>
    [...summaries.values()].reduce((total, summary) => total + Number(summary[of]), 0);
  return { rows: sum('rows'), files: sum('files'), bytes: sum('bytes'), failures };
}

interface Summary {
  readonly name: string;
  readonly rows: string;
  readonly files: string;
  readonly bytes: string;
}

/** What Iceberg noted of each snapshot when it was committed; nothing of one that was forgotten. */
async function readSummaries(engine: Engine, tables: readonly VersionedTable[]): Promise<Map<string, Summary>> {
  const said = (key: string) => `CAST(coalesce(element_at(summary, '${key}'), '0') AS BIGINT)`;
  const query = (sql: string) => engine.query<Summary>(sql);
  const rows = await queryEach(query, tables, ({ name, snapshot }) => {
    const [schema, table] = engine.name(name).split('.');
    return `SELECT ${literal(name)} AS name, CAST(${said('total-records')} - ${said('total-position-deletes')} AS VARCHAR) AS "rows",
      CAST(${said('total-data-files')} AS VARCHAR) AS files, CAST(${said('total-files-size')} AS VARCHAR) AS bytes
      FROM ${schema}."${table}$snapshots" WHERE snapshot_id = ${snapshot}`;
  });
  return new Map(rows.map((row) => [row.name, row]));
}

/** Reads all of a table. A checksum of each column is asked for so that every column is read. */
async function harmOf(
  engine: Engine,
  { name, snapshot, columns }: VersionedTable,
  expected: number,
): Promise<Failure | undefined> {
  const read = columns.map((column) => `checksum(${identifier(column)})`);
  try {
    const [row] = await engine.query<{ held: bigint }>(
      `SELECT held FROM (SELECT count(*) AS held, ARRAY[${read.join(', ')}] AS content FROM ${engine.asOf(name, snapshot)}) WHERE content IS NOT NULL`,
    );
    if (Number(row?.held) === expected) return undefined;
    const message = `snapshot ${snapshot} holds ${row?.held} rows, and was committed with ${expected}`;
    return { check: 'rows', item: name, message };
  } catch (error) {
    if (!hasCode(error, 'failed')) throw error;
    return { check: 'changed', item: name, message: `snapshot ${snapshot} cannot be read: ${error.message}` };
  }
}

const gone = ({ name, snapshot }: VersionedTable, isTableThere: boolean): Failure => ({
  check: 'missing',
  item: name,
  message: isTableThere
    ? `snapshot ${snapshot} is gone, so readers of this version see nothing of it; firn publish makes a version of what there is now`
    : 'the table is gone, so readers see an error; firn run makes one of a model anew, and docs/cluster.md says what helps with others (Backups)',
});
