import { rm } from 'node:fs/promises';
import { FirnError } from '../../core/firnError.ts';
import { type Partition, type Position, partitionKey, type Stream } from '../../core/stream.ts';
import type { Transaction } from '../../load/transaction.ts';
import type { Warehouse } from '../../load/warehouse.ts';
import type { Lease, Ledger, Stage } from '../contract.ts';
import { noteGroups } from './changedGroups.ts';
import { checkpointOf } from './checkpointOf.ts';
import { type ExportedBatch, type ExportedFile, exportBatch, memoryOf } from './exportBatch.ts';
import { recall } from './recall.ts';
import { meetsAgain } from './remembered.ts';

/** What a lease is read for, and where its batches go. */
interface Of {
  readonly stream: Stream;
  readonly partition: Partition;
  readonly lease: Lease;
  readonly ledger: Ledger;
  readonly stage: Stage;
}

/** A slow list gathers this much first: a file and a transaction for each of its pages would be too dear. A kill costs no more than this. */
const gathers = { bytes: 32e6, ms: 45_000 };

/**
 * A warehouse as the drivers of a sync know it, whose batches go to the stage and the ledger. A batch is first written into a database
 * of this machine, by the same code as elsewhere, and exported from it as Parquet: so it has the columns of one machine.
 *
 * @param scratch is emptied of what other leases left there
 * @throws FirnError `locked` from what is written and what it gives: the lease is another worker's, or the cursor moved
 */
export async function stagingWarehouse(
  scratch: Warehouse,
  { stream, partition, lease, ledger, stage }: Of,
): Promise<Warehouse> {
  const key = partitionKey(partition);
  await recall(scratch, { stream, lease, ledger, stage });
  // The part that stands for a divided partition has no cursor of its own: it is where its stretches were joined.
  const isDivided = stream.way === 'range' && !lease.range;
  // What is read beside new rows compares with nothing: it reads rows in order to replace them.
  const again = meetsAgain(stream) && !lease.beside ? { stream, partition } : undefined;
  let cursor = lease.cursor;
  let reserved: number | undefined;
  let last: Promise<void> = Promise.resolve();

  const publish = async (id: number, from: Position | null, batch: ExportedBatch) => {
    const { to, files, memory, notes, resolved, ends } = batch;
    const put = async (all: readonly ExportedFile[], tableOf = (table: string) => table) => {
      const staged = [];
      for (const { table, path, rows } of all)
        staged.push({ ...(await stage.write(tableOf(table), id, path, rows)), table });
      return staged;
    };
    try {
      const commit = {
        id,
        from: isDivided ? null : from,
        to: isDivided ? null : to,
        files: await put(files),
        memory: memory && (await put(memory, memoryOf)),
        notes,
        resolved,
        ends,
      };
      if ((await ledger.commit(lease, commit)) === 'ok') return;
      throw new FirnError(
        'locked',
        `The lease of ${stream.id} (${key}) ran out and another worker has it, or read on. Nothing of this batch was committed.`,
        { retryable: true },
      );
    } finally {
      for (const { path } of [...files, ...(memory ?? [])]) await rm(path, { force: true });
    }
  };

  /** Does work on the scratch database and sends the load that it made, if it made one. */
  const inBatch = async <T>(work: (tx: Transaction) => Promise<T>) => {
    // One batch is sent while the next one is written; no more than these two lie on this disk.
    await last;
    reserved ??= await ledger.nextBatch();
    const id = reserved;
    const first = isDivided ? undefined : ((cursor?.['next'] as number | undefined) ?? lease.range?.first);
    const { value, batch } = await scratch.transaction(async (tx) => {
      // A load takes the number above the highest, which makes it the batch's.
      await tx.run(
        `DELETE FROM firn.load WHERE stream = ''; INSERT INTO firn.load (load_id, run_id, stream, "partition", pages, rows_in, rows_written, rows_quarantined,
           bytes, committed_at) VALUES (${id - 1}, '', '', '', 0, 0, 0, 0, 0, now()::TIMESTAMP)`,
      );
      if (again) await noteGroups(tx, again.stream);
      const value = await work(tx);
      const loads = await tx.query(`SELECT 1 FROM firn.load WHERE load_id = ${id}`);
      if (loads.length === 0) return { value };
      return {
        value,
        batch: await exportBatch(tx, {
          stream,
          id,
          folder: scratch.folder,
          first,
          again,
          checkpointKey: checkpointOf(lease),
        }),
      };
    });
    if (!batch) return { value, durable: Promise.resolve() };
    const from = cursor;
    reserved = undefined;
    cursor = batch.to;
    const durable = publish(id, from, batch);
    last = durable;
    // Whoever does not wait for it learns of it from the next batch.
    durable.catch(() => {});
    return { value, durable };
  };

  return {
    ...scratch,
    gathers,
    write: (_read, _bytes, work) => inBatch(work),
    async transaction(work) {
      const { value, durable } = await inBatch(work);
      await durable;
      return value;
    },
    commit: () => last.catch(() => {}),
  };
}
