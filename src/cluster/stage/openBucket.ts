import { hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { sha256File } from '../../disk/sha256File.ts';
import type { Stage } from '../contract.ts';
import { loadOptional } from '../loadOptional.ts';
import { fileName } from './fileName.ts';
import { StageBucket } from './stageBucket.ts';
import { changed, taken, unseen } from './stageErrors.ts';
import type { StageSettings } from './stageSettings.ts';

/** The version that the lock file of this package tests. */
const sdkVersion = '3.1169.0';

/**
 * A stage in a bucket of Amazon S3, or of a store that speaks its protocol.
 *
 * @param timeoutMs how long nothing may come or go before it is asked for again
 */
export async function openBucket(
  settings: StageSettings & { readonly bucket: string; readonly prefix: string },
  timeoutMs = 60_000,
): Promise<Stage> {
  const sdk = await loadOptional('@aws-sdk/client-s3', sdkVersion, () => import('@aws-sdk/client-s3'));
  const bucket = new StageBucket(sdk, settings.bucket, settings, timeoutMs);
  const root = `s3://${settings.bucket}/${settings.prefix === '' ? '' : `${settings.prefix}/`}`;
  return {
    root,
    async write(table, batch, file, rows) {
      const uri = root + fileName(table, batch);
      const content = await readFile(file);
      const hash = sha256Of(content);
      const sha256 = hash.toString('hex');
      if (!(await bucket.putOnce(uri, content, hash)) && (await bucket.sha256Of(uri)) !== sha256) throw taken(uri);
      return { table, uri, rows, bytes: content.length, sha256 };
    },
    async fetch({ uri, sha256 }, path) {
      await writeFile(path, bucket.bytesOf(uri));
      if (sha256 !== undefined && (await sha256File(path)) !== sha256) throw changed(uri);
    },
    remove: (uris) => bucket.remove(root, uris),
    list: () => bucket.list(root),
    read: (name) => bucket.textOf(root + name),
    async claim(name, text) {
      const isNew = await bucket.putOnce(root + name, Buffer.from(text), sha256Of(text));
      const claimed = await bucket.textOf(root + name);
      if (claimed === undefined && !isNew) throw unseen(root + name);
      return claimed ?? text;
    },
  };
}

const sha256Of = (content: string | Uint8Array): Buffer => hash('sha256', content, 'buffer');
