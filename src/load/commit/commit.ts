import { ownColumn, type Table } from '../../core/columns/table.ts';
import { FirnError } from '../../core/firnError.ts';
import { Rows } from '../../core/rows/rows.ts';
import { type Partition, partitionKey } from '../../core/stream/partition.ts';
import type { Declared } from '../../core/stream/stream.ts';
import type { Transaction } from '../database/transaction.ts';
import type { Warehouse } from '../state/warehouse.ts';
import type { Batch, BatchFacts, Commit, MemberExample } from './batch.ts';
import { begunBy } from './begun.ts';
import { positionOf, positionText } from './checkpoints.ts';
import { keepRead } from './keepRead.ts';
import { foundAgain, loadStatements } from './loadStatements.ts';
import { lookBefore, type StateBefore } from './lookBefore.ts';
import { resolveCorrected, resolveRead, writeQuarantine } from './quarantine.ts';
import { writeRevisions } from './writeRevisions.ts';
import { prepareWrites, type ReadyWrite, type RowCounts, type Write, withRows, writeRows } from './writeRows.ts';

export interface Committed extends RowCounts {
  readonly loadId: number;
}

/** A batch whose rows are ready to be written. */
export interface ReadyBatch extends BatchFacts {
  readonly writes: readonly ReadyWrite[];
}

/**
 * Makes the rows of a batch ready to be written.
 *
 * @param rewrite whether rows count as new even where they equal what is there, so that models build them again
 */
export function prepareBatch(
  stream: Declared,
  { values: shared, lookback }: Partition,
  batch: Batch,
  rewrite = false,
): ReadyBatch {
  const { sets, ...facts } = batch;
  const { table } = stream;
  // Rows that are told apart by a number alone are replaced together: the last read says how many there are. In tables with
  // history, the other versions of a row stay. Where rows are read again at every sync, a page with a part of a block takes none of the others away.
  const key = lookback === undefined || rewrite ? table.key.filter((name) => name !== 'position') : table.key;
  const by = table.columns.some(({ name }) => name === '_valid_from') ? [...key, '_valid_from'] : key;
  const own: Write = { table, parts: sets.map((set) => set.own), shared, by, rewrite, from: batch.holdsFrom };
  const ofChildren = Object.entries(stream.children).map(([name, child]): Write => {
    const parts = sets.map((set) => set.children[name] as Rows);
    return child.write === 'union'
      ? { table: child.table, parts, shared, by: child.table.key, rewrite }
      : { table: child.table, parts, shared, by, rewrite, parent: own };
  });
  return { ...facts, writes: prepareWrites([own, ...ofChildren]) };
}

/**
 * Commits a batch: rows, child rows, quarantined records, the checkpoint and the load row, all in one transaction of its own.
 * Rows are merged by key, so that a page read twice leaves one row.
 *
 * @throws FirnError `locked` when the checkpoint is not the one the read began from
 * @throws FirnError `disk` when the disk is full; the instance is dead then: open the warehouse again
 */
export function commitBatch(warehouse: Warehouse, commit: Commit<Batch>): Promise<Committed> {
  const ready = { ...commit, batch: prepareBatch(commit.stream, commit.partition, commit.batch) };
  return warehouse.transaction((tx) => writeBatch(tx, ready));
}

/** Writes a batch that was made ready inside the open transaction, as `commitBatch` says. */
export function writeBatch(tx: Transaction, commit: Commit<ReadyBatch>): Promise<Committed> {
  const { stream, batch } = commit;
  const { revisions } = stream;
  const own = batch.writes.find(({ table }) => table === stream.table);
  const write = async ({ loadId, isAwaiting, met }: StateBefore) => {
    const { fetchedAt, replayed = [] } = batch;
    const keeping = {
      table: revisions as Table,
      current: stream.table,
      fetchedAt,
      isReplayed: replayed.length > 0,
      isWholePage: batch.pages === 1 && batch.quarantined.length === 0,
    };
    const kept = revisions && own ? await writeRevisions(tx, own, keeping, loadId) : undefined;
    const writes = kept?.isNews === false ? batch.writes.filter((one) => one !== own) : batch.writes;
    const written = await keepRead(tx, stream, writes, { loadId, met }, () =>
      writeRows(tx, writes, { loadId, met, own: stream.table.name }),
    );
    if (own && isAwaiting) await withRows(tx, own, (rows) => resolveCorrected(tx, commit, rows));
    // They may change verdicts: the load brought something.
    const { again = 0, withdrawn } = kept ?? {};
    const rows = written.rows + (withdrawn?.rows ?? 0);
    return { ...written, rows, childRows: written.childRows + again, ...(withdrawn && { withdrawn }) };
  };
  return writeLoad(tx, commit, write, batch.writes);
}

/**
 * Runs `write` as one load inside the open transaction: with the quarantined records, the checkpoint and the load row. A later read
 * that brought nothing is no load: `firn.load` does not grow with every look at a quiet source.
 *
 * @param write puts the rows into the tables
 * @param writes what it writes where rows of the same keys may lie
 */
export async function writeLoad(
  tx: Transaction,
  commit: Commit,
  write: (before: StateBefore) => Promise<RowCounts>,
  writes: readonly ReadyWrite[] = [],
): Promise<Committed> {
  const { stream, partition, batch } = commit;
  const key = partitionKey(partition);
  const { checkpointKey = key } = commit;
  const ranges = writes.map(({ table, range }) => ({ table: table.name, range }));
  const before = await lookBefore(tx, { stream: stream.id, partition: key, checkpointKey, ranges });
  const { loadId } = before;
  assertCheckpoint(commit, checkpointKey, before.position);
  const written = await write(before);
  await resolveRead(tx, batch.replayed ?? []);
  await writeQuarantine(tx, commit, loadId, batch.quarantined);
  const changes = await writeSchemaChanges(tx, loadId, stream.id, batch.unknown);
  const begun = newBegin(commit, before);
  const found = before.hasGaps ? foundAgain(commit, key, writes) : [];
  const noted = { loadId, key, checkpointKey, written, begun, found };
  const isQuiet = before.wasRead && begun === undefined && changes === 0 && broughtNothing(commit, written);
  if (!isQuiet) await tx.run(loadStatements(commit, noted).join(';\n'));
  return { loadId, ...written };
}

/**
 * From where on a partition is read, where that is not noted: of what was dropped and is asked for again it tells so, also where nothing came. What was
 * read before anything was noted began where its position says, whatever is configured by now.
 */
function newBegin({ begin }: Commit, { position, begun }: StateBefore): string | undefined {
  const isNoted = position === null ? begun === begin : begun !== null;
  if (isNoted || begin === undefined) return undefined;
  return (position === null ? undefined : begunBy(JSON.parse(position))) ?? begin;
}

const broughtNothing = ({ batch, from, to }: Commit, { rows, childRows }: RowCounts): boolean =>
  positionText(from) === positionText(to) &&
  rows + childRows === 0 &&
  [batch.quarantined, batch.replayed, batch.lookups, batch.gaps].every((notes = []) => notes.length === 0);

function assertCheckpoint({ stream, from }: Commit, key: string, found: string | null): void {
  const expected = positionText(from);
  if (positionText(positionOf(found)) === expected) return;
  throw new FirnError(
    'locked',
    `The checkpoint of ${stream.id} (${key}) is ${found}, this read began at ${expected}: ` +
      'something else wrote it meanwhile. Nothing of this batch was committed; run again.',
    { retryable: true },
  );
}

/** Notes members that the schema does not know, each once. Gives how many are new. */
async function writeSchemaChanges(
  tx: Transaction,
  loadId: number,
  stream: string,
  unknown: readonly MemberExample[],
): Promise<number> {
  if (unknown.length === 0) return 0;
  const rows = new Rows(changeColumns);
  for (const [member, { example }] of new Map(unknown.toReversed().map((met) => [met.member, met])))
    rows.append({ member, example });
  return tx.offer(changeColumns, [rows], (from) =>
    tx.run(
      `INSERT INTO firn.schema_change SELECT $1, new.member, new.example, $2, now()::TIMESTAMP FROM ${from} AS new
       WHERE NOT EXISTS (SELECT 1 FROM firn.schema_change AS old WHERE old.stream = $1 AND old.member = new.member)`,
      [stream, BigInt(loadId)],
    ),
  );
}

const changeColumns = [ownColumn('member', 'varchar'), ownColumn('example', 'varchar')];
