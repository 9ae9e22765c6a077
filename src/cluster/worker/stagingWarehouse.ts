import { rm } from 'node:fs/promises';
import { FirnError } from '../../core/firnError.ts';
import { type Partition, type Position, partitionKey, type Stream } from '../../core/stream.ts';
import { positionText } from '../../load/checkpoints.ts';
import type { Warehouse } from '../../load/warehouse.ts';
import type { Lease, Ledger, Stage } from '../contract.ts';
import { type ExportedBatch, exportBatch } from './exportBatch.ts';

/** What a lease is read for, and where its batches go. */
interface Of {
  readonly stream: Stream;
  readonly partition: Partition;
  readonly lease: Lease;
  readonly ledger: Ledger;
  readonly stage: Stage;
}

/**
 * A warehouse as the drivers of a sync know it, of which each batch goes to the stage and the ledger. The batch is written into a database
 * of this machine first, by the same code as anywhere, taken out of it as Parquet, and taken back: the columns are those of one machine.
 *
 * @param scratch holds nothing of other leases
 * @throws FirnError `locked` from `write` and what it gives: the lease is another worker's, or the cursor moved
 */
export async function stagingWarehouse(
  scratch: Warehouse,
  { stream, partition, lease, ledger, stage }: Of,
): Promise<Warehouse> {
  const key = partitionKey(partition);
  const goOnFrom = (position: Position | null) =>
    scratch.transaction(async (tx) => {
      await tx.run('DELETE FROM firn.checkpoint');
      if (position !== null)
        await tx.run('INSERT INTO firn.checkpoint VALUES ($1, $2, $3, 0, now()::TIMESTAMP)', [
          stream.id,
          key,
          positionText(position),
        ]);
    });
  await goOnFrom(lease.cursor);
  let cursor = lease.cursor;
  let last: Promise<void> = Promise.resolve();

  const publish = async (id: number, from: Position | null, { to, files, notes, ends }: ExportedBatch) => {
    try {
      const staged = [];
      for (const { table, path, rows } of files) staged.push(await stage.write(table, id, path, rows));
      if ((await ledger.commit(lease, { id, from, to, files: staged, notes, ends })) === 'ok') return;
      throw new FirnError(
        'locked',
        `The lease of ${stream.id} (${key}) ran out and another worker has it, or read on. Nothing of this batch was committed.`,
        { retryable: true },
      );
    } finally {
      for (const { path } of files) await rm(path, { force: true });
    }
  };

  return {
    ...scratch,
    async write(_read, _bytes, work) {
      // One batch goes out while the next one is written, and no more lie on this disk.
      await last;
      const id = await ledger.nextBatch();
      const from = cursor;
      const first = (from?.['next'] as number | undefined) ?? lease.range?.first;
      const { value, batch } = await scratch.transaction(async (tx) => {
        const value = await work(tx);
        return { value, batch: await exportBatch(tx, { stream, partition, id, folder: scratch.folder, first }) };
      }, false);
      cursor = batch.to;
      await goOnFrom(cursor);
      const durable = publish(id, from, batch);
      last = durable;
      // Who does not wait for it learns it from the next batch.
      durable.catch(() => {});
      return { value, durable };
    },
    commit: () => last.catch(() => {}),
  };
}
