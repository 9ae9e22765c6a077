import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { S3ServiceException } from '@aws-sdk/client-s3';
import { FirnError } from '../../core/firnError.ts';
import type { Stage } from '../contract.ts';
import { loadOptional } from '../loadOptional.ts';
import { fileName } from './fileName.ts';
import { changed, gone, taken } from './openFolder.ts';
import type { StageSettings } from './openStage.ts';

/** The version that the lock file of this package tests. */
const sdkVersion = '3.1169.0';
/** How often a request is sent at most: enough to outlast a bucket that says 503 for some seconds. */
const attempts = 8;

/**
 * A stage in a bucket of Amazon S3, or of a store that speaks its protocol.
 *
 * @param timeoutMs how long an answer is waited for before it is asked for again
 */
export async function openBucket(
  settings: StageSettings & { readonly bucket: string; readonly prefix: string },
  timeoutMs = 60_000,
): Promise<Stage> {
  const { bucket: Bucket, prefix, endpoint, region, accessKey, secretKey } = settings;
  const { S3, paginateListObjectsV2 } = await loadOptional(
    '@aws-sdk/client-s3',
    sdkVersion,
    () => import('@aws-sdk/client-s3'),
  );
  const client = new S3({
    maxAttempts: attempts,
    // Without it, an answer that never comes would be waited for as long as the lease is renewed.
    requestHandler: { connectionTimeout: 10_000, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true, region: region ?? 'us-east-1' }),
    ...(accessKey !== undefined &&
      secretKey !== undefined && { credentials: { accessKeyId: accessKey, secretAccessKey: secretKey } }),
  });
  const root = `s3://${Bucket}/${prefix === '' ? '' : `${prefix}/`}`;
  const keyOf = (uri: string) => uri.slice(`s3://${Bucket}/`.length);
  const ask = async <T>(what: string, request: Promise<T>): Promise<T> => {
    try {
      return await request;
    } catch (error) {
      throw bucketError(what, error as S3ServiceException);
    }
  };
  /** Puts an object unless its name is taken; false then. A put whose answer was lost looks like somebody else's: the caller compares. */
  const putOnce = async (uri: string, Body: Buffer, sha256: Buffer): Promise<boolean> => {
    for (let attempt = 1; ; attempt++) {
      try {
        await client.putObject({
          Bucket,
          Key: keyOf(uri),
          Body,
          IfNoneMatch: '*',
          ChecksumSHA256: sha256.toString('base64'),
          Metadata: { sha256: sha256.toString('hex') },
        });
        return true;
      } catch (error) {
        const { $metadata } = error as S3ServiceException;
        if ($metadata?.httpStatusCode === 412) return false;
        // Another put of the same name is under way.
        if ($metadata?.httpStatusCode === 409 && attempt < attempts) continue;
        throw bucketError(`write ${uri}`, error as S3ServiceException);
      }
    }
  };
  const read = async (name: string) => {
    try {
      const { Body } = await client.getObject({ Bucket, Key: keyOf(root + name) });
      return await Body?.transformToString();
    } catch (error) {
      if ((error as S3ServiceException).name === 'NoSuchKey') return undefined;
      throw bucketError(`read ${root}${name}`, error as S3ServiceException);
    }
  };
  return {
    root,
    async write(table, batch, file, rows) {
      const uri = root + fileName(table, batch);
      const content = await readFile(file);
      const hash = createHash('sha256').update(content).digest();
      const sha256 = hash.toString('hex');
      if (!(await putOnce(uri, content, hash))) {
        const { Metadata } = await ask(`read ${uri}`, client.headObject({ Bucket, Key: keyOf(uri) }));
        if (Metadata?.['sha256'] !== sha256) throw taken(uri);
      }
      return { table, uri, rows, bytes: content.length, sha256 };
    },
    async fetch({ uri, sha256 }, path) {
      const { Body } = await ask(`read ${uri}`, client.getObject({ Bucket, Key: keyOf(uri) }));
      const content = (await ask(`read ${uri}`, Body?.transformToByteArray() ?? Promise.resolve(undefined))) ?? '';
      const isOther = sha256 !== undefined && createHash('sha256').update(content).digest('hex') !== sha256;
      if (isOther) throw changed(uri);
      await writeFile(path, content);
    },
    async remove(uris) {
      for (let at = 0; at < uris.length; at += 1000) {
        const Objects = uris.slice(at, at + 1000).map((uri) => ({ Key: keyOf(uri) }));
        const { Errors = [] } = await ask(
          `remove files of ${root}`,
          client.deleteObjects({ Bucket, Delete: { Objects, Quiet: true } }),
        );
        const [first] = Errors;
        if (first)
          throw new FirnError(
            'unavailable',
            `Could not remove ${first.Key}: ${first.Message}. Workers try again later.`,
            { retryable: true },
          );
      }
    },
    async *list() {
      const pages = paginateListObjectsV2({ client }, { Bucket, Prefix: keyOf(root) })[Symbol.asyncIterator]();
      for (;;) {
        const { value, done } = await ask(`list ${root}`, pages.next());
        if (done) return;
        for (const { Key = '', LastModified } of value.Contents ?? [])
          yield { uri: `s3://${Bucket}/${Key}`, writtenAt: LastModified?.getTime() ?? 0 };
      }
    },
    read,
    async claim(name, text) {
      await putOnce(root + name, Buffer.from(text), createHash('sha256').update(text).digest());
      return (await read(name)) ?? text;
    },
  };
}

/** What an error of the bucket means. Requests were already sent again where that could help. */
function bucketError(what: string, error: S3ServiceException): FirnError {
  const status = error.$metadata?.httpStatusCode;
  const said = `Could not ${what}: ${status === undefined ? '' : `${status} `}${error.name}, ${error.message}.`;
  if (status === 403 || status === 401 || error.name === 'CredentialsProviderError')
    return new FirnError(
      'unauthorized',
      `${said} The key needs GetObject, PutObject, DeleteObject and ListBucket there.`,
      { cause: error },
    );
  if (error.name === 'NoSuchBucket')
    return new FirnError('config', `${said} Make the bucket, or correct stage.`, { cause: error });
  if (error.name === 'NoSuchKey') return gone(said, error);
  return new FirnError('unavailable', `${said} Nothing was committed of it: workers go on when the bucket answers.`, {
    cause: error,
    retryable: true,
  });
}
