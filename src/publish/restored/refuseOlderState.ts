import { FirnError } from '../../core/firnError.ts';
import { literal } from '../../core/text/sqlText.ts';
import type { PublishSource } from '../files/publishSource.ts';
import { newestManifest } from '../manifest.ts';
import { olderState } from './olderState.ts';

/**
 * A state that does not know the run which published the newest version is an older one, as one that was put back from a copy is. Until all that it
 * holds was read on, it would take from readers what came in between.
 *
 * @param configured gives the keys of what is read, by stream: of others nothing more comes; null where it may be anything that was read before
 * @throws FirnError `unavailable`
 */
export async function refuseOlderState(
  { folder, query }: PublishSource,
  configured: () => Promise<ReadonlyMap<string, readonly string[] | null>>,
): Promise<void> {
  const { before } = await newestManifest(folder);
  if (!before) return;
  const [known] = await query(`SELECT 1 FROM firn.run WHERE run_id = ${literal(before.run_id)}`);
  if (known) return;
  const keys = await configured();
  const behind = await query<{ stream: string; partition: string }>(
    `SELECT stream, "partition" FROM firn.checkpoint SEMI JOIN firn.load USING (stream, "partition")
     WHERE updated_at <= TIMESTAMP ${literal(before.published_at.replace('Z', ''))} ORDER BY ALL`,
  );
  const [first, ...others] = behind.filter(({ stream, partition }) => {
    const own = keys.get(stream);
    return own === null || own?.includes(partition);
  });
  if (!first) return;
  const more = others.length > 0 ? ` and ${others.length} more were` : ' was';
  throw new FirnError(
    'unavailable',
    `${olderState(folder, before)} ${first.stream} (${first.partition})${more} not read on since. Nothing was published; that version stays. ` +
      'Run "firn run", which reads again what came since and publishes it; what cannot be read any more, remove from the configuration.',
    { retryable: true },
  );
}
