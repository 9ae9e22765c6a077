import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, lstat, open, readFile, rm, writeFile } from 'node:fs/promises';
import { type Dispatcher, request } from 'undici';
import { FirnError } from '../../core/firnError.ts';
import type { Log } from '../../core/log.ts';
import { decideRetry, defaultRetryPolicy, type RetryPolicy } from '../../core/requests/retry.ts';
import { renameDurably } from '../../disk/durable.ts';
import { statusError, transportError } from '../answers/answerError.ts';
import { type Clock, systemClock } from '../clock.ts';
import { byProxy } from '../connections/proxyOf.ts';
import { interruption, throwIfAborted } from '../interruption.ts';
import { serverLimits } from '../limits/serverLimits.ts';
import { createDownloadGuard, type DownloadGuard, type DownloadPlaces, type Resolve } from './downloadGuard.ts';

export interface DownloadOptions {
  readonly url: string;
  /** Which places are trusted; any other must have a public address. */
  readonly places: DownloadPlaces;
  /** Where the whole file ends up. Until then it is `<file>.part`, from which a later download goes on. */
  readonly file: string;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  readonly log?: Log | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** How names are looked up. Default: as the system does. */
  readonly resolve?: Resolve;
  /** Told of the bytes there are, and of how many there will be where the server says so. */
  readonly progress?: ((bytes: number, total: number | null) => void) | undefined;
}

export interface Downloaded {
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

const redirectsAllowed = 5;
const timeouts = { connect: 10_000, headers: 60_000, idle: 60_000 };

/**
 * Downloads a file of a signed URL to disk as it comes: no key and no other header of a source goes there. What breaks off
 * is taken up where it ended, in this call or a later one, as long as the server still has the same file (its ETag says).
 *
 * @throws FirnError `refused` when the URL, or a redirect, leads to a place that is neither public nor trusted · `not_found`
 *   when the URL is not valid, or has expired: context.status · `contract` for a file above `maxBytes` · `unavailable`, `interrupted` ·
 *   errors of the file system as they are
 */
export async function download(options: DownloadOptions): Promise<Downloaded> {
  const { clock = systemClock, random = Math.random, signal } = options;
  const policy = { ...defaultRetryPolicy, ...options.retry };
  const guard = createDownloadGuard(options.places, timeouts.connect, options.resolve);
  try {
    for (let attempt = 1, had = -1; ; attempt++) {
      throwIfAborted(signal);
      try {
        return await attemptDownload(options, guard, clock.now);
      } catch (error) {
        if (signal?.aborted) throw interruption(signal);
        if (!(error instanceof FirnError)) throw error;
        // An attempt that got further starts the count anew: a long file over a poor line comes in pieces.
        const has = await sizeOf(partOf(options.file));
        if (has > had) attempt = 1;
        had = Math.max(has, had);
        const decision = decideRetry(error, attempt, random(), { policy, idempotent: true });
        if ('stop' in decision) throw error;
        const { waitMs } = decision;
        const { origin } = new URL(options.url);
        options.log?.warn({ code: error.code, origin, attempt, waitMs: Math.round(waitMs), bytes: has }, error.message);
        await clock.sleep(waitMs, signal);
      }
    }
  } finally {
    await guard.close();
  }
}

const partOf = (file: string) => `${file}.part`;
/** Names the version of the file that the part belongs to. */
const etagOf = (file: string) => `${file}.part.etag`;

async function attemptDownload(options: DownloadOptions, guard: DownloadGuard, now: () => number): Promise<Downloaded> {
  const { file, maxBytes, signal } = options;
  const part = partOf(file);
  const etag = (await sizeOf(etagOf(file))) > 0 ? await readFile(etagOf(file), 'utf8') : '';
  const have = etag === '' ? 0 : await sizeOf(part);
  const { response, asked } = await ask(options, guard, have > 0 ? { from: have, etag } : undefined);
  try {
    const changed = changeOf(response, have, etag);
    if (changed) {
      await forget(file);
      throw again(`${asked} ${changed}`);
    }
    const { statusCode: status, headers } = response;
    if (status === 401 || status === 403 || status === 404 || status === 410) throw gone(asked, status);
    if (status !== 200 && status !== 206)
      throw statusError(asked, { status, headers, text: '' }, serverLimits(headers, now()));
    const offset = status === 206 ? have : 0;
    const total = totalOf(response);
    if (total !== null && total > maxBytes) throw tooLarge(asked, `${total}`, maxBytes);
    if (offset === 0) await begin(file, headers['etag']);
    const hash = createHash('sha256');
    if (offset > 0) await hashFile(part, hash);
    const bytes = await append({ ...options, asked }, response.body, { offset, total, hash });
    throwIfAborted(signal);
    if (total !== null && bytes !== total)
      throw new FirnError('unavailable', `${asked} broke off at ${bytes} of ${total} bytes.`, { retryable: true });
    await renameDurably(part, file);
    await rm(etagOf(file), { force: true });
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    discard(response);
  }
}

type Head = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>;

/** How an answer shows that the file is another than the one of which a part is there; undefined where it does not. */
function changeOf({ statusCode, headers }: Head, have: number, etag: string): string | undefined {
  if (statusCode === 416) return `has nothing after byte ${have}, so the file has changed.`;
  const isSame = headers['etag'] === undefined || headers['etag'] === etag;
  if (statusCode !== 206 || (Number(rangeOf(headers)?.[1]) === have && isSame)) return undefined;
  return 'continued with a different file than it began with.';
}

/** Bytes of the whole file; null where the server does not say. */
function totalOf({ statusCode, headers }: Head): number | null {
  const length = statusCode === 206 ? rangeOf(headers)?.[2] : headers['content-length'];
  return length === undefined || length === '*' ? null : Number(length);
}

const rangeOf = (headers: Head['headers']) =>
  /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(String(headers['content-range'] ?? ''));

/** Sends the request, following redirects: there is no key that could go along. */
async function ask(
  { url, signal }: DownloadOptions,
  guard: DownloadGuard,
  resume: { from: number; etag: string } | undefined,
): Promise<{ response: Dispatcher.ResponseData; asked: string }> {
  let target = new URL(url);
  for (let redirects = 0; ; redirects++) {
    // The query holds the signature: no message shows it.
    const asked = `GET ${target.origin}${target.pathname}${byProxy(target)}`;
    const dispatcher = guard.agentFor(target);
    let response: Dispatcher.ResponseData;
    try {
      response = await request(target, {
        dispatcher,
        headers: {
          accept: '*/*',
          // The bytes as they are stored: sizes, ranges and the hash speak of those.
          'accept-encoding': 'identity',
          'user-agent': 'firn',
          ...(resume && { range: `bytes=${resume.from}-`, 'if-range': resume.etag }),
        },
        signal: signal ?? null,
        headersTimeout: timeouts.headers,
        bodyTimeout: timeouts.idle,
      });
    } catch (error) {
      throw error instanceof FirnError ? error : transportError(asked, error);
    }
    const location = response.headers['location'];
    if (![301, 302, 303, 307, 308].includes(response.statusCode) || typeof location !== 'string')
      return { response, asked };
    discard(response);
    const next = URL.canParse(location, target.href) ? new URL(location, target) : undefined;
    if (!next || !/^https?:$/.test(next.protocol) || redirects === redirectsAllowed)
      throw new FirnError(
        'refused',
        `${asked} redirects ${redirects === redirectsAllowed ? 'too often' : 'to something that is not a web address'}. Report it to the operator of the source.`,
      );
    target = next;
  }
}

/** Nobody wants the rest of the body, nor its errors. */
function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => {}).destroy();
}

/** Only a strong ETag names bytes; without one the file is started over after a break. */
async function begin(file: string, etag: string | string[] | undefined): Promise<void> {
  await forget(file);
  if (typeof etag === 'string' && !etag.startsWith('W/')) await writeFile(etagOf(file), etag);
}

async function append(
  { file, maxBytes, asked, progress }: DownloadOptions & { asked: string },
  body: AsyncIterable<Buffer>,
  { offset, total, hash }: { offset: number; total: number | null; hash: Hash },
): Promise<number> {
  const handle: FileHandle = await open(partOf(file), 'a');
  let bytes = offset;
  let failed: unknown;
  try {
    for await (const chunk of networkErrors(body, asked)) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(asked, `more than ${maxBytes}`, maxBytes);
      hash.update(chunk);
      await handle.writeFile(chunk);
      progress?.(bytes, total);
    }
  } catch (error) {
    failed = error;
  }
  // What came before a break counts: the next attempt goes on from there.
  await handle.sync().finally(() => handle.close());
  if (failed !== undefined) throw failed;
  return bytes;
}

/** The pieces of a body; its errors as sentences. Errors of the disk stay what they are. */
async function* networkErrors(body: AsyncIterable<Buffer>, asked: string): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw transportError(asked, error);
  }
}

async function hashFile(file: string, hash: Hash): Promise<void> {
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
}

async function forget(file: string): Promise<void> {
  await rm(etagOf(file), { force: true });
  await rm(partOf(file), { force: true });
}

/** 0 where there is no regular file: a link in its place may lead anywhere, and is not written through. */
async function sizeOf(file: string): Promise<number> {
  const found = await lstat(file).catch(() => undefined);
  return found?.isFile() ? found.size : 0;
}

const again = (what: string) =>
  new FirnError('unavailable', `${what} It is downloaded again from its beginning.`, { retryable: true });

const gone = (asked: string, status: number) =>
  new FirnError('not_found', `${asked} answered ${status}: the download URL has expired or is not valid.`, {
    context: { status },
  });

const tooLarge = (asked: string, size: string, most: number) =>
  new FirnError(
    'contract',
    `${asked} is a file of ${size} bytes, and at most ${most} are taken. Raise --max-bytes, or ask for fewer days at once.`,
    { context: { reason: 'too_large' } },
  );
