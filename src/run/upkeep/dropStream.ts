import { createTableSql } from '../../core/columns/table.ts';
import { FirnError } from '../../core/firnError.ts';
import { mayBeBefore } from '../../core/heights/mayBeBefore.ts';
import { meant } from '../../core/input/meant.ts';
import { fromCheckpointKey } from '../../core/stream/checkpointKey.ts';
import { partitionMembers } from '../../core/stream/partition.ts';
import { type Declared, tablesOf } from '../../core/stream/stream.ts';
import { noteDropped, tellDropped } from '../../load/bookkeeping/droppedReads.ts';
import { type OpenBackfill, openBackfill, openBackfills } from '../../load/bookkeeping/openBackfills.ts';
import { begunBy, readBegun } from '../../load/commit/begun.ts';
import { hasRelation } from '../../load/database/hasRelation.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { querySql } from '../../load/packageFiles.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';

/** The rows that were dropped of a stream. */
export interface DroppedStream {
  readonly stream: string;
  readonly partitions: readonly string[];
  /** Rows by table; tables that held none are left out. */
  readonly dropped: readonly { readonly table: string; readonly rows: number }[];
  /** Other partitions that are read again, of which a sync does not read as far down as they were read: a backfill is open for each. */
  readonly backfills: readonly Pick<OpenBackfill, 'partition' | 'asked'>[];
}

interface DropOptions {
  /** As `firn state` prints it; all of them if omitted. */
  readonly partition?: string | undefined;
  /** Whether all stays as it is; false if omitted. */
  readonly dryRun?: boolean;
  /** Where the configuration has the stream's partitions begin, by their keys. */
  readonly begins?: ReadonlyMap<string, string | undefined> | undefined;
}

/** What firn notes of a partition; its loads stay, as history. */
const notes = ['begun', 'gap', 'quarantine'];

/**
 * Deletes every row that a stream, or one of its partitions, brought, and all notes about it: what the configuration still names is read
 * again, and so are its partitions that share rows with the one that goes. The next build makes all tables again, without these rows.
 *
 * @param declared all streams that there are: one whose file was removed may be dropped all the same, and one that declares other columns than
 *   the warehouse has, or no longer all of its children
 * @throws FirnError `not_found` where nothing of it was ever read · `usage` where there is no such stream either
 */
export async function dropStream(
  warehouse: Warehouse,
  declared: readonly Declared[],
  id: string,
  { partition, dryRun = false, begins }: DropOptions = {},
): Promise<DroppedStream> {
  const stream = declared.find((one) => one.id === id);
  const others = declared.filter((one) => one !== stream);
  const of = partition === undefined ? 'stream = $1' : 'stream = $1 AND "partition" = $2';
  const values = partition === undefined ? [id] : [id, partition];
  const found = await warehouse.query<{ partition: string }>(
    `SELECT "partition" FROM firn.load WHERE ${of} UNION SELECT "partition" FROM firn.checkpoint WHERE ${of} ORDER BY 1`,
    values,
  );
  if (found.length === 0) {
    if (!stream) throw noStream(id, declared);
    const what = partition === undefined ? id : `the partition ${partition} of ${id}`;
    throw new FirnError('not_found', `Nothing of ${what} was read. "firn state" lists what there is.`);
  }
  const partitions = found.map((row) => row.partition);
  const dropped: { table: string; rows: number }[] = [];
  let backfills: DroppedStream['backfills'] = [];
  await warehouse.transaction(async (tx) => {
    for (const name of await tablesBeside(tx, others)) {
      const rows = await tx.run(
        `DELETE FROM ${name} WHERE _load_id IN (SELECT load_id FROM firn.load WHERE ${of})`,
        values,
      );
      if (rows > 0) dropped.push({ table: name, rows });
      if ((await tx.query(`SELECT 1 FROM ${name} LIMIT 1`)).length > 0) continue;
      // What is read from now on was never old.
      await tx.run(`DELETE FROM firn.dropped WHERE "table" = '${name}'`);
      // The stream may come back with other columns, or has other columns or tables than it had.
      await tx.run(`DROP TABLE ${name}`);
    }
    for (const table of stream ? tablesOf([stream]) : []) await tx.run(createTableSql(table));
    for (const note of notes) await tx.run(`DELETE FROM firn.${note} WHERE ${of}`, values);
    const shared = await dropPlaces(tx, id, stream?.table.key ?? [], partition);
    backfills = shared.flatMap((one) => {
      const asked = restFrom(one, begins?.get(one.key));
      return asked === undefined ? [] : [{ partition: one.key, asked }];
    });
    for (const one of backfills) await openBackfill(tx, { stream: id, ...one });
    // Where a chain was made anew, dates lie at other heights: looked up again they cost little, believed they cost rows.
    await tx.run('DELETE FROM firn.date_height');
    // Tables are brought up to date where rows came; deleted rows show only when all tables are made again.
    await tx.run(`UPDATE firn.build_state SET models_hash = ''; DELETE FROM firn.audit_state`);
    await forgetPast(tx);
    await noteDropped(tx, id, partitions);
  }, !dryRun);
  await tellDropped(warehouse);
  return { stream: id, partitions, dropped, backfills };
}

/** The error of a name that no stream has. */
export function noStream(id: string, declared: readonly Declared[]): FirnError {
  const known = declared.map((stream) => stream.id);
  return new FirnError('usage', `There is no stream "${id}". ${meant(id, known)}`);
}

/** Tables that none of these streams declares: their loads tell whose rows they hold. */
async function tablesBeside({ query }: Statements, others: readonly Declared[]): Promise<string[]> {
  const known = new Set(tablesOf(others).map(({ name }) => name));
  const tables = await query<{ name: string }>(
    `SELECT 'raw.' || table_name AS name FROM duckdb_columns()
     WHERE database_name = current_database() AND schema_name = 'raw' AND column_name = '_load_id' ORDER BY 1`,
  );
  return tables.flatMap(({ name }) => (known.has(name) ? [] : [name]));
}

/** A partition that shares rows with a dropped one. */
interface Shared {
  readonly key: string;
  /** From where on it was read, where that is noted, or its position says it. */
  readonly begun: string | undefined;
  /** From where on a backfill of it was reading that was not over. */
  readonly asked: string | undefined;
}

/**
 * Deletes how far a partition was read, with its backfills, and which keys it looked up. Others of the stream may have found a row that was
 * there and was equal, so that it is noted as the dropped one's: those whose values do not tell their rows from its rows are read again.
 *
 * @returns these others
 */
async function dropPlaces(
  tx: Statements,
  id: string,
  rowKey: readonly string[],
  partition: string | undefined,
): Promise<readonly Shared[]> {
  const dropped = partition === undefined ? undefined : partitionMembers(partition);
  const places = await tx.query<{ key: string; position: string | null }>(
    `SELECT "partition" AS key, "position" FROM firn.checkpoint WHERE stream = $1
     UNION SELECT "partition", NULL FROM firn.lookup WHERE stream = $1`,
    [id],
  );
  const [begun, open] = [await readBegun(tx.query), await openBackfills(tx.query)];
  const shared = new Map<string, Shared>();
  for (const { key, position } of places) {
    const { partition: own } = fromCheckpointKey(key);
    const isApart = [...partitionMembers(own)].some(
      ([name, value]) => rowKey.includes(name) && (dropped?.get(name) ?? value) !== value,
    );
    if (isApart) continue;
    for (const table of ['checkpoint', 'lookup'])
      await tx.run(`DELETE FROM firn.${table} WHERE stream = $1 AND "partition" = $2`, [id, key]);
    if (partition === undefined || own === partition) continue;
    const asked = open.find((one) => one.stream === id && one.partition === own)?.asked;
    // Where an earlier version read it, only its position may tell.
    const said = key === own && position !== null ? begunBy(JSON.parse(position)) : shared.get(own)?.begun;
    shared.set(own, { key: own, begun: begun.get(`${id} ${own}`) ?? said, asked });
  }
  return [...shared.values()];
}

/**
 * From where on a backfill is to read such a partition again; undefined where a sync reads again all that was read.
 *
 * @param wanted where the configuration has it begin; undefined where it does not name it
 */
function restFrom({ begun, asked }: Shared, wanted: string | undefined): string | undefined {
  const now = Date.now();
  const isRead = begun && wanted && !mayBeBefore(begun, wanted, now);
  const below = isRead ? undefined : begun;
  // One that was under way has most likely come further down.
  return asked === undefined || (below && !mayBeBefore(asked, below, now)) ? below : asked;
}

/** A chain without any block left has no past that could be carried over; of blocks that are not held nothing is proven, and nothing breaks. */
async function forgetPast(tx: Statements): Promise<void> {
  if (!(await hasRelation(tx, 'staging', 'evm_block'))) return;
  await tx.run('DELETE FROM firn.frozen WHERE chain_id NOT IN (SELECT chain_id FROM staging.evm_block)');
  await tx.run(querySql('forget_evidence'));
}
