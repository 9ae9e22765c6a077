import { FirnError } from '../core/firnError.ts';
import type { RowSet } from '../core/rowSet.ts';
import { Rows } from '../core/rows.ts';
import { type Declared, type Partition, type Position, partitionKey } from '../core/stream.ts';
import { ownColumn } from '../core/table.ts';
import { positionText, readCheckpoint } from './checkpoints.ts';
import { nextLoadId } from './nextLoadId.ts';
import { resolveRead, resolveSentRight, writeQuarantine } from './quarantine.ts';
import type { Transaction } from './transaction.ts';
import type { Warehouse } from './warehouse.ts';
import {
  prepareWrites,
  type ReadyWrite,
  type RowCounts,
  type Write,
  withRows,
  writeRevisions,
  writeRows,
} from './writeRows.ts';

/** A record that could not be read, whole, with the reason. */
export interface Quarantined {
  readonly record: string;
  readonly reason: string;
}

/** A member that the schema does not know, with one value as JSON. */
export interface MemberExample {
  readonly member: string;
  readonly example: string;
}

/** Rows of one or more pages on their way into the warehouse. */
export interface Batch {
  readonly sets: readonly RowSet[];
  readonly quarantined: readonly Quarantined[];
  /** Entries of the quarantine whose records are among the rows now. */
  readonly replayed?: readonly bigint[];
  readonly unknown: readonly MemberExample[];
  /** Keys that a lookup asked for, with what came of each. */
  readonly lookups?: readonly { readonly key: string; readonly outcome: string }[];
  /** Positions that the source does not have, both ends included. */
  readonly gaps?: readonly { readonly from: number; readonly to: number }[];
  /** Records read, good and bad. */
  readonly records: number;
  readonly pages: number;
  readonly bytes: number;
  /** The first request, for the load row. */
  readonly request: string;
  /** Milliseconds since the epoch: when the newest answer was asked for. */
  readonly fetchedAt: number;
}

export interface Commit<Of = BatchFacts> {
  readonly stream: Declared;
  readonly partition: Partition;
  readonly runId: string;
  readonly batch: Of;
  /** The checkpoint that the read began from, and the one to make durable; the same where it does not move. */
  readonly from: Position | null;
  readonly to: Position | null;
  /** HTTP requests that were sent for it, where that is known. */
  readonly requests?: number | undefined;
  /** Key of the checkpoint, where it is not the partition's own: a backfill has one beside it. */
  readonly checkpointKey?: string | undefined;
}

export interface Committed extends RowCounts {
  readonly loadId: number;
}

/** A batch without its rows. */
export type BatchFacts = Omit<Batch, 'sets'>;

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
  { values: shared }: Partition,
  batch: Batch,
  rewrite = false,
): ReadyBatch {
  const { sets, ...facts } = batch;
  const { table } = stream;
  // Rows that are told apart by a number alone are replaced together: how many there are is what was read last. Of tables with
  // history, the other versions of a row stay.
  const key = table.key.filter((name) => name !== 'position');
  const by = table.columns.some(({ name }) => name === '_valid_from') ? [...key, '_valid_from'] : key;
  const own: Write = { table, parts: sets.map((set) => set.own), shared, by, rewrite };
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
  return writeLoad(tx, commit, async (loadId) => {
    if (own) await withRows(tx, own, (rows) => resolveSentRight(tx, commit, rows));
    if (revisions && own) {
      const { fetchedAt } = batch;
      await writeRevisions(tx, own, { table: revisions, current: stream.table, fetchedAt }, loadId);
    }
    return writeRows(tx, batch.writes, loadId, stream.table.name);
  });
}

/**
 * Runs `write` as one load inside the open transaction: with the quarantined records, the checkpoint and the load row.
 *
 * @param write puts the rows into the tables
 */
export async function writeLoad(
  tx: Transaction,
  commit: Commit,
  write: (loadId: number) => Promise<RowCounts>,
): Promise<Committed> {
  const { stream, partition, batch } = commit;
  const key = partitionKey(partition);
  const { checkpointKey = key } = commit;
  await assertCheckpoint(tx, stream.id, checkpointKey, commit.from);
  const loadId = await nextLoadId(tx);
  const written = await write(loadId);
  await resolveRead(tx, batch.replayed ?? []);
  await writeQuarantine(tx, commit, loadId, batch.quarantined);
  await writeSchemaChanges(tx, loadId, stream.id, batch.unknown);
  for (const { key: asked, outcome } of batch.lookups ?? []) {
    await tx.run('INSERT INTO firn.lookup VALUES ($1, $2, $3, $4, $5)', [
      stream.id,
      key,
      asked,
      outcome,
      BigInt(loadId),
    ]);
  }
  for (const { from, to } of batch.gaps ?? []) {
    await tx.run('INSERT INTO firn.gap VALUES ($1, $2, $3, $4, $5)', [
      stream.id,
      key,
      BigInt(from),
      BigInt(to),
      BigInt(loadId),
    ]);
  }
  if (commit.to) await writeCheckpoint(tx, loadId, stream.id, checkpointKey, commit.to);
  await writeLoadRow(tx, loadId, key, written, commit);
  return { loadId, ...written };
}

async function writeLoadRow(
  tx: Transaction,
  loadId: number,
  key: string,
  { rows, childRows }: RowCounts,
  commit: Commit,
): Promise<void> {
  const { stream, batch, runId, from, to } = commit;
  await tx.run(
    'INSERT INTO firn.load VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now()::TIMESTAMP, $13, $14)',
    [
      BigInt(loadId),
      runId,
      stream.id,
      key,
      batch.request,
      batch.pages,
      BigInt(batch.records),
      BigInt(rows + childRows),
      BigInt(batch.quarantined.length),
      BigInt(batch.bytes),
      positionText(from),
      positionText(to),
      commit.requests === undefined ? null : BigInt(commit.requests),
      BigInt(childRows),
    ],
  );
}

async function assertCheckpoint(
  tx: Transaction,
  stream: string,
  key: string,
  expected: Position | null,
): Promise<void> {
  const found = await readCheckpoint(tx, stream, key);
  if (positionText(found) === positionText(expected)) return;
  throw new FirnError(
    'locked',
    `The checkpoint of ${stream} (${key}) is ${positionText(found)}, this read began at ${positionText(expected)}: ` +
      'something else wrote it meanwhile. Nothing of this batch was committed; run again.',
    { retryable: true },
  );
}

async function writeCheckpoint(
  tx: Transaction,
  loadId: number,
  stream: string,
  key: string,
  to: Position,
): Promise<void> {
  await tx.run('DELETE FROM firn.checkpoint WHERE stream = $1 AND "partition" = $2', [stream, key]);
  await tx.run('INSERT INTO firn.checkpoint VALUES ($1, $2, $3, $4, now()::TIMESTAMP)', [
    stream,
    key,
    positionText(to),
    BigInt(loadId),
  ]);
}

async function writeSchemaChanges(
  tx: Transaction,
  loadId: number,
  stream: string,
  unknown: readonly MemberExample[],
): Promise<void> {
  if (unknown.length === 0) return;
  const rows = new Rows(changeColumns);
  for (const [member, { example }] of new Map(unknown.toReversed().map((met) => [met.member, met])))
    rows.append({ member, example });
  await tx.offer(changeColumns, [rows], (from) =>
    tx.run(
      `INSERT INTO firn.schema_change SELECT $1, new.member, new.example, $2, now()::TIMESTAMP FROM ${from} AS new
       WHERE NOT EXISTS (SELECT 1 FROM firn.schema_change AS old WHERE old.stream = $1 AND old.member = new.member)`,
      [stream, BigInt(loadId)],
    ),
  );
}

const changeColumns = [ownColumn('member', 'varchar'), ownColumn('example', 'varchar')];
