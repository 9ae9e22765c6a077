import { FirnError } from '../../core/firnError.ts';
import { fixedBound } from '../../core/heights/fixedBound.ts';
import { partitionName } from '../../core/partitionName.ts';
import { type Declared, type RangeStream, tablesOf } from '../../core/stream/stream.ts';
import { identifier } from '../../core/text/sqlText.ts';
import { readBegun } from '../../load/commit/begun.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { RangePosition } from '../../run/read/rangePosition.ts';
import type { Model } from '../../transform/models/model.ts';
import { placeModels } from '../../transform/models/placeModels.ts';
import { columnsOf } from '../columnsOf.ts';
import type { Engine, StagedFile } from '../contract.ts';
import type { Sql } from '../ledger/control.ts';
import { notesAtOnce } from '../ledger/copyNotes.ts';
import { insert, type JsonNote } from '../ledger/insert.ts';
import { insertFiles } from '../ledger/insertFiles.ts';
import { plain } from '../ledger/plain.ts';
import type { Cluster } from '../openCluster.ts';
import { tipOf } from '../worker/exportBatch.ts';
import { checkpointsOf } from './checkpointsOf.ts';
import { endStaging, partKey, type StagedWarehouse, stageWarehouse } from './stageWarehouse.ts';

/** What was taken over. */
export interface Migrated {
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  readonly partitions: number;
}

interface ToCluster {
  readonly warehouse: Warehouse;
  readonly cluster: Cluster;
  readonly engine: Pick<Engine, 'replace'>;
  readonly catalogue: readonly Declared[];
  readonly models: readonly Model[];
}

/**
 * Takes a warehouse of one machine over into a cluster that is empty: its rows as batches, its checkpoints as those of partitions, what is in
 * quarantine. Workers go on from there. The warehouse is only read. Killed at any time it leaves both as they were, since the ledger notes
 * all of it in one transaction; run again it goes on after the last file that it staged.
 *
 * @throws FirnError `config` where the cluster holds anything, nothing declares a stream that was read, or a backfill of the warehouse is not over that a cluster cannot read on · `locked` where it is under way elsewhere
 */
export async function migrateToCluster(
  { warehouse, cluster, engine, catalogue, models }: ToCluster,
  staged?: (file: StagedFile) => void,
): Promise<Migrated> {
  const { control, ledger, stage } = cluster;
  const done = await ledger.alone('migrate', async (assertHeld) => {
    await refuseUnfinished(warehouse, catalogue);
    await refuseFilled(control);
    const placed = await placeModels(warehouse, models);
    const taken = await stageWarehouse({ warehouse, stage, catalogue, models: placed }, ledger.warehouse, staged);
    // No batch ever brings these, so the lake gets them first. Repeating that does no harm.
    for (const { table, files } of taken.own) await engine.replace(table, files);
    // Before the transaction: PostgreSQL ends one that waits for so long as a search through a large table may take.
    const stands = await standsOf(warehouse, catalogue, taken.memory);
    // Another one removes files that it did not stage.
    await assertHeld();
    await control.transaction(async (sql) => {
      // Nobody else enlists partitions meanwhile.
      await sql.query('LOCK TABLE firn.partition IN ACCESS EXCLUSIVE MODE');
      await refuseFilled(sql);
      await register(sql, warehouse, catalogue, taken);
      await insert(sql, 'partition', stands.partitions);
      await insert(sql, 'part', stands.parts);
    });
    await endStaging(warehouse);
    const sum = (of: (file: StagedFile) => number) => taken.files.reduce((all, file) => all + of(file), 0);
    return {
      files: taken.files.length,
      rows: sum(({ rows }) => rows),
      bytes: sum(({ bytes }) => bytes),
      partitions: stands.partitions.length,
    };
  });
  if (done) return done;
  throw new FirnError('locked', 'Another firn migrate fills this control database. Wait until it is over.', {
    retryable: true,
  });
}

async function refuseFilled(sql: Sql): Promise<void> {
  const held = await sql.query(
    'SELECT 1 FROM firn.partition UNION ALL SELECT 1 FROM firn.batch_file UNION ALL SELECT 1 FROM firn.load LIMIT 1',
  );
  if (held.length === 0) return;
  throw new FirnError(
    'config',
    'The control database holds partitions or batches already: workers read for it, or a warehouse was taken over. Nothing was changed. ' +
      'Name an empty database and a stage of its own.',
  );
}

/**
 * A backfill under way has a checkpoint of its own beside a partition's. Not all of them can be read on in a cluster. Of a stream that nobody declares any
 * more it is not known which rows to take along.
 */
async function refuseUnfinished(warehouse: Warehouse, catalogue: readonly Declared[]): Promise<void> {
  const checkpoints = await checkpointsOf(warehouse);
  const open = checkpoints.find(({ stream, partition, beside, position }) => {
    const declared = catalogue.find(({ id }) => id === stream);
    if (!declared) throw undeclared(stream);
    if (beside === undefined) return false;
    if (declared.revisions) return true;
    // One that was only noted has no stretch yet; one whose partition's checkpoint was forgotten stands beside nothing.
    const { at } = JSON.parse(position) as { at: unknown };
    const isAlone = !checkpoints.some(
      (one) => one.stream === stream && one.partition === partition && one.beside === undefined,
    );
    return isAlone || (declared.way === 'range' && (isAgain(beside) || at === null));
  });
  if (!open) return;
  const { stream, partition, beside = '', position } = open;
  const { asked } = JSON.parse(position) as { asked: string };
  throw new FirnError(
    'config',
    `A backfill of ${stream} (${partition}) is not over, and a cluster cannot read it on. With control, stage and engine left out of firn.yaml, run firn sync, and ` +
      `"firn backfill ${stream} --${isAgain(beside) ? 'again' : 'from'} ${asked}" to its end before the warehouse is moved. Nothing was changed.`,
  );
}

const undeclared = (stream: string) =>
  new FirnError(
    'config',
    `${stream} was read into this warehouse, and nothing declares it here: its rows would stay behind, and the cluster would take them for read. Put its file back into the folder that extend names; ` +
      `or, with control, stage and engine left out of firn.yaml, give its rows up by "firn state drop ${stream}". Nothing was changed.`,
  );

const isAgain = (beside: string) => beside !== 'backfill';

/** Notes all of it but where partitions stand. */
async function register(
  sql: Sql,
  warehouse: Warehouse,
  catalogue: readonly Declared[],
  { files, lastBatch }: StagedWarehouse,
): Promise<void> {
  const copy = async (table: string, what = '*', order = 'ALL') => {
    const atOnce = notesAtOnce(table);
    for (let at = 0; ; at += atOnce) {
      const rows = await warehouse.query(
        `SELECT ${what} FROM firn.${table} ORDER BY ${order} LIMIT ${atOnce} OFFSET ${at}`,
      );
      await insert(sql, table, rows.map(plain));
      if (rows.length < atOnce) return;
    }
  };
  await sql.query(`SELECT setval('firn.batch_id', $1)`, [Math.max(1, lastBatch)]);
  for (const table of ['network', 'chain', 'load', 'gap', 'schema_change', 'lookup', 'dropped']) await copy(table);
  // By their order alone, and not by what they say, which may be long.
  await copy('quarantine', '* EXCLUDE (id)', 'id');
  const columns = columnsOf(tablesOf(catalogue));
  await insertFiles(
    sql,
    files.map((file) => ({ ...file, columns: columns.get(file.table) })),
  );
}

/** Where each partition stands, as the ledger has it: a range by where its stretches are joined, any other by the cursor of its one part. */
async function standsOf(
  warehouse: Warehouse,
  catalogue: readonly Declared[],
  memory: StagedWarehouse['memory'],
): Promise<{ readonly partitions: readonly JsonNote[]; readonly parts: readonly JsonNote[] }> {
  const begun = await readBegun(warehouse.query);
  const partitions: JsonNote[] = [];
  const parts: JsonNote[] = [];
  const checkpoints = await checkpointsOf(warehouse);
  for (const { stream, partition, position } of checkpoints.filter(({ beside }) => beside === undefined)) {
    const declared = catalogue.find(({ id }) => id === stream);
    const of = { stream, partition };
    const noted = { ...of, begun: begun.get(partitionName(stream, partition)) ?? null };
    const part = { ...of, beside: null, cursor: null, first_position: null, last_position: null, memory: [] };
    const besides = checkpoints.filter(
      (one) => one.stream === stream && one.partition === partition && one.beside !== undefined,
    );
    if (declared?.way === 'range') {
      const { next, partFrom = null } = JSON.parse(position) as RangePosition;
      const tip = await tipAt(warehouse, declared, partition, next - 1);
      const below = besides.map((one) => JSON.parse(one.position) as RangeBackfill)[0];
      partitions.push({
        ...noted,
        joined_to: next,
        divided_to: next,
        tip,
        ...(below && { begun: fixedBound(below.asked, Date.now()) }),
        part_from: lowest(partFrom, below?.at.partFrom),
      });
      parts.push(part);
      // Workers read what it has left as a stretch.
      if (below && below.at.next <= below.at.last)
        parts.push({ ...part, first_position: below.at.next, last_position: below.at.last });
    } else {
      partitions.push({ ...noted, joined_to: null, divided_to: null, tip: null, part_from: null });
      parts.push({ ...part, cursor: position, memory: memory.get(partKey(stream, partition)) ?? [] });
      for (const { beside = null, position: cursor } of besides) parts.push({ ...part, beside, cursor });
    }
  }
  return { partitions, parts };
}

/** Where a backfill of positions stands on one machine. */
interface RangeBackfill {
  readonly asked: string;
  readonly at: { readonly next: number; readonly last: number; readonly partFrom?: number };
}

const lowest = (one: number | null, other: number | undefined): number | null =>
  other === undefined ? one : Math.min(one ?? other, other);

/** The row that was read last, as workers know it. */
async function tipAt(warehouse: Warehouse, stream: RangeStream, partition: string, position: number) {
  const { table, link } = stream;
  const [row] = await warehouse.query(
    `SELECT * FROM ${table.name} WHERE ${identifier(stream.position)} = ${position}
       AND _load_id IN (SELECT load_id FROM firn.load WHERE stream = $1 AND "partition" = $2)`,
    [stream.id, partition],
  );
  return row ? { id: link ? ((row[link.id] as string | null) ?? null) : null, row: tipOf(table, row) } : null;
}
