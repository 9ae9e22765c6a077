import { FirnError } from '../../core/firnError.ts';
import type { Stage } from '../contract.ts';
import { openBucket } from './openBucket.ts';
import { openFolder } from './openFolder.ts';

/** Where batches lie, and how it is reached where the machine's own settings do not say. */
export interface StageSettings {
  /** `s3://bucket/prefix`, or the absolute path of a folder that all machines see. */
  readonly uri: string;
  /** Of a store that is not Amazon's. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly accessKey?: string | undefined;
  readonly secretKey?: string | undefined;
}

/**
 * Opens the stage; it is not asked anything yet.
 *
 * @throws FirnError `config`
 */
export async function openStage(settings: StageSettings): Promise<Stage> {
  const { uri } = settings;
  if (uri.startsWith('/')) return openFolder(uri);
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)(?:\/(.*?))?\/*$/.exec(uri) ?? [];
  if (bucket === undefined) {
    throw new FirnError(
      'config',
      `stage is ${uri}. Write s3://bucket/prefix, or the path of a folder that all machines see.`,
    );
  }
  return openBucket({ ...settings, bucket, prefix });
}
