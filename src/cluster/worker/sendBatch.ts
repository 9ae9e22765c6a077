import { rm } from 'node:fs/promises';
import type { Partition } from '../../core/stream/partition.ts';
import type { Stream } from '../../core/stream/stream.ts';
import type { Lease, Ledger, LedgerCommit, Note, Stage } from '../contract.ts';
import { assertOk } from './assertOk.ts';
import { type ExportedBatch, type ExportedFile, memoryOf } from './exportBatch.ts';
import type { Replacing } from './replacing.ts';

/** What a lease is read for, and where its batches go. */
export interface StagedRead {
  readonly stream: Stream;
  readonly partition: Partition;
  readonly lease: Lease;
  readonly ledger: Ledger;
  readonly stage: Stage;
  /** Left out: only rows of positions that were never read. */
  readonly replacing?: Replacing | undefined;
  /** Records in quarantine that are replayed; left out where all that wait are only told apart from what is read. */
  readonly waiting?: readonly Note[] | undefined;
}

/**
 * Puts the files of a batch on the stage and commits it; they are gone from this machine then.
 *
 * @throws FirnError `locked`: the lease is another worker's, or the cursor moved
 */
export async function sendBatch(
  { lease, ledger, stage }: StagedRead,
  { files, memory, notes, resolved, ends }: ExportedBatch,
  at: Pick<LedgerCommit, 'id' | 'from' | 'to'>,
): Promise<void> {
  const put = async (all: readonly ExportedFile[], tableOf = (table: string) => table) => {
    const staged = [];
    for (const { table, path, rows, columns } of all)
      staged.push({ ...(await stage.write(tableOf(table), at.id, path, rows)), table, ...(columns && { columns }) });
    return staged;
  };
  try {
    const commit = {
      ...at,
      files: await put(files),
      memory: memory && (await put(memory, memoryOf)),
      notes,
      resolved,
      ends,
    };
    assertOk(await ledger.commit(lease, commit), lease);
  } finally {
    for (const { path } of [...files, ...(memory ?? [])]) await rm(path, { force: true });
  }
}
