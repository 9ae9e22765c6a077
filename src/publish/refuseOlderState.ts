import { FirnError } from '../core/firnError.ts';
import { literal } from '../core/sqlText.ts';
import { stateFile } from '../load/stateFile.ts';
import { newestManifest } from './manifest.ts';
import type { PublishSource } from './publishSource.ts';

/**
 * A state that does not know the run which published the newest version, and read nothing since, is an older one, as one that was put back from a
 * copy is. It would take from readers what came in between.
 *
 * @throws FirnError `failed`
 */
export async function refuseOlderState({ folder, query }: PublishSource): Promise<void> {
  const { before } = await newestManifest(folder);
  if (!before) return;
  const [known] = await query(
    `SELECT 1 FROM firn.run WHERE run_id = ${literal(before.run_id)}
     UNION ALL SELECT 1 FROM firn.load WHERE committed_at > TIMESTAMP ${literal(before.published_at.replace('Z', ''))} LIMIT 1`,
  );
  if (known) return;
  throw new FirnError(
    'failed',
    `The state ${stateFile(folder)} is older than version ${before.version}, published ${before.published_at}, as where it was put back from a copy. ` +
      'Nothing was published; that version stays. Run "firn run", which reads again what came since and publishes it.',
  );
}
