import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Project, project } from '../cli/cliHarness.ts';
import { runFirn, startFirn } from '../cli/firnProcess.ts';
import { json, localServer } from '../extract/localServer.ts';
import { hostileFiles } from './hostileFiles.ts';
import { readAlone } from './readAlone.ts';

vi.setConfig({ testTimeout: 120_000 });

/** An operation of the service: its id, and where its file is. */
interface Operation {
  readonly id: string;
  readonly url: string;
}

/**
 * A data service that chooses ids and URLs freely.
 *
 * @param isOne whether its operations are the parts of one export: each is cut off where the next begins
 */
async function service(operations: readonly Operation[], data: object = {}, isOne = false) {
  let begun = 0;
  const server = await localServer((response, _, { method, url }) => {
    if (url.startsWith('/leads?to=')) return response.writeHead(302, { location: url.slice(10) }).end();
    if (method === 'POST') begun++;
    const id = decodeURIComponent(url.replace('/v1/operations/', ''));
    const n = method === 'POST' ? begun - 1 : operations.findIndex((known) => known.id === id);
    const nextDate = isOne && n + 1 < operations.length ? `2026-01-${String(n + 2).padStart(2, '0')}` : undefined;
    return json(response, 200, {
      operationId: operations[n]?.id,
      operationType: 'TRANSACTION_EXPORT_EVM',
      operationStatus: nextDate ? 'COMPLETED_WITH_WARNING' : 'COMPLETED',
      metadata: { downloadUrl: operations[n]?.url, nextDate },
    });
  });
  const configuration = { sources: { data: { url: server.url, network: 'fuji', ...data } } };
  return { server, configuration, home: await project(configuration) };
}

/** Files at an origin of their own. */
const store = (files: readonly Buffer[]) =>
  localServer((response, _, { url }) => response.writeHead(200).end(files[Number(url.slice(1))]));

/** Asks for the export number `n`, and tells its id. */
async function start({ firn }: Project, n = 1): Promise<string> {
  const flags = ['--type', 'evm', '--address', `0x${`${n}`.padStart(40, '0')}`, '--chain', '1'];
  const { code, json: said, err } = await firn('--json', 'export', 'start', ...flags);
  expect(code, err).toBe(0);
  return said.exports[0].id;
}

const csv = 'timestamp,txHash\n2026-01-01,a\n2026-01-02,b\n';
test('10 GB of zeros in gzip: the process that loads it says so', { tags: 'long' }, async () => {
  const { url } = await store([Buffer.from(hostileFiles['10 GB of zeros in gzip']?.bytes() ?? '')]);
  const { home } = await service([{ id: 'attack', url: `${url}/0` }], { downloadHosts: ['127.0.0.1'] });
  await start(home);
  const { code, stderr } = await runFirn(['--config', join(home.folder, 'firn.yaml'), 'export', 'download']);
  expect([code, stderr]).toEqual([4, expect.stringMatching(/first \d{1,6} bytes grow to \d{8},/)]);
  expect(await home.query('SELECT count(*) AS n FROM raw.data_export_rows')).toEqual([{ n: 0n }]);
});

// What else can be said in an archive is in test/load/archive/zipEntries.test.ts.
test('a ZIP with a directory of 4 GB, and one beyond 2^53: the process that loads them does not end', async () => {
  const attacks = ['48 bytes of ZIP with a directory of 4 GB', 'a ZIP with a directory beyond 2^53'];
  expect(await readAlone(...attacks)).toMatchObject([
    { code: 'contract', message: expect.stringMatching(/invalid central directory/), rows: 0 },
    { code: 'contract', message: expect.stringMatching(/outside the file/), rows: 0 },
  ]);
});

test('no id of an operation becomes a path, and no two share a file', { tags: 'long' }, async () => {
  const ids = ['../../climbed', 'a/b', 'a_b', 'x'.repeat(400)];
  const { url } = await store(ids.map((_, n) => Buffer.from(`t,v\n2026-01-01,${n}\n`)));
  const operations = ids.map((id, n) => ({ id, url: `${url}/${n}` }));
  const { home } = await service(operations, { downloadHosts: ['127.0.0.1'] }, true);
  const before = await readdir(home.folder);
  await start(home);
  const { code, json: said, err } = await home.firn('--json', 'export', 'download');
  expect(code, err).toBe(0);
  const parts: { operationId: string; file: { path: string } }[] = said.exports[0].parts;
  expect(parts.map(({ operationId }) => operationId)).toEqual(ids);
  for (const [n, { file }] of parts.entries()) expect(await readFile(file.path, 'utf8')).toContain(`,${n}\n`);
  const files = await readdir(join(home.warehouse, 'exports'));
  expect([files.length, files.filter((name) => !/^[\w~-]{1,110}\.csv$/.test(name))]).toEqual([ids.length, []]);
  expect(files).toContain('a_b.csv');
  expect(await readdir(home.folder)).toEqual(before);
});

test('a URL of the service leads to nothing inside, nor does a redirect, until the host is trusted', async () => {
  const inside = await store([Buffer.from(csv)]);
  const operations = [{ id: 'by-name', url: `${inside.url.replace('127.0.0.1', 'localhost')}/0` }];
  const { home, server, configuration } = await service(operations);
  operations.push({ id: 'by-redirect', url: `${server.url}/leads?to=${inside.url}/0` });
  await start(home);
  await start(home, 2);
  for (const { id } of operations) {
    const { code, err } = await home.firn('export', 'download', id);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/leads to .*an address of this machine.*downloadHosts: \["/),
    ]);
  }
  expect(inside.connections()).toBe(0);
  const { data } = configuration.sources;
  await home.configure({ sources: { data: { ...data, downloadHosts: ['127.0.0.1'] } } });
  const { code } = await home.firn('export', 'download', 'by-redirect');
  expect([code, inside.received.length]).toEqual([0, 1]);
});

test('the embedded network answers to no name that another machine can have', { tags: 'long' }, async () => {
  const { child, written } = startFirn(['--json', 'devnet', '--port', '0']);
  onTestFinished(() => void child.kill());
  await vi.waitFor(() => expect(written.stdout).toContain('}'), { timeout: 60_000 });
  const { url } = JSON.parse(written.stdout);
  const { port } = new URL(url);
  const statusOf = async (host: string, path: string) => {
    const sent = request(url + path, { headers: { host } }).end();
    const [response] = await once(sent, 'response');
    response.resume();
    return response.statusCode;
  };
  for (const path of ['/v1/chains', '/ext/info', '/nothing']) {
    for (const host of ['evil.example', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`]) {
      expect([path, host, await statusOf(host, path)]).toEqual([path, host, 403]);
    }
  }
  // The port may be that of a tunnel.
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, 'localhost:1'])
    expect([host, await statusOf(host, '/v1/chains')]).toEqual([host, 200]);
});
