import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { environment } from '../../src/cli/config/config.ts';
import { project, runHere } from '../cli/cliHarness.ts';
import { runFirn } from '../cli/firnProcess.ts';
import { listening } from '../listening.ts';
import { temporary } from '../temporaryFolders.ts';

vi.setConfig({ testTimeout: 120_000 });

const key = 'canary-4f2b9c81d77e4a0f';
const password = 'p@ss/w:rd?#%41 canary-7c21';
const both = `user:${password}`;
const forms = [
  key,
  encodeURIComponent(key),
  Buffer.from(key).toString('base64').replace(/=+$/, ''),
  password,
  'ss/w:rd',
  'w:rd?',
  encodeURIComponent(password),
  Buffer.from(both).toString('base64').replace(/=+$/, ''),
  Buffer.from(both).toString('base64url'),
];

function shows(text: string): string[] {
  return forms.filter((form) => text.includes(form));
}

/** A data service that puts the headers of the request, and what they hold, wherever it can. */
async function echoing(status = 200) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    const basic = Buffer.from(String(request.headers.authorization).slice(6), 'base64').toString();
    const echo = { headers: request.headers, raw: request.rawHeaders.join('\n'), basic, [`x ${key}`]: 1 };
    const chain = {
      chainId: '43114',
      status: 'OK',
      chainName: `${key} ${request.headers.authorization}`,
      description: basic,
      platformChainId: 'x',
      subnetId: 'x',
      vmId: 'x',
      vmName: 'EVM',
      rpcUrl: 'https://x.example/',
      isTestnet: false,
      networkToken: { name: 'A', symbol: 'A', decimals: 18 },
      echo,
    };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(
        status === 200 ? { chains: [chain, { ...chain, chainId: { of: echo } }] } : { message: JSON.stringify(echo) },
      ),
    );
  });
  const { port, close } = await listening(server);
  onTestFinished(close);
  return { seen, port };
}

function set(name: string, value: string): void {
  const variables = environment as Record<string, string | undefined>;
  variables[name] = value;
  onTestFinished(() => {
    delete variables[name];
  });
}

const configured = (port: number) => ({
  sources: {
    data: { url: `http://user:\${env:FIRN_TEST_PASSWORD}@127.0.0.1:${port}`, key: `$\{env:FIRN_TEST_KEY}` },
  },
  pipelines: { main: { streams: { 'data/chains': {} } } },
});

test('what a server echoes of the request is hidden before it is stored or shown', async () => {
  set('FIRN_TEST_KEY', key);
  set('FIRN_TEST_PASSWORD', password);
  const { seen, port } = await echoing();
  const { firn, query, warehouse } = await project(configured(port));
  const { code, out, err } = await firn('sync');
  expect(code, err + out).toBe(4);
  // The password reached the server whole, at one host only.
  expect(seen[0]?.headers.authorization).toBe(`Basic ${Buffer.from(both).toString('base64')}`);
  expect(seen[0]?.headers['x-service-api-key']).toBe(key);
  const stored = [
    await query('SELECT * FROM raw.data_chains'),
    await query('SELECT * FROM firn.quarantine'),
    await query('SELECT * FROM firn.schema_change'),
    await query('SELECT * FROM firn.load'),
    await query('SELECT * FROM firn.run'),
  ].map((rows) => JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value)));
  expect(stored[0]).toContain('***');
  expect(stored[1]).toContain('***');
  for (const rows of stored) expect(shows(rows)).toEqual([]);
  for (const args of [['quarantine'], ['--json', 'quarantine'], ['plan'], ['doctor']]) {
    const said = await firn(...args);
    expect(shows(said.out + said.err)).toEqual([]);
  }
  // Only its owner may read the state.
  for (const [name, mode] of [
    ['', 0o700],
    ['firn.duckdb', 0o600],
  ] as const) {
    expect((await stat(join(warehouse, '.state', name))).mode & 0o777).toBe(mode);
  }
});

test('what a server echoes in an error is hidden in messages', async () => {
  const { port } = await echoing(400);
  const { folder } = await project(configured(port));
  const { code, stdout, stderr } = await runFirn(['--verbose', '--config', join(folder, 'firn.yaml'), 'sync'], {
    env: { FIRN_TEST_KEY: key, FIRN_TEST_PASSWORD: password },
  });
  expect(code).toBe(1);
  expect(stderr).toContain('400');
  expect(shows(stdout + stderr)).toEqual([]);
});

test.each([
  ['a key', [`sources: { data: { key: ${key}`, 'pipelines: ]']],
  ['a password in a URL', [`sources: { node: { url: "https://user:hunter22@host" `, 'pipelines: ]']],
  ['something that looks like a key', [`sources: [${key.slice(7)}x1`, 'pipelines: }']],
  ['a key that is called as an alias', [`sources: *${key}`]],
])('a broken line with %s is not shown', async (_, lines) => {
  const file = join(await temporary(), 'firn.yaml');
  await writeFile(file, lines.join('\n'));
  const { code, out, err } = await runHere(['--json', '--config', file, 'status']);
  expect(code).toBe(2);
  expect(err).toMatch(/not valid YAML: .*not shown/s);
  expect(out + err).not.toMatch(/canary|hunter22|4f2b9c81/);
});

test('a broken line without secrets is shown', async () => {
  const file = join(await temporary(), 'firn.yaml');
  await writeFile(file, 'warehouse: [here');
  const { err } = await runHere(['--config', file, 'status']);
  expect(err).toContain('[here');
});

test('init writes no key that stands in a URL', async () => {
  const folder = await temporary();
  const config = join(folder, 'firn.yaml');
  const rpc = `http://127.0.0.1:1/v1/4f2b9c81d77e4a0f/rpc`;
  const own = 'http://user:hunter22@127.0.0.1:1';
  const args = ['init', '--rpc', rpc, 'D=http://127.0.0.1:1/plain/rpc', `E=${rpc}`, '--data', own];
  const { code, out, err } = await runHere(['--config', config, ...args]);
  expect(code).toBe(0);
  const text = await readFile(config, 'utf8');
  expect(text).toContain(`C: "$\{env:FIRN_RPC_URL}"`);
  expect(text).toContain('D: "http://127.0.0.1:1/plain/rpc"');
  expect(text).toContain(`E: "$\{env:FIRN_RPC_URL_E}"`);
  expect(text).toContain(`url: "$\{env:FIRN_DATA_URL}"`);
  expect(out).toMatch(/Set FIRN_RPC_URL to that URL\..*FIRN_RPC_URL_E.*FIRN_DATA_URL/s);
  expect(text + out + err).not.toMatch(/4f2b9c81|hunter22/);
  // The configuration is valid; the missing variable matters only when it is needed.
  const { code: planned, err: said } = await runHere(['--config', config, 'plan']);
  expect(planned).toBe(77);
  expect(said + (await runHere(['--config', config, 'plan'])).out).toMatch(/FIRN_(RPC|DATA)_URL/);
});
