import { FirnError } from '../../core/firnError.ts';
import { mapAtOnce } from '../../transform/mapAtOnce.ts';
import type { Engine, LakeTable, Ledger, StagedBatch } from '../contract.ts';
import { filledTables, keptName } from './lakeTable.ts';

/** Files of one commit: a commit costs about a second, whatever is in it. */
const bytesAtOnce = 128 * 1024 * 1024;
const filesAtOnce = 1_000;
/** Tables at once: for most of a commit nothing is being computed. */
const tablesAtOnce = 3;

/** What staged files are made part of, and who is told. */
export interface Applying {
  readonly engine: Engine;
  readonly ledger: Pick<Ledger, 'pendingTables' | 'pending' | 'applied' | 'alone'>;
  /** Tables that streams fill: files of others stay for a firn that knows them. */
  readonly tables: readonly LakeTable[];
  /** Which of them are applied: those of which so much waits, or for so long; all where it is left out. */
  readonly due?: Parameters<Ledger['pendingTables']>[0];
  /** Told what each table failed with. */
  readonly failed?: ((error: FirnError) => void) | undefined;
  /** Told of each table that is left to others. */
  readonly warn?: ((sentence: string) => void) | undefined;
}

/**
 * Makes what was staged part of its tables, many batches a commit, some tables at once and each by one process. A process that is killed before it
 * notes what it applied leaves it to the next one, for which it is a no-op. What is wrong with one table keeps no other one waiting.
 *
 * @returns rows that were new, by table
 * @throws what the first table failed with, once all others are done, where nobody is told; at once where engine or ledger do not answer
 */
export async function applyPending(applying: Applying): Promise<Map<string, number>> {
  const { engine, ledger, tables, due, failed, warn } = applying;
  const known = new Map(filledTables(tables).map((table) => [table.name, table]));
  const inserted = new Map<string, number>();
  const failures: FirnError[] = [];
  await mapAtOnce(await ledger.pendingTables(due), tablesAtOnce, async (name) => {
    const table = known.get(name);
    if (!table) return warn?.(ofUnknown(name));
    const work = ledger.alone(`apply ${name}`, async () => {
      for (let left = await ledger.pending(name, filesAtOnce); left.length > 0; ) {
        // Each time: while a backlog is applied another server may come to answer for the control database.
        await engine.ensureTable(table);
        const fitting = left.filter((batch) => unknownColumn(table, batch) === undefined);
        if (fitting.length === 0) throw ofNewer(table, left[0] as StagedBatch);
        const batches = upTo(bytesAtOnce, fitting);
        const applied = await engine.apply(name, batches);
        const rows = batches.reduce((sum, batch) => sum + batch.rows, 0);
        if (applied.inserted !== rows) await assertHeld(engine, table, batches);
        await ledger.applied(
          name,
          batches.map(({ id }) => id),
        );
        inserted.set(name, (inserted.get(name) ?? 0) + applied.inserted);
        left = await ledger.pending(name, filesAtOnce);
      }
    });
    await work.catch((error: unknown) => {
      if (!(error instanceof FirnError) || isNobodyThere(error)) throw error;
      if (failed) failed(error);
      else failures.push(error);
    });
  });
  if (failures.length > 0) throw failures[0];
  return inserted;
}

/** Of an engine that answered, and could not do it now, other tables may still be asked for: the trouble may be this table's own. */
const isNobodyThere = ({ code, context }: FirnError): boolean =>
  code === 'unavailable' && context['errorName'] === undefined;

const ofUnknown = (name: string) =>
  `Files of ${name} wait to be applied, and no stream fills it here: a newer firn staged them, or one with another extend. Any firn that knows the stream applies them.`;

/** A column of a file that a table does not have: applied without it, its values would be lost. */
const unknownColumn = ({ columns }: LakeTable, batch: StagedBatch): string | undefined =>
  batch.columns?.find((name) => !columns.some((column) => column.name === name));

const ofNewer = (table: LakeTable, batch: StagedBatch) =>
  new FirnError(
    'newer_warehouse',
    `${batch.uri} has the column ${unknownColumn(table, batch)}, which ${table.name} does not have here: a newer firn staged it, or one with another extend. ` +
      'Upgrade firn on this machine, or give the stream its column back. It waits until then, and is applied by any firn that knows the column.',
  );

/**
 * Makes sure that every row of files is part of its table: an engine may take a file that is gone, or was cut, for one with fewer rows.
 *
 * @throws FirnError `contract` naming the file
 */
export async function assertHeld(engine: Engine, table: LakeTable, batches: readonly StagedBatch[]): Promise<void> {
  const rows = await engine.query<{ batch: bigint; held: bigint }>(
    `SELECT firn_batch AS batch, count(*) AS held FROM ${engine.name(keptName(table))}
     WHERE firn_batch IN (${batches.map(({ id }) => id).join(', ')}) GROUP BY firn_batch`,
  );
  const held = new Map(rows.map((row) => [Number(row.batch), Number(row.held)]));
  const short = batches.find(({ id, rows: wanted }) => held.get(id) !== wanted);
  if (!short) return;
  throw new FirnError(
    'contract',
    `${short.uri} holds ${short.rows} rows by the ledger, and ${held.get(short.id) ?? 0} of them are part of ${table.name}: the file is gone, is another one, or Trino does not see it yet; firn verify tells which. ` +
      'Restore it from a version or copy of the bucket; where it is right, keep no listings in the catalog of the stage (hive.file-status-cache-tables). Nothing behind it is applied to this table meanwhile.',
  );
}

/** As many of the first files as fit; at least one. */
function upTo(bytes: number, batches: readonly StagedBatch[]): StagedBatch[] {
  let sum = 0;
  return batches.filter((batch, i) => {
    sum += batch.bytes;
    return i === 0 || sum <= bytes;
  });
}
