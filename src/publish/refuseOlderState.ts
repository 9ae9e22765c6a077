import { FirnError } from '../core/firnError.ts';
import { literal, ofPartition } from '../core/sqlText.ts';
import { newestManifest } from './manifest.ts';
import { olderState } from './olderState.ts';
import type { PublishSource } from './publishSource.ts';

interface Unread {
  readonly stream: string;
  readonly partition: string;
}

/**
 * A state that does not know the run which published the newest version, and read nothing since, is an older one, as one that was put back from a
 * copy is. It would take from readers what came in between.
 *
 * @param unread what the run could not read, which matters if it was read before that version; undefined where the run did not read at all
 * @throws FirnError `failed`, or `unavailable` where the next run may read it
 */
export async function refuseOlderState({ folder, query }: PublishSource, unread?: readonly Unread[]): Promise<void> {
  const { before } = await newestManifest(folder);
  if (!before) return;
  const published = `TIMESTAMP ${literal(before.published_at.replace('Z', ''))}`;
  const [known] = await query(`SELECT 1 FROM firn.run WHERE run_id = ${literal(before.run_id)}`);
  if (known) return;
  const older = olderState(folder, before);
  const stays = 'Nothing was published; that version stays.';
  if (unread) {
    const [behind] = await query<{ stream: string; partition: string }>(
      `SELECT stream, "partition" FROM firn.checkpoint WHERE updated_at <= ${published}
       AND (${unread.map(({ stream, partition }) => ofPartition(stream, partition)).join(' OR ')}) LIMIT 1`,
    );
    if (!behind) return;
    throw new FirnError(
      'unavailable',
      `${older} ${behind.stream} (${behind.partition}) could not be read since. ${stays} The next run that reads it publishes; ` +
        'if it is not to be read any more, remove it from the configuration.',
      { retryable: true },
    );
  }
  const [read] = await query(`SELECT 1 FROM firn.load WHERE committed_at > ${published} LIMIT 1`);
  if (!read)
    throw new FirnError(
      'failed',
      `${older} ${stays} Run "firn run", which reads again what came since and publishes it.`,
    );
}
