import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FirnError } from '../../core/firnError.ts';
import { checkpointKeyOf } from '../../core/stream/checkpointKey.ts';
import { identifier, literal } from '../../core/text/sqlText.ts';
import { noteBegun } from '../../load/commit/begun.ts';
import { noteCheckpoint, positionOf } from '../../load/commit/checkpoints.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { Model } from '../../transform/models/model.ts';
import type { Engine, LakeTable, Stage } from '../contract.ts';
import { filledTables, keptName, rowsReadAgain } from '../engine/lakeTable.ts';
import { ensureLakeTables, heldRelations } from '../lake/ensureLakeTables.ts';
import { tableOf } from '../lake/ownTables.ts';
import { frozenTable } from '../lake/putBackFrozen.ts';
import type { Sql } from '../ledger/control.ts';
import { copyNotes } from '../ledger/copyNotes.ts';
import { isTaken } from '../ledger/leases.ts';
import type { Cluster } from '../openCluster.ts';
import type { Migrated } from './migrateToCluster.ts';

interface ToMachine {
  /** Holds nothing yet. */
  readonly warehouse: Warehouse;
  readonly cluster: Cluster;
  readonly engine: Engine;
  /** Tables that streams and actions fill. */
  readonly tables: readonly LakeTable[];
  readonly models: readonly Model[];
}

/**
 * Takes what a cluster read over into an empty warehouse of this machine: the rows of its tables, its cursors as checkpoints, what is in
 * quarantine. A sync goes on from there, and a build makes the marts. The cluster is only read, but for columns that its tables lack. Killed at any time it leaves a warehouse that counts
 * as empty; run again it starts over.
 *
 * @param taken told of every table
 * @throws FirnError `config` where the warehouse holds anything, nothing declares a stream that was read, or something of the cluster is not read or applied to its end · `contract` where rows are
 *   missing · `locked` where workers read meanwhile
 */
export async function migrateToMachine(
  { warehouse, cluster, engine, tables, models }: ToMachine,
  taken?: (table: string, rows: number) => void,
): Promise<Migrated> {
  const { control, stage } = cluster;
  const held = await warehouse.query('SELECT 1 FROM firn.load UNION ALL SELECT 1 FROM firn.checkpoint LIMIT 1');
  if (held.length > 0)
    throw new FirnError(
      'config',
      `${warehouse.folder} holds a warehouse already. Nothing was changed. Name another folder in warehouse.`,
    );
  await refuseUndeclared(control, tables);
  const newest = await assertAtRest(control);
  // After an upgrade nothing may have added its columns yet.
  await ensureLakeTables(engine, filledTables(tables));
  const isHeld = await heldRelations(engine);
  const sums = { files: 0, rows: 0, bytes: 0 };
  const take = async (of: Taken) => {
    const { rows, files, bytes } = await takeTable({ warehouse, engine, stage }, of);
    sums.rows += rows;
    sums.files += files;
    sums.bytes += bytes;
    if (rows > 0) taken?.(of.to, rows);
  };
  for (const table of tables.filter((one) => filledTables([one]).some((each) => isHeld(keptName(each))))) {
    const again = rowsReadAgain(table, (one) => isHeld(keptName(one)), engine.name);
    await take({
      from: table.name,
      to: table.name,
      ...(again !== undefined && { rowsOf: `(${again}) AS every` }),
    });
  }
  for (const name of ['firn.evidence', 'firn.frozen'].filter(isHeld)) await take({ from: name, to: name });
  // The first build puts these back: the rows they were made of are gone.
  for (const { name } of models.filter((model) => isHeld(frozenTable(model.name))))
    await take({ from: frozenTable(name), to: name, isMade: true });
  const partitions = await control.transaction(async (sql) => {
    await sql.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    if ((await assertAtRest(sql)) !== newest)
      throw new FirnError('locked', 'Workers read while the cluster was taken over. Stop them, and run again.', {
        retryable: true,
      });
    return takeNotes(sql, warehouse);
  });
  return { ...sums, partitions };
}

/** @throws FirnError `config` where the lake holds rows of a stream that nobody declares any more: they would stay behind */
async function refuseUndeclared(control: Sql, tables: readonly LakeTable[]): Promise<void> {
  const known = new Set(filledTables(tables).map(({ name }) => name));
  const filled = await control.query<{ name: string }>(
    'SELECT DISTINCT table_name AS name FROM firn.batch_file WHERE rows > 0 ORDER BY 1',
  );
  const lost = filled.find(({ name }) => !known.has(name));
  if (!lost) return;
  throw new FirnError(
    'config',
    `The cluster has rows of ${lost.name}, and no stream fills it here: they would stay behind, and the warehouse would take them for read. Put its file back into the folder that extend names; ` +
      'whoever wants to be rid of the rows drops the stream in the warehouse then (firn state drop). Nothing was changed.',
  );
}

/** Gives the newest load. @throws FirnError `config` where workers hold something, or what they read is not whole or not applied */
async function assertAtRest(sql: Sql): Promise<number> {
  const [row] = await sql.query<
    Record<'held' | 'open' | 'waiting' | 'changes' | 'newest', string> & { example: string | null }
  >(
    `SELECT count(*) FILTER (WHERE ${isTaken}) AS held,
       count(*) FILTER (WHERE first_position IS NOT NULL) AS open,
       min(stream || ' (' || partition || ')') FILTER (WHERE first_position IS NOT NULL) AS example,
       (SELECT count(*) FROM firn.batch_file WHERE applied_at IS NULL) AS waiting,
       (SELECT count(*) FROM firn.lake_change) AS changes,
       (SELECT coalesce(max(load_id), 0) FROM firn.load) AS newest
     FROM firn.part`,
  );
  const { held, open, waiting, changes, newest, example } = row as NonNullable<typeof row>;
  const reasons = [
    ...(held !== '0' ? [`workers hold ${held} parts: stop them`] : []),
    ...(open !== '0'
      ? [`${open} stretches, such as of ${example}, are not read to their end or do not follow what lies before them`]
      : []),
    ...(waiting !== '0' ? [`${waiting} staged files are not part of the lake`] : []),
    ...(changes !== '0' ? ['old rows are not as this version has them: run firn build'] : []),
  ];
  if (reasons.length === 0) return Number(newest);
  throw new FirnError(
    'config',
    `The cluster is not at rest: ${reasons.join('; ')}. Run firn worker --until-idle once all others are stopped; firn status says what holds it up. Nothing was changed.`,
  );
}

/** A relation of the lake, and the table that it becomes. */
interface Taken {
  readonly from: string;
  readonly to: string;
  /** What SQL reads; default: the relation. */
  readonly rowsOf?: string;
  /** Whether the table is made from the rows. */
  readonly isMade?: boolean;
}

/** Copies the rows of a relation of the lake to this machine, and compares their number. */
async function takeTable(
  { warehouse, engine, stage }: { readonly warehouse: Warehouse; readonly engine: Engine; readonly stage: Stage },
  { from, to, rowsOf = engine.name(from), isMade = false }: Taken,
): Promise<{ rows: number; files: number; bytes: number }> {
  const names = isMade ? '*' : (await tableOf(warehouse, to)).columns.map(({ name }) => identifier(name)).join(', ');
  const [said] = await engine.query<{ held: bigint }>(`SELECT count(*) AS held FROM ${rowsOf}`);
  const held = Number(said?.held);
  if (!isMade) await warehouse.run(`DELETE FROM ${to}`);
  if (held === 0) return { rows: 0, files: 0, bytes: 0 };
  const root = await engine.unload(from.replace('.', '_'), `SELECT ${names} FROM ${rowsOf}`);
  const uris = await urisBelow(stage, root);
  if (isMade) await warehouse.run(`CREATE SCHEMA IF NOT EXISTS ${to.split('.')[0]}`);
  let [rows, bytes] = [0, 0];
  for (const [i, uri] of uris.entries()) {
    const path = join(warehouse.folder, '.state', 'unloaded.parquet');
    try {
      await stage.fetch({ uri }, path);
      bytes += (await stat(path)).size;
      const select = `SELECT ${names} FROM read_parquet(${literal(path)})`;
      if (isMade && i === 0) await warehouse.run(`CREATE OR REPLACE TABLE ${to} AS ${select} LIMIT 0`);
      rows += await warehouse.run(`INSERT INTO ${to} BY NAME ${select}`);
    } finally {
      await rm(path, { force: true });
    }
  }
  await stage.remove(uris);
  if (rows === held) return { rows, files: uris.length, bytes };
  throw new FirnError(
    'contract',
    `${from}: the lake holds ${held} rows, ${rows} came. Workers apply meanwhile, or a file of the stage went. Stop workers, and run again.`,
  );
}

async function urisBelow(stage: Stage, root: string): Promise<string[]> {
  const uris: string[] = [];
  for await (const { uri } of stage.list()) if (uri.startsWith(root)) uris.push(uri);
  return uris;
}

/** Notes what the ledger knows, positions last: a kill before that leaves a warehouse that counts as empty. */
function takeNotes(sql: Sql, warehouse: Warehouse): Promise<number> {
  return warehouse.transaction(async (tx) => {
    for (const [name, order] of Object.entries(notes)) await copyNotes(sql, tx, name, order);
    const stand = await sql.query<{
      stream: string;
      partition: string;
      joined_to: string | null;
      part_from: string | null;
      begun: string | null;
      beside: string | null;
      cursor: string | null;
      load: string;
    }>(
      `SELECT p.stream, p.partition, p.joined_to, p.part_from, p.begun, w.beside, w.cursor,
         (SELECT coalesce(max(load_id), 0) FROM firn.load AS l WHERE l.stream = p.stream AND l.partition = p.partition) AS load
       FROM firn.partition AS p JOIN firn.part AS w ON w.stream = p.stream AND w.partition = p.partition AND w.first_position IS NULL
       WHERE w.cursor IS NOT NULL OR (w.beside IS NULL AND p.joined_to IS NOT NULL)`,
    );
    for (const { stream, partition, joined_to, part_from, begun, beside, cursor, load } of stand) {
      const partFrom = part_from === null ? {} : { partFrom: Number(part_from) };
      const position = positionOf(cursor) ?? { next: Number(joined_to), ...partFrom };
      const key = checkpointKeyOf(partition, beside ?? undefined);
      await tx.run(noteCheckpoint(stream, key, position, load));
      if (begun !== null) for (const statement of noteBegun(stream, partition, begun)) await tx.run(statement);
    }
    return stand.filter(({ beside }) => beside === null).length;
  });
}

/** Tables that both sides keep, each with the columns that order its rows while they are copied. */
const notes: Readonly<Record<string, string>> = {
  network: '1',
  chain: '1',
  load: 'load_id',
  gap: 'load_id, from_position',
  schema_change: 'stream, member',
  lookup: 'stream, partition, key',
  dropped: '"table", before, dropped_at',
  quarantine: 'id',
};
