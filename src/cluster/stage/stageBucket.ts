import type { Readable } from 'node:stream';
import type { S3, S3ServiceException } from '@aws-sdk/client-s3';
import { FirnError } from '../../core/firnError.ts';
import { type Advices, adviceOn } from '../../core/text/adviceOn.ts';
import { gone } from './stageErrors.ts';
import type { StageSettings } from './stageSettings.ts';

type Sdk = typeof import('@aws-sdk/client-s3');

/** How often a request is sent at most: enough to outlast a bucket that says 503 for some seconds. */
const attempts = 8;

/**
 * The objects of a bucket by their URIs. Its errors say what they mean for a stage. Its name is no member of a request: TypeScript 7.0 writes such a
 * member under another name, and the store then misses it.
 */
export class StageBucket {
  readonly #sdk: Sdk;
  readonly #client: S3;
  readonly #name: string;

  constructor(sdk: Sdk, name: string, settings: Omit<StageSettings, 'uri'>, timeoutMs: number) {
    const { endpoint, region, accessKey, secretKey } = settings;
    this.#sdk = sdk;
    this.#name = name;
    this.#client = new sdk.S3({
      maxAttempts: attempts,
      // Without it, an answer that never comes, or stops halfway, would be waited for as long as the lease is renewed. A large file may take its time.
      requestHandler: { connectionTimeout: 10_000, socketTimeout: timeoutMs },
      ...(region !== undefined && { region }),
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true, region: region ?? 'us-east-1' }),
      ...(accessKey !== undefined &&
        secretKey !== undefined && { credentials: { accessKeyId: accessKey, secretAccessKey: secretKey } }),
    });
  }

  /** Puts an object unless its name is taken; false then. A put whose answer was lost looks like somebody else's: the caller compares. */
  async putOnce(uri: string, Body: Buffer, sha256: Buffer): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#client.putObject({
          ...this.#at(uri),
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
  }

  /** What `putOnce` noted of an object. */
  async sha256Of(uri: string): Promise<string | undefined> {
    const { Metadata } = await ask(`read ${uri}`, this.#client.headObject(this.#at(uri)));
    return Metadata?.['sha256'];
  }

  /** Its bytes as they come: an object may be larger than memory. */
  async *bytesOf(uri: string): AsyncGenerator<Uint8Array> {
    try {
      const { Body } = await this.#client.getObject(this.#at(uri));
      // In Node it is a stream.
      yield* Body as Readable;
    } catch (error) {
      throw bucketError(`read ${uri}`, error as S3ServiceException);
    }
  }

  /** Its text; undefined where there is no such object. */
  async textOf(uri: string): Promise<string | undefined> {
    try {
      const { Body } = await this.#client.getObject(this.#at(uri));
      return await Body?.transformToString();
    } catch (error) {
      if ((error as S3ServiceException).name === 'NoSuchKey') return undefined;
      throw bucketError(`read ${uri}`, error as S3ServiceException);
    }
  }

  /** @param root which the objects lie below */
  async remove(root: string, uris: readonly string[]): Promise<void> {
    for (let at = 0; at < uris.length; at += 1000) {
      const Objects = uris.slice(at, at + 1000).map((uri) => ({ Key: this.#at(uri).Key }));
      const { Errors = [] } = await ask(
        `remove files of ${root}`,
        this.#client.deleteObjects({ Bucket: this.#name, Delete: { Objects, Quiet: true } }),
      );
      const [first] = Errors;
      if (first)
        throw new FirnError(
          'unavailable',
          `Could not remove ${first.Key}: ${first.Message}. Workers try again later.`,
          { retryable: true },
        );
    }
  }

  async *list(root: string) {
    const of = { Bucket: this.#name, Prefix: this.#at(root).Key };
    const pages = this.#sdk.paginateListObjectsV2({ client: this.#client }, of)[Symbol.asyncIterator]();
    for (;;) {
      const { value, done } = await ask(`list ${root}`, pages.next());
      if (done) return;
      for (const { Key = '', LastModified } of value.Contents ?? [])
        yield { uri: `s3://${this.#name}/${Key}`, writtenAt: LastModified?.getTime() ?? 0 };
    }
  }

  #at(uri: string) {
    return { Bucket: this.#name, Key: uri.slice(`s3://${this.#name}/`.length) };
  }
}

async function ask<T>(what: string, request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw bucketError(what, error as S3ServiceException);
  }
}

/** A token that is over, for which some say 400. */
const tokenIsOver = /^(Expired|InvalidToken|TokenRefresh)/;

/** What to do about refusals, by their names. */
const refusals: Advices = [
  [tokenIsOver, 'Renew the credentials, and start firn with them again.'],
  [/^RequestTimeTooSkewed$/, 'Let this machine take the time from the network.'],
  [
    /^(SignatureDoesNotMatch|InvalidAccessKeyId)$/,
    'Correct accessKey and secretKey of stage, or the AWS credentials of this machine.',
  ],
];

/** What a key that is refused otherwise lacks. */
const rights = 'The key needs GetObject, PutObject, DeleteObject and ListBucket there.';

/** What an error of the bucket means. Requests were already sent again where that could help. */
function bucketError(what: string, error: S3ServiceException): FirnError {
  const status = error.$metadata?.httpStatusCode;
  const said = `Could not ${what}: ${status === undefined ? '' : `${status} `}${error.name}, ${error.message.replace(/\.$/, '')}.`;
  // A quota that is used up is a 403 to some, and a full store a 507.
  if (status === 507 || /Quota|StorageFull|InsufficientStorage/i.test(error.name))
    return new FirnError(
      // No disk of this machine: workers go on once there is room.
      'unavailable',
      `${said} The bucket is full, or its quota is used up. Make room, or raise the quota: what the lake has of it firn removes by itself six hours later. Nothing was committed of it; workers go on when there is room.`,
      { cause: error, retryable: true },
    );
  if (tokenIsOver.test(error.name) || status === 403 || status === 401 || error.name === 'CredentialsProviderError') {
    const advice = adviceOn(error.name, refusals) ?? rights;
    return new FirnError('unauthorized', `${said} ${advice}`, { cause: error });
  }
  if (
    /^(NoSuchBucket|AuthorizationHeaderMalformed|PermanentRedirect)$/.test(error.name) ||
    /^Region is missing/.test(error.message)
  )
    return new FirnError('config', `${said} Make the bucket, or correct stage: its name, endpoint and region.`, {
      cause: error,
    });
  if (status === 501)
    return new FirnError('config', `${said} firn needs a store that takes conditional writes (If-None-Match).`, {
      cause: error,
    });
  if (error.name === 'NoSuchKey') return gone(said, error);
  return new FirnError('unavailable', `${said} Nothing was committed of it: workers go on when the bucket answers.`, {
    cause: error,
    retryable: true,
  });
}
