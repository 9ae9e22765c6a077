import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Stage } from '../../../src/cluster/contract.ts';
import { openBucket } from '../../../src/cluster/stage/openBucket.ts';
import { openStage } from '../../../src/cluster/stage/openStage.ts';
import { listening } from '../../listening.ts';
import { temporary } from '../../temporaryFolders.ts';
import { listed } from './listed.ts';
import { type Bucket, startBucket, store } from './store.ts';

/** A stage in a store that does as it is told, and waits a second for a sign of it. */
async function stageAt(answer: RequestListener, timeoutMs = 1000) {
  const { url: endpoint, close } = await listening(createServer(answer));
  onTestFinished(close);
  return openBucket({ uri: '', endpoint, accessKey: 'a', secretKey: 'b', bucket: 'b', prefix: '' }, timeoutMs);
}

test('a large file may be on its way for longer than an answer is waited for', { tags: 'long' }, async () => {
  const stage = await stageAt((asked, answer) => {
    let bytes = 0;
    asked.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // What the systems between hold back at the end is seen by nobody.
      if (bytes > 40e6) return;
      asked.pause();
      setTimeout(() => asked.resume(), 4);
    });
    asked.on('end', () => answer.end());
  });
  const file = join(await temporary(), 'large');
  await writeFile(file, Buffer.alloc(60e6));
  expect(await stage.write('raw.x', 1, file, 1)).toMatchObject({ bytes: 60e6 });
});

test('an answer that stops halfway is given up', { tags: 'long' }, async () => {
  const stage = await stageAt((_, answer) => {
    answer.writeHead(200, { 'content-length': '100' });
    answer.write('half');
  });
  const to = join(await temporary(), 'half');
  await expect(stage.fetch({ uri: 's3://b/x' }, to)).rejects.toMatchObject({ code: 'unavailable', retryable: true });
});

test('a file is written as it comes, and never held as a whole', async () => {
  const to = join(await temporary(), 'large');
  const stage = await stageAt((_, answer) => {
    answer.writeHead(200, { 'content-length': '2000000' });
    answer.write(Buffer.alloc(1e6));
    const written = vi.waitUntil(() => existsSync(to) && statSync(to).size > 0, { timeout: 4000 });
    written.then(
      () => answer.end(Buffer.alloc(1e6)),
      () => answer.destroy(),
    );
  }, 60_000);
  await stage.fetch({ uri: 's3://b/x' }, to);
  expect(statSync(to).size).toBe(2e6);
});

test.each([
  ['a token that is over', 400, 'ExpiredToken', 'unauthorized', /Renew the credentials/],
  ['a secret that is another one', 403, 'SignatureDoesNotMatch', 'unauthorized', /Correct accessKey and secretKey/],
  ['a key that is none', 403, 'InvalidAccessKeyId', 'unauthorized', /Correct accessKey and secretKey/],
  ['a key that may not read', 403, 'AccessDenied', 'unauthorized', /The key needs GetObject/],
  ['a clock that is far off', 403, 'RequestTimeTooSkewed', 'unauthorized', /the time from the network/],
  ['a store without conditional writes', 501, 'NotImplemented', 'config', /takes conditional writes/],
  ['another region', 400, 'AuthorizationHeaderMalformed', 'config', /correct stage/],
])('of %s it is told what to do, and not to wait', async (_, status, name, code, message) => {
  const stage = await stageAt((_asked, answer) => {
    answer.writeHead(status, { 'content-type': 'application/xml' });
    answer.end(`<Error><Code>${name}</Code><Message>No.</Message></Error>`);
  });
  await expect(stage.read('x')).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});

test('files that the bucket keeps in spite of it are told', async () => {
  const stage = await stageAt((_asked, answer) => {
    answer.writeHead(200, { 'content-type': 'application/xml' });
    answer.end(
      '<DeleteResult><Error><Key>x/1.parquet</Key><Code>No</Code><Message>It is locked</Message></Error></DeleteResult>',
    );
  });
  await expect(stage.remove(['s3://b/x/1.parquet'])).rejects.toMatchObject({
    code: 'unavailable',
    message: 'Could not remove x/1.parquet: It is locked. Workers try again later.',
  });
});

test('a machine that has no key for the bucket is told so', async () => {
  const none = {
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  };
  for (const [name, value] of Object.entries(none)) vi.stubEnv(name, value);
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE']) vi.stubEnv(name, undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const stage = await openStage({ uri: 's3://bucket/x', endpoint: 'http://127.0.0.1:1' });
  await expect(stage.read('x')).rejects.toMatchObject({ code: 'unauthorized' });
});

test("a mark that is there and is not found for a moment is nobody's", async () => {
  const stage = await stageAt(({ method }, answer) => {
    answer.writeHead(method === 'PUT' ? 412 : 404, { 'content-type': 'application/xml' });
    answer.end(
      `<Error><Code>${method === 'PUT' ? 'PreconditionFailed' : 'NoSuchKey'}</Code><Message>No.</Message></Error>`,
    );
  });
  await expect(stage.claim('mark', 'own')).rejects.toMatchObject({ code: 'unavailable', retryable: true });
});

test('a bucket of Amazon whose region nobody named is a matter of the configuration', async () => {
  vi.stubEnv('AWS_REGION', undefined);
  vi.stubEnv('AWS_CONFIG_FILE', '/dev/null');
  onTestFinished(() => void vi.unstubAllEnvs());
  const stage = await openStage({ uri: 's3://bucket/x', accessKey: 'a', secretKey: 'b' });
  await expect(stage.read('x')).rejects.toMatchObject({ code: 'config', message: expect.stringContaining('region') });
});

test.skipIf(store !== undefined)(
  'a bucket is tried where versitygw is installed, by firn cluster up or in PATH',
  ({ skip }) => {
    skip('versitygw is not installed here');
  },
);

describe.skipIf(store === undefined)('a stage in a bucket', () => {
  let bucket: Bucket;
  let stage: Stage;
  let file: string;
  let batch = 0;
  beforeAll(async () => {
    bucket = await startBucket();
    stage = await openStage(bucket.settings);
    file = join(await temporary(), 'batch.parquet');
  });
  afterAll(() => bucket.close());
  beforeEach(async () => {
    bucket.meddle = () => false;
    bucket.lose = () => false;
    batch++;
    await writeFile(file, `rows ${batch}`);
  });
  const write = () => stage.write('raw.node_blocks', batch, file, 3);
  const inStore = (uri: string) => readFile(join(bucket.folder, uri.slice('s3://'.length)), 'utf8');

  test('a file is kept under its name, listed, brought back and removed', async () => {
    const staged = await write();
    expect(staged).toMatchObject({ uri: `s3://bucket/a prefix/node_blocks/${batch}.parquet`, rows: 3, bytes: 6 });
    expect(await inStore(staged.uri)).toBe(`rows ${batch}`);
    const [found] = await listed(stage);
    expect(found?.uri).toBe(staged.uri);
    expect(Math.abs((found?.writtenAt ?? 0) - Date.now())).toBeLessThan(3_600_000);
    const back = join(await temporary(), 'back');
    await stage.fetch(staged, back);
    expect(await readFile(back, 'utf8')).toBe(`rows ${batch}`);
    await expect(stage.fetch({ ...staged, sha256: '00' }, back)).rejects.toMatchObject({ code: 'contract' });
    await stage.remove([staged.uri]);
    await stage.remove([staged.uri]);
    expect(await listed(stage)).toEqual([]);
    await expect(stage.fetch(staged, back)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('the same file again is there, another one of its name is refused and changes nothing', async () => {
    const staged = await write();
    expect(await write()).toEqual(staged);
    await writeFile(file, 'others');
    await expect(write()).rejects.toMatchObject({ code: 'contract', message: expect.stringContaining('Two ledgers') });
    expect(await inStore(staged.uri)).not.toBe('others');
  });

  test('a put whose answer was lost is asked again, and its own file is no other', async () => {
    let lost = 0;
    bucket.lose = ({ method }) => method === 'PUT' && lost++ === 0;
    const staged = await write();
    expect(lost).toBe(2);
    expect(await inStore(staged.uri)).toBe(`rows ${batch}`);
  });

  test('of ten that claim a name at once all see what one of them said', async () => {
    expect(await stage.read('warehouse')).toBeUndefined();
    const said = await Promise.all(Array.from({ length: 10 }, (_, i) => stage.claim('warehouse', `id ${i}`)));
    expect(new Set(said).size).toBe(1);
    expect(await stage.read('warehouse')).toBe(said[0]);
  });

  test('more files than one answer lists are listed, each once, and removed', { tags: 'long' }, async () => {
    const other = await openStage({ ...bucket.settings, uri: 's3://bucket/many' });
    const folder = join(bucket.folder, 'bucket', 'many', 'node_blocks');
    await mkdir(folder, { recursive: true });
    const names = Array.from({ length: 1003 }, (_, i) => `${i}.parquet`);
    await Promise.all(names.map((name) => writeFile(join(folder, name), '')));
    const found = (await listed(other)).map(({ uri }) => uri);
    expect(found.sort()).toEqual(names.map((name) => `s3://bucket/many/node_blocks/${name}`).sort());
    await other.remove(found);
    expect(await listed(other)).toEqual([]);
  });

  test.each([
    ['says 503', 503, 'SlowDown'],
    ['says 500', 500, 'InternalError'],
    ['wants another try', 429, 'TooManyRequests'],
  ])('a bucket that %s for a while is waited for', { tags: 'long' }, async (_, status, name) => {
    let refused = 0;
    bucket.meddle = (_request, response) => {
      if (refused >= 3) return false;
      refused++;
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(`<Error><Code>${name}</Code><Message>later</Message></Error>`);
      return true;
    };
    const staged = await write();
    expect(refused).toBe(3);
    expect(await inStore(staged.uri)).toBe(`rows ${batch}`);
  });

  test.each([
    ['a quota that is used up', 403, 'QuotaExceeded'],
    ['a store that is full', 507, 'XMinioStorageFull'],
    ['one that says so in other words', 507, 'NoSpace'],
  ])('%s is no wrong key', async (_, status, name) => {
    bucket.meddle = ({ method }, response) => {
      if (method !== 'PUT') return false;
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(`<Error><Code>${name}</Code><Message>No more.</Message></Error>`);
      return true;
    };
    await expect(write()).rejects.toMatchObject({
      code: 'unavailable',
      retryable: true,
      message: expect.stringMatching(/, No more\. The bucket.* Make room/),
    });
  });

  test('a connection that breaks, and an answer that takes its time, change nothing', async () => {
    let asked = 0;
    bucket.meddle = async (_request, response) => {
      asked++;
      if (asked === 1) {
        response.destroy();
        return true;
      }
      await new Promise((wait) => setTimeout(wait, 300));
      return false;
    };
    const staged = await write();
    expect(asked).toBeGreaterThanOrEqual(2);
    expect(await inStore(staged.uri)).toBe(`rows ${batch}`);
  });

  test('an answer that never comes is asked for again', async () => {
    const impatient = await openBucket({ ...bucket.settings, bucket: 'bucket', prefix: 'impatient' }, 200);
    let asked = 0;
    bucket.meddle = () => asked++ === 0;
    expect(await impatient.claim('id', 'text')).toBe('text');
    expect(asked).toBeGreaterThanOrEqual(3);
  });

  test('what a user has to mend is told', async () => {
    const other = async (more: object) => (await openStage({ ...bucket.settings, ...more })).read('x');
    await expect(other({ secretKey: 'another' })).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(other({ uri: 's3://no-such-bucket/x' })).rejects.toMatchObject({ code: 'config' });
  });
});
