import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ReportData } from '../../src/report/reportData.ts';
import { createReportServer } from '../../src/report/reportServer.ts';
import { listening } from '../listening.ts';
import { sampleReport } from './sampleReport.ts';

let port: number;
let close: () => Promise<void>;
let data: ReportData;
const world = { version: '"1"', state: 'null', loads: 0, broken: false };

beforeAll(async () => {
  data = await sampleReport({ days: 10 });
  const server = createReportServer({
    load: async () => {
      world.loads++;
      if (world.broken) throw new Error('Nothing was published yet.');
      const published = { version: Number(world.version.slice(1, -1)), at: 0, files: 1, rows: 1, bytes: 1 };
      return { report: { ...data, published }, health: { exitCode: 0 }, relations: new Map(), comments: new Map() };
    },
    version: async () => world.version,
    state: async () => world.state,
    tables: { folder: '/nowhere' },
  });
  ({ port, close } = await listening(server));
});

afterAll(() => close());

interface Answer {
  readonly status: number | undefined;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

const ask = (path: string, options: { method?: string; host?: string } = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { method = 'GET', host = `127.0.0.1:${port}` } = options;
    const sent = request({ port, host: '127.0.0.1', path, method, headers: { host } }, (response) => {
      const { statusCode: status, headers } = response;
      text(response).then((body) => resolve({ status, headers, body }), reject);
    });
    sent.on('error', reject).end();
  });

test('gives the page, the data and the metrics', async () => {
  const page = await ask('/?utm=x');
  expect(page).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  });
  expect(page.body).toContain('<body data-live="&quot;1&quot;">');
  expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  const json = await ask('/report.json');
  expect(JSON.parse(json.body)).toMatchObject({ published: { version: 1 }, chains: [{ chainId: '43112' }, {}, {}] });
  const metrics = await ask('/metrics');
  expect(metrics.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(metrics.body).toContain('firn_published_version 1\n');
  expect(await ask('/healthz')).toMatchObject({ status: 200, body: 'ok\n' });
});

test('tells anew how old it is, where nothing else changes', async () => {
  onTestFinished(() => void vi.useRealTimers());
  const madeAt = async (time: string) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(time) });
    await ask('/');
    return world.loads;
  };
  const first = await madeAt('2026-05-01T10:59:00Z');
  expect(await madeAt('2026-05-01T10:59:59Z')).toBe(first);
  expect(await madeAt('2026-05-02T10:59:00Z')).toBe(first + 1);
});

test('tells a head what a get would, without a body', async () => {
  const [head, get] = [await ask('/report.json', { method: 'HEAD' }), await ask('/report.json')];
  expect(head).toMatchObject({
    status: 200,
    body: '',
    headers: { etag: get.headers['etag'], 'content-length': get.headers['content-length'] },
  });
});

test.each([
  ['/nothing', 'GET', 404],
  ['/report.json/', 'GET', 404],
  ['//127.0.0.1/', 'GET', 404],
  ['/../etc/passwd', 'GET', 404],
  ['/tables/mart.metric', 'GET', 404],
  ['/tables/../../etc/passwd', 'GET', 404],
  ['/sql', 'POST', 405],
  ['/', 'POST', 405],
  ['/metrics', 'DELETE', 405],
  ['/', 'OPTIONS', 405],
])('%s by %s is answered with %d', async (path, method, status) => {
  const answer = await ask(path, { method });
  expect(answer.status).toBe(status);
  if (status === 405) expect(answer.headers['allow']).toBe('GET, HEAD');
});

test.each([
  ['/', "script-src 'sha256-"],
  ['/nothing', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"],
  ['/report.json', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"],
])('%s may do no more than %s', async (path, policy) => {
  const { headers } = await ask(path);
  expect(headers['content-security-policy']).toContain(policy);
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
});

test.each([
  [200_000, 200, '<!doctype html>'],
  [300_000, 431, 'A request may have 256 KiB, its query included.\n'],
])('an address of %d characters is answered with %d', async (length, status, said) => {
  const answer = await ask(`/?q=${'x'.repeat(length)}`);
  expect(answer).toMatchObject({ status, body: expect.stringContaining(said) });
});

test('what cannot be read is told so', async () => {
  const socket = connect(port, '127.0.0.1').end('HELLO\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*\r\n\r\nThis request cannot be read\.\n$/s);
});

describe('the name it is asked by', () => {
  test.each(['localhost', 'LOCALHOST', '127.0.0.1', '[::1]'])('%s is its own, at any port', async (name) => {
    for (const host of [`${name}:${port}`, `${name}:9000`, name]) expect((await ask('/', { host })).status).toBe(200);
  });

  test.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '192.168.0.1',
    'localhost@evil.example',
  ])('"%s" is not', async (host) => {
    const answer = await ask('/report.json', { host: host.includes('evil') ? `${host}:${port}` : host });
    expect(answer.status).toBe(403);
    expect(answer.body).not.toContain('43112');
  });
});

test('reads again when a version is published or a run begins, and only then', async () => {
  await ask('/');
  const before = world.loads;
  await Promise.all([ask('/'), ask('/metrics'), ask('/report.json')]);
  expect(world.loads).toBe(before);
  world.version = '"2"';
  const answers = await Promise.all([ask('/report.json'), ask('/report.json'), ask('/metrics')]);
  expect(world.loads).toBe(before + 1);
  expect(answers[0]?.headers['etag']).toBe('"2"');
  expect(JSON.parse(answers[0]?.body ?? '')).toMatchObject({ published: { version: 2 } });
  world.state = '{"pid":1}';
  await ask('/');
  expect(world.loads).toBe(before + 2);
});

test.each([
  ['a head', '/report.json', 'HEAD'],
  ['a table', '/tables/mart.none', 'GET'],
])('%s is not read again for while the version is the same', async (_, path, method) => {
  await ask('/');
  const before = world.loads;
  world.state = `{"now":"${path}"}`;
  await ask(path, { method });
  expect(world.loads).toBe(before);
  await ask('/');
  expect(world.loads).toBe(before + 1);
});

test('reads one after the other, for whoever asks meanwhile', async () => {
  const going: (() => void)[] = [];
  const world = { version: '"1"', state: 0 };
  const served = { report: data, health: { exitCode: 0 }, relations: new Map(), comments: new Map() };
  const server = createReportServer({
    load: () => new Promise((done) => going.push(() => done(served))),
    version: async () => world.version,
    state: async () => String(world.state++),
    tables: { folder: '/nowhere' },
  });
  const { url, close } = await listening(server);
  onTestFinished(close);
  const asked = () => fetch(`${url}/report.json`).then(({ headers }) => headers.get('etag'));
  const first = [asked(), asked()];
  await expect.poll(() => world.state).toBe(2);
  world.version = '"2"';
  const second = asked();
  await expect.poll(() => world.state).toBe(3);
  expect(going).toHaveLength(1);
  going[0]?.();
  expect(await Promise.all(first)).toEqual(['"1"', '"1"']);
  await expect.poll(() => going.length).toBe(2);
  going[1]?.();
  expect(await second).toBe('"2"');
});

test('says why it has nothing, and recovers', async () => {
  world.broken = true;
  world.version = '"3"';
  expect(await ask('/')).toMatchObject({ status: 503, body: 'Nothing was published yet.\n' });
  expect((await ask('/healthz')).status).toBe(503);
  world.broken = false;
  expect((await ask('/')).status).toBe(200);
});
