import { mapAtOnce } from '../../transform/mapAtOnce.ts';
import type { Engine, LakeTable, Ledger, StagedBatch } from '../contract.ts';

/** Files of one commit: a commit costs about a second, whatever is in it. */
const bytesAtOnce = 128 * 1024 * 1024;
const filesAtOnce = 1_000;
/** Tables at once: most of the time of a commit nobody computes anything. */
const tablesAtOnce = 3;

/**
 * Makes what was staged part of its tables, many batches a commit, some tables at once and each by one process. A process that is killed before it
 * notes what it applied leaves it to the next one, for which it is a no-op.
 *
 * @param tableOf the table of a name; undefined for one that this version does not know, which stays for one that does
 * @param due which tables are applied: those of which so much waits, or for so long; all where it is left out
 * @returns rows that were new, by table
 */
export async function applyPending(
  engine: Engine,
  ledger: Pick<Ledger, 'pendingTables' | 'pending' | 'applied' | 'alone'>,
  tableOf: (name: string) => LakeTable | undefined,
  due?: Parameters<Ledger['pendingTables']>[0],
): Promise<Map<string, number>> {
  const inserted = new Map<string, number>();
  await mapAtOnce(await ledger.pendingTables(due), tablesAtOnce, async (name) => {
    const table = tableOf(name);
    if (!table) return;
    await ledger.alone(`apply ${name}`, async () => {
      await engine.ensureTable(table);
      for (let left = await ledger.pending(name, filesAtOnce); left.length > 0; ) {
        const batches = upTo(bytesAtOnce, left);
        const applied = await engine.apply(name, batches);
        await ledger.applied(
          name,
          batches.map(({ id }) => id),
        );
        inserted.set(name, (inserted.get(name) ?? 0) + applied.inserted);
        left = await ledger.pending(name, filesAtOnce);
      }
    });
  });
  return inserted;
}

/** The first files that together are no larger; one at least. */
function upTo(bytes: number, batches: readonly StagedBatch[]): StagedBatch[] {
  let sum = 0;
  return batches.filter((batch, i) => {
    sum += batch.bytes;
    return i === 0 || sum <= bytes;
  });
}
