import { FirnError } from '../../core/firnError.ts';
import type { Stage } from '../contract.ts';
import { openBucket } from './openBucket.ts';
import { openFolder } from './openFolder.ts';
import type { StageSettings } from './stageSettings.ts';

/**
 * Opens the stage; it is not asked anything yet.
 *
 * @throws FirnError `config`
 */
export async function openStage(settings: StageSettings): Promise<Stage> {
  const { uri } = settings;
  if (uri.startsWith('/')) return openFolder(uri);
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)(?:\/(.*?))?\/*$/.exec(uri) ?? [];
  if (bucket === undefined)
    throw new FirnError(
      'config',
      `stage is ${uri}. Write s3://bucket/prefix, or the path of a folder that all machines see.`,
    );
  return openBucket({ ...settings, bucket, prefix });
}
