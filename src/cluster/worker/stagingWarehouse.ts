import { checkpointKeyOf } from '../../core/stream/checkpointKey.ts';
import type { Position } from '../../core/stream/partition.ts';
import { literal } from '../../core/text/sqlText.ts';
import type { Written } from '../../load/database/sharedTransaction.ts';
import type { Transaction } from '../../load/database/transaction.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { againName } from '../engine/lakeTable.ts';
import { noteGroups } from './changedGroups.ts';
import { type ExportedBatch, exportBatch } from './exportBatch.ts';
import { loadSql, recall } from './recall.ts';
import { meetsAgain } from './remembered.ts';
import { type StagedRead, sendBatch } from './sendBatch.ts';

/** A slow list gathers this much first: a file and a transaction for each of its pages would be too dear. A kill costs no more than this. */
const gathers = { bytes: 32e6, ms: 45_000 };

/**
 * A warehouse as the drivers of a sync know it, whose batches go to the stage and the ledger. A batch is first written into a database
 * of this machine, by the same code as elsewhere, and exported from it as Parquet: so it has the columns of one machine.
 *
 * @param scratch is emptied of what other leases left there
 * @throws FirnError `locked` from what is written and what it gives: the lease is another worker's, or the cursor moved
 */
export async function stagingWarehouse(scratch: Warehouse, read: StagedRead): Promise<Warehouse> {
  await recall(scratch, read);
  const { stream, lease, ledger } = read;
  // Stretches are made by a look, and cursors move by loads; where a divided range stands, it may not be read yet.
  const isKnown = lease.range !== undefined || (stream.way !== 'range' && lease.cursor !== null);
  const wasRead = isKnown || (await ledger.wasRead(lease));
  const batches = new StagedBatches(scratch, read, wasRead);
  return {
    ...scratch,
    gathers,
    write: (_read, _bytes, work) => batches.write(work),
    async transaction(work) {
      const { value, durable } = await batches.write(work);
      await durable;
      return value;
    },
    commit: () => batches.sent().catch(() => {}),
  };
}

/** The batches of a lease, one after the other. */
class StagedBatches {
  readonly #scratch: Warehouse;
  readonly #read: StagedRead;
  /** The part that stands for a divided partition has no cursor of its own: it is where its stretches were joined. */
  readonly #isDivided: boolean;
  /** Whether the partition has a load: where it has, what brings nothing is none. */
  #wasRead: boolean;
  #cursor: Position | null;
  #last: Promise<void> = Promise.resolve();

  constructor(scratch: Warehouse, read: StagedRead, wasRead: boolean) {
    this.#scratch = scratch;
    this.#read = read;
    this.#isDivided = read.stream.way === 'range' && !read.lease.range;
    this.#wasRead = wasRead;
    this.#cursor = read.lease.cursor;
  }

  /** Ends when the last one is committed; throws what it failed with. */
  sent(): Promise<void> {
    return this.#last;
  }

  /** Does work on the scratch database and sends the load that it made, if it made one. */
  async write<T>(work: (tx: Transaction) => Promise<T>): Promise<Written<T>> {
    // One batch is sent while the next one gathers; no other lies on this disk.
    await this.#last;
    const { ledger } = this.#read;
    const id = await ledger.nextBatch();
    const { value, batch } = await this.#scratch.transaction((tx) =>
      this.#export({ ...tx, recordsOf: (ids) => ledger.records(ids) }, id, work),
    );
    if (!batch) return { value, durable: Promise.resolve() };
    const [from, to] = this.#isDivided ? [null, null] : [this.#cursor, batch.to];
    this.#cursor = batch.to;
    this.#wasRead = true;
    const durable = sendBatch(this.#read, batch, { id, from, to });
    this.#last = durable;
    // Whoever does not wait for it learns of it from the next batch.
    durable.catch(() => {});
    return { value, durable };
  }

  /** Whether its rows are to take the place of others: a record in quarantine may be one of a position that was read again. */
  async #replaces(): Promise<boolean> {
    const { stream, ledger, replacing } = this.#read;
    return replacing?.isOn || (this.#isDivided && (await ledger.wasReadAgain(againName(stream.table.name))));
  }

  async #export<T>(
    tx: Transaction,
    id: number,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<{ readonly value: T; readonly batch?: ExportedBatch }> {
    const { stream, partition, lease } = this.#read;
    // What is read beside new rows compares with nothing: it reads rows in order to replace them.
    const again = meetsAgain(stream) && !lease.beside ? { stream, partition } : undefined;
    const first = this.#isDivided ? undefined : ((this.#cursor?.['next'] as number | undefined) ?? lease.range?.first);
    // A load takes the number above the highest, which makes it the batch's.
    const of = this.#wasRead ? [lease.stream, lease.partition].map(literal).join(', ') : `'', ''`;
    await tx.run(`DELETE FROM firn.load WHERE stream = ''; ${loadSql(`SELECT ${id - 1} AS _load_id`, of)}`);
    if (again) await noteGroups(tx, again.stream);
    const value = await work(tx);
    const loads = await tx.query(`SELECT 1 FROM firn.load WHERE load_id = ${id}`);
    if (loads.length === 0) return { value };
    const replacing = (await this.#replaces()) ? { without: [], ...this.#read.replacing } : undefined;
    const folder = this.#scratch.folder;
    const checkpointKey = checkpointKeyOf(lease.partition, lease.beside?.name);
    return { value, batch: await exportBatch(tx, { stream, id, folder, first, again, replacing, checkpointKey }) };
  }
}
