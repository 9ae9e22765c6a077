import type { Stage } from '../contract.ts';
import type { Control } from '../ledger/control.ts';
import { aheadOf } from '../ledger/controlClock.ts';
import { batchOf, unloadFolder } from './fileName.ts';

/** How long files stay that nobody needs any more, in milliseconds: longer than any commit, or any query that still reads them. */
const graceMs = 6 * 3_600_000;
/** Files looked up in the ledger at once. */
const atOnce = 1000;

/**
 * Removes files that no commit names (a worker was killed between writing and committing, or was fenced), files that the engine applied, memory
 * that a newer read replaced, and what an engine unloaded; all of them only once they are old. No number of a file that is there is given to a batch again.
 *
 * @returns how many
 */
export async function sweepStage(control: Control, stage: Stage): Promise<number> {
  // Listed twice: there may be more than this machine can hold.
  let [newest, highest] = [0, 0];
  for await (const { uri, writtenAt } of stage.list()) {
    newest = Math.max(newest, writtenAt);
    highest = Math.max(highest, batchOf(stage.root, uri) ?? 0);
  }
  // To a machine whose clock is ahead a new file would look old, and so it would where the store's own clock is behind: it is later there than its newest file.
  const now = Math.min(Date.now() + (await aheadOf(control)), newest);
  let removed = 0;
  let old: string[] = [];
  const sweep = async () => {
    const kept = await control.query<{ uri: string }>(
      `SELECT uri FROM firn.batch_file WHERE uri = ANY($1::text[])
         AND (applied_at IS NULL OR applied_at > clock_timestamp() - $2 * interval '1 millisecond')
       UNION ALL SELECT file ->> 'uri' FROM firn.part, jsonb_array_elements(memory) AS file WHERE file ->> 'uri' = ANY($1::text[])`,
      [old, graceMs],
    );
    const needed = new Set(kept.map(({ uri }) => uri));
    const gone = old.filter((uri) => !needed.has(uri));
    await stage.remove(gone);
    removed += gone.length;
    old = [];
  };
  for await (const { uri, writtenAt } of stage.list()) {
    const isUnloaded = uri.startsWith(stage.root + unloadFolder);
    const isOurs = isUnloaded || batchOf(stage.root, uri) !== undefined || uri.endsWith('.unfinished');
    if (!isOurs || writtenAt > now - graceMs) continue;
    old.push(uri);
    if (old.length === atOnce) await sweep();
  }
  await sweep();
  // A control database that was restored from a backup would give numbers again that rows of the lake may have.
  await control.query(`SELECT setval('firn.batch_id', $1) FROM firn.batch_id WHERE last_value < $1`, [highest]);
  return removed;
}
