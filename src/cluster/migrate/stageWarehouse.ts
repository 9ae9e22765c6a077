import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Table } from '../../core/columns/table.ts';
import { type Declared, type Stream, tablesOf } from '../../core/stream/stream.ts';
import { literal } from '../../core/text/sqlText.ts';
import { replaceFile } from '../../disk/durable.ts';
import { newestLoad } from '../../load/commit/checkpoints.ts';
import { sha256 } from '../../load/sha256.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { frozenSelections } from '../../transform/builds/frozenRows.ts';
import type { PlacedModel } from '../../transform/models/model.ts';
import type { LakeTable, Stage, StagedBatch, StagedFile } from '../contract.ts';
import { tableOf } from '../lake/ownTables.ts';
import { frozenTable } from '../lake/putBackFrozen.ts';
import { batchRows } from '../stage/asParquet.ts';
import { batchOf } from '../stage/fileName.ts';
import { withParquet } from '../stage/withParquet.ts';
import { memoryOf } from '../worker/exportBatch.ts';
import { currentRows, remembered } from '../worker/remembered.ts';
import { checkpointsOf } from './checkpointsOf.ts';
import { type FileSize, type PieceRows, piecesOf, usualSize } from './piecesOf.ts';

/** What a warehouse is in a stage: the files of its tables, and what the next read of each partition compares with. */
export interface StagedWarehouse {
  readonly files: readonly StagedBatch[];
  /** By stream and partition, as `partKey` joins them. */
  readonly memory: ReadonlyMap<string, readonly StagedFile[]>;
  /** What can be neither read nor computed again: evidence, and rows of tables whose raw rows were dropped. */
  readonly own: readonly { readonly table: LakeTable; readonly files: readonly StagedFile[] }[];
  /** The highest number of a file; new batches are numbered from there on. */
  readonly lastBatch: number;
}

export const partKey = (stream: string, partition: string): string => JSON.stringify([stream, partition]);

/** One file that is to be staged. */
interface Planned {
  readonly table: string;
  readonly batch: number;
  readonly sql: string;
  /** Whose memory it is; undefined for rows. */
  readonly of?: string | undefined;
  /** The table of firn's own that it fills; undefined for rows of streams. */
  readonly own?: LakeTable;
}

/** What was staged before a kill, and for which warehouse. */
interface Journal {
  readonly warehouse: string;
  /** Hash of all that was to be staged: the same rows may have been cut otherwise, or be others. */
  readonly plan: string;
  readonly staged: Record<string, StagedFile>;
}

interface Staging {
  readonly warehouse: Warehouse;
  readonly stage: Stage;
  readonly catalogue: readonly Declared[];
  readonly models: readonly PlacedModel[];
  readonly size?: FileSize;
}

/**
 * Stages the tables of a warehouse as Parquet, in files of about a size. What was staged before a kill is not staged again, and what a
 * migration left that was given up is removed.
 *
 * @param warehouseId of the ledger that is to name the files
 * @param staged told of every file
 */
export async function stageWarehouse(
  { warehouse, stage, catalogue, models, size = usualSize }: Staging,
  warehouseId: string,
  staged?: (file: StagedFile) => void,
): Promise<StagedWarehouse> {
  const newest = Number(await newestLoad(warehouse));
  const rows = await planFiles(warehouse, { catalogue, size }, newest + 1);
  const planned = [...rows, ...(await planOwn(warehouse, models, (rows.at(-1)?.batch ?? newest) + 1))];
  const journal = await readJournal(warehouse, warehouseId, planned);
  await compare(stage, journal.staged);
  const files: StagedBatch[] = [];
  const memory = new Map<string, StagedFile[]>();
  const own = new Map<LakeTable, StagedFile[]>();
  for (const { table, batch, sql, of, own: whose } of planned) {
    const name = `${of ? 'memory ' : ''}${table} ${batch}`;
    const known = journal.staged[name];
    const file = known ?? (await stageRows(warehouse, stage, { table, batch, sql, of }));
    if (!file) continue;
    if (!known) {
      journal.staged[name] = file;
      await replaceFile(journalOf(warehouse), JSON.stringify(journal), { mode: 0o600 });
      staged?.(file);
    }
    if (of) memory.set(of, [...(memory.get(of) ?? []), file]);
    else if (whose) own.set(whose, [...(own.get(whose) ?? []), file]);
    else files.push({ ...file, id: batch });
  }
  return {
    files,
    memory,
    own: [...own].map(([table, files]) => ({ table, files })),
    lastBatch: planned.at(-1)?.batch ?? newest,
  };
}

/** Forgets what was staged: the ledger names it now. */
export const endStaging = (warehouse: Pick<Warehouse, 'folder'>) => rm(journalOf(warehouse), { force: true });

const journalOf = ({ folder }: Pick<Warehouse, 'folder'>) => join(folder, '.state', 'migration.json');

/** The journal; an empty one where what was staged is nothing of this. */
async function readJournal(
  at: Pick<Warehouse, 'folder'>,
  warehouse: string,
  planned: readonly Planned[],
): Promise<Journal> {
  const plan = sha256(planned.map(({ batch, sql }) => `${batch} ${sql}`).join('\n'));
  const before = JSON.parse(await readFile(journalOf(at), 'utf8').catch(() => '{}')) as Partial<Journal>;
  const isSame = before.warehouse === warehouse && before.plan === plan;
  return { warehouse, plan, staged: isSame ? (before.staged ?? {}) : {} };
}

/** Removes files that the journal does not name, and forgets those that are not there. */
async function compare(stage: Stage, staged: Record<string, StagedFile>): Promise<void> {
  const found = new Set<string>();
  for await (const { uri } of stage.list()) if (batchOf(stage.root, uri) !== undefined) found.add(uri);
  for (const [name, { uri }] of Object.entries(staged)) if (!found.delete(uri)) delete staged[name];
  await stage.remove([...found]);
}

async function stageRows(
  warehouse: Warehouse,
  stage: Stage,
  { table, batch, sql, of }: Planned,
): Promise<StagedFile | undefined> {
  const path = join(warehouse.folder, '.state', `migration-${batch}.parquet`);
  return withParquet(warehouse, sql, path, async (rows) =>
    rows === 0 ? undefined : { ...(await stage.write(of ? memoryOf(table) : table, batch, path, rows)), table },
  );
}

async function planFiles(
  warehouse: Warehouse,
  { catalogue, size }: { readonly catalogue: readonly Declared[]; readonly size: FileSize },
  first: number,
): Promise<Planned[]> {
  const planned: Planned[] = [];
  // A backfill beside a partition compares with nothing.
  const read = (await checkpointsOf(warehouse)).filter(({ beside }) => beside === undefined);
  const next = () => (planned.at(-1)?.batch ?? first - 1) + 1;
  for (const stream of catalogue) {
    const pieces = await piecesOf(warehouse, stream, size);
    planned.push(...planRows(tablesOf([stream]), pieces, next()));
    if (stream.way === 'action' || pieces.length === 0) continue;
    for (const { partition } of read.filter((one) => one.stream === stream.id)) {
      const batch = next();
      const of = partKey(stream.id, partition);
      for (const table of remembered(stream))
        planned.push({ table: table.name, batch, sql: currentOf(stream, partition, table), of });
    }
  }
  return planned;
}

/** The tables of a stream are numbered together: children belong to the batch of their parent. */
const planRows = (tables: readonly Table[], pieces: readonly PieceRows[], first: number): Planned[] =>
  pieces.flatMap((whereOf, piece) =>
    tables.map((table) => {
      const batch = first + piece;
      return { table: table.name, batch, sql: `${batchRows(table, batch)} WHERE ${whereOf(table)}` };
    }),
  );

/** What was proven of blocks, and what is kept of dropped rows. */
async function planOwn(warehouse: Warehouse, models: readonly PlacedModel[], first: number): Promise<Planned[]> {
  const whole = ['firn.evidence', 'firn.frozen'].map((name) => ({ name, of: name, sql: `FROM ${name}` }));
  const kept = (await frozenSelections(warehouse, models)).map(({ model: { name }, sql }) => ({
    name: frozenTable(name),
    of: name,
    sql,
  }));
  const planned: Planned[] = [];
  for (const { name, of, sql } of [...whole, ...kept]) {
    const { columns } = await tableOf(warehouse, of);
    planned.push({ table: name, batch: first++, sql, own: { name, columns } });
  }
  return planned;
}

/** What the next read of a partition compares with. */
function currentOf({ id }: Stream, partition: string, table: Table): string {
  const isMine = `_load_id IN (SELECT load_id FROM firn.load WHERE stream = ${literal(id)} AND "partition" = ${literal(partition)})`;
  return `SELECT * FROM ${table.name} WHERE ${isMine} AND ${currentRows(table, isMine)}`;
}
