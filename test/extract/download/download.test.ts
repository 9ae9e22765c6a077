import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type DownloadOptions, download } from '../../../src/extract/download/download.ts';
import { publicLookup, type Resolve } from '../../../src/extract/download/downloadGuard.ts';
import { temporary } from '../../temporaryFolders.ts';
import { fakeClock } from '../fakeClock.ts';
import { type Answer, localServer } from '../localServer.ts';

const whole = Buffer.from(Array.from({ length: 50_000 }, (_, i) => i % 251));
const sha256 = createHash('sha256').update(whole).digest('hex');
const etag = '"one"';
/** Another file of the same length. */
const other = whole.map((byte) => byte ^ 1);

/** Answers like a file store: whole, or the rest that a range asks for. */
function serve(response: ServerResponse, range: string | undefined, headers: Record<string, string> = { etag }): void {
  const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
  if (from === 0) response.writeHead(200, { ...headers, 'content-length': whole.length }).end(whole);
  else {
    const rest = {
      'content-range': `bytes ${from}-${whole.length - 1}/${whole.length}`,
      'content-length': whole.length - from,
    };
    response.writeHead(206, { ...headers, ...rest }).end(whole.subarray(from));
  }
}

/** Bytes that are in the file. */
let written: number;

/** Sends the beginning and breaks the connection. */
function breakOff(
  response: ServerResponse,
  bytes: number,
  headers: Record<string, string> = { etag },
  content: Uint8Array = whole,
): void {
  response.writeHead(200, { ...headers, 'content-length': whole.length });
  response.write(content.subarray(0, bytes));
  // What has not come to the file when the connection breaks is asked for again.
  void vi.waitUntil(() => written >= bytes, { timeout: 60_000 }).then(() => response.destroy());
}

async function fetched(answer: Answer, options: Partial<DownloadOptions> = {}) {
  const server = await localServer(answer);
  const file = options.file ?? join(await temporary(), 'file');
  const url = `${server.url}/exports/file.csv?signature=very-secret`;
  const places = { origin: server.url, hosts: ['127.0.0.1'] };
  written = 0;
  const progress = (bytes: number) => {
    written = bytes;
  };
  const get = () => download({ url, places, file, maxBytes: 1e6, retry: { baseMs: 1 }, progress, ...options });
  return { server, file, get };
}

test('downloads a file whole, with its hash, and asks with no header of a source', async () => {
  const largest = { maxBytes: whole.length };
  const { server, file, get } = await fetched((response) => serve(response, undefined), largest);
  expect(await get()).toEqual({ bytes: whole.length, sha256 });
  expect((await readFile(file)).equals(whole)).toBe(true);
  expect(existsSync(`${file}.part`) || existsSync(`${file}.part.etag`)).toBe(false);
  expect(Object.keys(server.received[0]?.headers ?? {}).sort()).toEqual(
    ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'].sort(),
  );
});

test('goes on where the connection broke', async () => {
  const { server, file, get } = await fetched((response, n, { headers }) =>
    n === 1 ? breakOff(response, 20_000) : serve(response, headers.range),
  );
  expect(await get()).toEqual({ bytes: whole.length, sha256 });
  expect((await readFile(file)).equals(whole)).toBe(true);
  expect(server.received[1]?.headers).toMatchObject({ range: 'bytes=20000-', 'if-range': etag });
});

test('goes on for as many pieces as a file comes in, where each brings some of it', async () => {
  const { server, get } = await fetched(
    (response, _, { headers }) => {
      const from = Number(/=(\d+)/.exec(headers.range ?? '')?.[1] ?? 0);
      const end = from + 10_000;
      if (end === whole.length) return serve(response, headers.range);
      const range = { 'content-range': `bytes ${from}-${whole.length - 1}/${whole.length}` };
      response.writeHead(from > 0 ? 206 : 200, { etag, ...range, 'content-length': whole.length - from });
      response.write(whole.subarray(from, end));
      void vi.waitUntil(() => written >= end, { timeout: 60_000 }).then(() => response.destroy());
    },
    { retry: { attempts: 2, baseMs: 1 } },
  );
  expect(await get()).toEqual({ bytes: whole.length, sha256 });
  expect(server.received).toHaveLength(5);
});

test('waits until the moment that the server names, by the clock that is given', async () => {
  const clock = fakeClock();
  const reset = String(clock.now() / 1000 + 30);
  const { get } = await fetched(
    (response, n, { headers }) => {
      // The date would be that of another clock.
      response.sendDate = false;
      if (n === 1) response.writeHead(429, { 'ratelimit-reset': reset }).end();
      else serve(response, headers.range);
    },
    { clock },
  );
  expect(await get()).toEqual({ bytes: whole.length, sha256 });
  expect(clock.slept[0]).toBeGreaterThanOrEqual(30_000);
});

test('goes on in a later call, as after a kill', async () => {
  const { server, file, get } = await fetched(
    (response, n, { headers }) => (n === 1 ? breakOff(response, 20_000) : serve(response, headers.range)),
    { retry: { attempts: 1 } },
  );
  await expect(get()).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  expect((await readFile(`${file}.part`)).length).toBe(20_000);
  expect(await get()).toEqual({ bytes: whole.length, sha256 });
  expect(server.received).toHaveLength(2);
});

test.each<[string, Answer]>([
  [
    'a server that knows no ranges',
    (response, n) => (n === 1 ? breakOff(response, 20_000, { etag }, other) : serve(response, undefined)),
  ],
  [
    'a server without ETag',
    (response, n, { headers }) =>
      n === 1 ? breakOff(response, 20_000, {}, other) : serve(response, headers.range, {}),
  ],
  [
    'a weak ETag',
    (response, n, { headers }) =>
      n === 1
        ? breakOff(response, 20_000, { etag: 'W/"x"' }, other)
        : serve(response, headers.range, { etag: 'W/"x"' }),
  ],
  [
    'another file under the same URL',
    (response, n, { headers }) =>
      n === 1 ? breakOff(response, 20_000, { etag }, other) : serve(response, headers.range, { etag: '"two"' }),
  ],
  [
    'a rest that begins elsewhere',
    (response, n, { headers }) =>
      n === 1
        ? breakOff(response, 20_000)
        : serve(response, headers.range && (n === 2 ? 'bytes=19999-' : headers.range)),
  ],
  [
    'a range that is refused',
    (response, n, { headers }) =>
      n === 1
        ? breakOff(response, 20_000, { etag }, other)
        : headers.range
          ? response.writeHead(416).end()
          : serve(response, undefined),
  ],
  [
    'an error in between',
    (response, n, { headers }) =>
      n === 1 ? breakOff(response, 20_000) : n === 2 ? response.writeHead(503).end() : serve(response, headers.range),
  ],
  [
    'a length that is not kept',
    (response, n) => (n === 1 ? response.writeHead(200, { etag }).end(whole) : serve(response, undefined)),
  ],
])('has the right bytes after %s', async (_, answer) => {
  const { file, get } = await fetched(answer);
  expect(await get()).toEqual({ bytes: whole.length, sha256 });
  expect((await readFile(file)).equals(whole)).toBe(true);
});

test('follows redirects, since no key goes along', async () => {
  const store = await localServer((response) => serve(response, undefined));
  const { get } = await fetched((response) => response.writeHead(302, { location: `${store.url}/elsewhere` }).end());
  expect(await get()).toEqual({ bytes: whole.length, sha256 });
});

test.each([
  ['a redirect that never ends', { location: '/exports/file.csv' }, 'redirects too often'],
  [
    'a redirect to no web address',
    { location: 'file:///etc/passwd' },
    'redirects to something that is not a web address',
  ],
])('refuses %s', async (_, headers, message) => {
  const { get } = await fetched((response) => response.writeHead(302, headers).end());
  await expect(get()).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining(message) });
});

test.each([401, 403, 404, 410])(
  'a URL that is not good any more (%i) is told apart, and its signature in no message',
  async (status) => {
    const { server, get } = await fetched((response) => response.writeHead(status).end('<Error>AccessDenied</Error>'));
    const error = await get().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'not_found', context: { status } });
    expect(String(error)).not.toContain('very-secret');
    expect(server.received).toHaveLength(1);
  },
);

test.each([
  ['before it begins', { 'content-length': whole.length }],
  ['while it comes', {}],
])('a file that is too large is refused %s', async (_, headers) => {
  const { get } = await fetched((response) => response.writeHead(200, headers).end(whole), { maxBytes: 10_000 });
  await expect(get()).rejects.toMatchObject({ code: 'contract', context: { reason: 'too_large' } });
});

test('stops at a signal', async () => {
  const stop = new AbortController();
  const { get } = await fetched(
    (response) => {
      response.writeHead(200, { 'content-length': whole.length });
      response.write(whole.subarray(0, 10), () => stop.abort());
    },
    { signal: stop.signal },
  );
  await expect(get()).rejects.toMatchObject({ code: 'interrupted' });
});

test('stops at a signal while it waits', async () => {
  const stop = new AbortController();
  const log = { debug: () => {}, warn: () => stop.abort('SIGTERM') };
  const { get } = await fetched((response) => response.writeHead(503).end(), { log, signal: stop.signal });
  await expect(get()).rejects.toMatchObject({ code: 'interrupted', context: { signal: 'SIGTERM' } });
});

test('an error of the disk is none of the network', async () => {
  const folder = await temporary();
  await writeFile(join(folder, 'blocked'), '');
  const { server, get } = await fetched((response) => serve(response, undefined), {
    file: join(folder, 'blocked', 'file'),
  });
  await expect(get()).rejects.toMatchObject({ code: 'ENOTDIR' });
  expect(server.received).toHaveLength(1);
});

/** A server that must not be reached, and how to be led to it by a name. */
async function inside() {
  const server = await localServer((response) => serve(response, undefined));
  const { port } = new URL(server.url);
  return { server, port, at: (host: string) => `http://${host}:${port}/file` };
}

/** A resolver that knows one answer, and counts. */
function resolver(...addresses: string[]) {
  const asked: string[] = [];
  const resolve: Resolve = (host, _, found) => {
    asked.push(host);
    found(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    );
  };
  return { asked, resolve };
}

const elsewhere = { origin: 'http://service.example', hosts: [] };

test.each([
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f.1',
  '0x7f000001',
  '0177.0.0.1',
  '0',
  '127.0.0.1.',
  '１２７.０.０.１',
  '127%2e0.0.1',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
])('refuses the address %s before anything is sent, in whatever form', async (host) => {
  const { server, at } = await inside();
  const { resolve, asked } = resolver('8.8.8.8');
  const { get } = await fetched(() => {}, { url: at(host), places: elsewhere, resolve });
  await expect(get()).rejects.toMatchObject({
    code: 'refused',
    retryable: false,
    message: expect.stringMatching(/leads to \S+, (an?|which) .*downloadHosts: \["/),
  });
  expect([server.connections(), asked]).toEqual([0, []]);
});

test.each([
  ['a name of this machine', ['127.0.0.1']],
  ['a public address and one that is not', ['8.8.8.8', '127.0.0.1']],
  ['one that is not and a public one', ['::ffff:7f00:1', '8.8.8.8']],
])('refuses a name that is %s', async (_, addresses) => {
  const { server, at } = await inside();
  const { resolve, asked } = resolver(...addresses);
  const { get } = await fetched(() => {}, { url: at('storage.example'), places: elsewhere, resolve });
  await expect(get()).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringMatching(
      /leads to storage\.example, which is at \S+, an address of this machine, .*downloadHosts: \["storage\.example"\]/,
    ),
  });
  expect([server.connections(), asked]).toEqual([0, ['storage.example']]);
});

test('refuses this machine by the name that every system knows', async () => {
  const { server, at } = await inside();
  const { get } = await fetched(() => {}, { url: at('localhost'), places: elsewhere });
  await expect(get()).rejects.toMatchObject({ code: 'refused' });
  expect(server.connections()).toBe(0);
});

test('a connection is made to an address of the one look-up, and to no other', async () => {
  const { server, at, port } = await inside();
  // No other resolver knows this name.
  const { resolve, asked } = resolver('127.0.0.1');
  const places = { ...elsewhere, hosts: ['STORAGE.invalid'] };
  const { get } = await fetched(() => {}, { url: at('storage.invalid'), places, resolve });
  expect(await get()).toEqual({ bytes: whole.length, sha256 });
  expect(asked).toEqual(['storage.invalid']);
  expect(server.received[0]?.headers.host).toBe(`storage.invalid:${port}`);
});

test('a name with public addresses keeps them all', () => {
  const { resolve } = resolver('8.8.8.8', '2606:4700::1111');
  const found = vi.fn();
  publicLookup(resolve)('storage.example', { all: true }, found);
  publicLookup(resolve)('storage.example', {}, found);
  expect(found.mock.calls).toEqual([
    [
      null,
      [
        { address: '8.8.8.8', family: 4 },
        { address: '2606:4700::1111', family: 6 },
      ],
    ],
    [null, '8.8.8.8', 4],
  ]);
});

test('every redirect is checked like the URL itself', async () => {
  const { server, at } = await inside();
  const { resolve } = resolver('10.0.0.7');
  for (const location of [at('127.0.0.1'), at('storage.example'), at('[::1]').replace('http:', '')]) {
    const service = await localServer((response) => response.writeHead(302, { location }).end());
    const places = { origin: service.url, hosts: [] };
    const { get } = await fetched(() => {}, { url: `${service.url}/x`, places, resolve });
    await expect(get()).rejects.toMatchObject({ code: 'refused', context: { reason: 'not_public' } });
    expect(service.received).toHaveLength(1);
  }
  expect(server.connections()).toBe(0);
});

test('a service on https is believed no URL on http', async () => {
  const { server, at } = await inside();
  const places = { origin: 'https://service.example', hosts: ['127.0.0.1'] };
  const { get } = await fetched(() => {}, { url: at('127.0.0.1'), places });
  await expect(get()).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('what comes by http'),
  });
  expect(server.connections()).toBe(0);
});

test('a link in place of what was begun is not written through', async () => {
  const { file, get } = await fetched((response, _, { headers }) => serve(response, headers.range));
  await writeFile(`${file}.elsewhere`, 'precious');
  await symlink(`${file}.elsewhere`, `${file}.part`);
  await writeFile(`${file}.part.etag`, etag);
  expect(await get()).toEqual({ bytes: whole.length, sha256 });
  expect(await readFile(`${file}.elsewhere`, 'utf8')).toBe('precious');
});

test('a proxy, which looks names up itself, brings files from trusted hosts alone', async () => {
  const { server, get } = await fetched((response) => serve(response, undefined), { url: 'http://files.example/file' });
  vi.stubEnv('http_proxy', server.url);
  try {
    await expect(get()).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(
        /leads to files\.example, which the proxy .* downloadHosts: \["files\.example"\]$/,
      ),
    });
    expect(server.received).toEqual([]);
    const trusted = { origin: 'http://service.example', hosts: ['files.example'] };
    const { get: again } = await fetched(() => {}, { url: 'http://files.example/file', places: trusted });
    expect(await again()).toEqual({ bytes: whole.length, sha256 });
    expect(server.received).toHaveLength(1);
  } finally {
    vi.unstubAllEnvs();
  }
});
