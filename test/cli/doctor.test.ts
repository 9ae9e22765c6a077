import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Devnet, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ownProcess } from '../../src/load/state/processFacts.ts';
import { json, localServer } from '../extract/localServer.ts';
import { startOtherChain } from '../pipelines/data-api/startOtherChain.ts';
import { startProxy } from '../pipelines/node/startProxy.ts';
import { rpcServer } from '../run/probe/rpcServer.ts';
import { project, type runHere, sourcesOf } from './cliHarness.ts';

vi.setConfig({ testTimeout: 120_000 });

let net: Devnet;
beforeAll(async () => {
  net = await startDevnet({ head: '3%', quota: { perMinute: 6000 } });
});
beforeEach(() => net.configure({ without: [] }));
afterAll(() => net.close());

const streams = {
  'node/containers': { indexes: ['C/block'] },
  'node/evm_blocks': { blockchainIds: ['C'] },
  'data/latest_transactions': { chainIds: ['43112'] },
  'metrics/chain_metrics': { chainIds: ['43112'], metrics: ['txCount'], timeIntervals: ['day'] },
};
const configured = (sources: object = {}, chosen: object = streams) => ({
  sources: { ...sourcesOf(net), ...sources },
  pipelines: { main: { streams: chosen } },
});

interface Line {
  readonly name: string;
  readonly state: string;
  readonly sentence: string;
  readonly exitCode: number;
}

/** What doctor says of a configuration: its exit code, and every line by name. */
async function doctor(configuration: object) {
  const of = await project(configuration, { isNew: true });
  return { ...(await examined(of.firn)), of };
}

async function examined(firn: (...args: string[]) => ReturnType<typeof runHere>) {
  const { code, json: said, out } = await firn('--json', 'doctor');
  expect(said.exitCode).toBe(code);
  const lines = said.checks as Line[];
  const by = Object.fromEntries(lines.map((line) => [line.name, line]));
  return {
    code,
    out,
    by,
    wrong: lines.filter(({ state }) => state !== 'ok').map(({ name, state }) => `${state} ${name}`),
  };
}

test('all is well, before and after the first sync', { tags: 'long' }, async () => {
  const { code, by, wrong, of } = await doctor(configured());
  expect([code, wrong]).toEqual([0, []]);
  expect(Object.keys(by)).toEqual([
    'node version',
    'duckdb',
    'sender recovery',
    'configuration',
    'warehouse',
    'disk',
    'state',
    'node network',
    'node bootstrapped',
    'node chain C',
    'node receipts C',
    'node traces C',
    'node/containers C/block',
    'node/evm_blocks 43112',
    'data chains',
    'data/latest_transactions 43112',
    'data key',
    'data quota',
    'metrics chains',
    'metrics/chain_metrics 43112',
    'metrics key',
    'metrics quota',
  ]);
  expect(by['warehouse']?.sentence).toMatch(/is made by the first run$/);
  expect(by['configuration']?.sentence).toMatch(/firn\.yaml, 4 streams$/);
  expect((await of.firn('sync', '--select', 'node/containers', 'data/*')).code).toBe(0);
  await of.configure(configured({ data: { ...sourcesOf(net).data, quota: { perDay: 10_000 } } }));
  const after = await examined(of.firn);
  expect([after.code, after.wrong]).toEqual([0, []]);
  expect(after.by['state']?.sentence).toMatch(/^free, schema version \d+$/);
  expect(after.by['network']?.sentence).toBe('the warehouse holds local (network 12345), served as fuji');
  expect(after.by['data daily quota']?.sentence).toMatch(/^\d+ of 10,000 compute units used today$/);
  const { out } = await of.firn('doctor');
  expect(out).toMatch(/^ok {4}node version +\d+\.\d+\.\d+\nok {4}duckdb +v\d/);
  expect(out).toMatch(/\n\n24 ok, 0 warn, 0 fail\n$/);
});

test('the page of the first day names every line', async () => {
  const { by } = await doctor(configured());
  const page = await readFile(resolve(import.meta.dirname, '..', '..', 'docs', 'first-day.md'), 'utf8');
  const names = [...Object.keys(by), 'node history C', 'network', 'services', 'data daily quota'];
  const lines = names.filter((name) => !name.includes('/')).map((name) => name.replace(/ C$/, ''));
  expect(lines.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('what the source does not offer is a warning, with what to do', async () => {
  net.configure({ without: ['index', 'traces', 'receipts'] });
  const { code, by, wrong, of } = await doctor(configured());
  expect([code, wrong]).toEqual([0, ['warn node receipts C', 'warn node traces C', 'warn node/containers C/block']]);
  expect(by['node traces C']?.sentence).toMatch(/not covered\. Enable the debug-tracer API .* or set traces: false/);
  expect(by['node/containers C/block']?.sentence).toMatch(/enable it in the node/);
  // Traces that nobody asks for are not missed.
  await of.configure(configured({}, { 'node/evm_blocks': { traces: false } }));
  expect((await examined(of.firn)).wrong).toEqual(['warn node receipts C']);
});

test.each<[string, () => Promise<object>, number, string[], Record<string, RegExp>]>([
  [
    'a node and a metrics service that are down',
    async () => configured({ node: { url: 'http://127.0.0.1:1' }, metrics: { url: 'http://127.0.0.1:1' } }),
    75,
    ['fail node network', 'fail metrics chains'],
    { 'node network': /nothing answers.*Check that the URL/ },
  ],
  [
    'a node that is bootstrapping',
    async () => {
      net.configure({ without: ['bootstrap'] });
      return configured({}, { 'node/evm_blocks': {} });
    },
    75,
    ['fail node bootstrapped', 'fail node chain C'],
    { 'node chain C': /still bootstrapping its chain C/ },
  ],
  [
    'a page of HTML for the data service',
    async () => {
      const { url } = await localServer((response) => json(response, 200, '<html><title>Welcome</title></html>'));
      return configured({ data: { url, network: 'fuji' } });
    },
    4,
    ['fail data chains'],
    { 'data chains': /HTML instead of JSON: "Welcome".*Check the URL/ },
  ],
  [
    'a stream of a chain that the service does not have',
    async () => configured({}, { 'data/latest_transactions': { chainIds: ['99'] } }),
    1,
    ['fail data/latest_transactions 99'],
    {},
  ],
  [
    'a public RPC that refuses traces',
    async () => {
      const refusal = { error: { code: -32000, message: 'tracing needs a paid plan' } };
      const { url } = await rpcServer({ debug_traceBlockByNumber: refusal });
      return {
        sources: { node: { rpc: { C: `${url}/rpc` } } },
        pipelines: { main: { streams: { 'node/evm_blocks': {} } } },
      };
    },
    0,
    ['warn node traces C'],
    { 'node traces C': /paid plan/ },
  ],
  [
    'a webhook and a lineage service in variables that are not set',
    async () => ({
      ...configured({}, { 'data/chains': {} }),
      notify: { webhook: `https://hooks.test/\${env:FIRN_NO_HOOK}` },
      lineage: { url: 'https://lineage.test/', headers: { authorization: `Bearer \${env:FIRN_NO_TOKEN}` } },
    }),
    0,
    ['warn notify', 'warn lineage'],
    { notify: /FIRN_NO_HOOK, which is not set: nothing would be sent/, lineage: /Set FIRN_NO_TOKEN/ },
  ],
])('%s', async (_, configuration, exit, lines, sentences) => {
  const { code, by, wrong } = await doctor(await configuration());
  expect([code, wrong]).toEqual([exit, lines]);
  for (const [name, words] of Object.entries(sentences)) expect(by[name]?.sentence).toMatch(words);
});

test('a wrong key: 77, and it is shown nowhere', async () => {
  const { url, close } = await startDevnet({ ledger: net.ledger, head: '3%', key: 'the-right-key-77ab' });
  onTestFinished(close);
  const { code, by, wrong, out, of } = await doctor(
    configured({ data: { url, network: 'fuji', key: 'wrong-key-41f2c8' } }),
  );
  expect([code, wrong]).toEqual([77, ['fail data key']]);
  expect(by['data key']?.sentence).toMatch(/^The key is not accepted\. .*401.*Check the key and keyHeader/);
  for (const text of [out, (await of.firn('doctor')).out]) expect(text).not.toContain('wrong-key');
});

test('what comes from the environment is shown in no header, path or query, and a URL from there is', async () => {
  const secrets = {
    FIRN_T_PATH: 'shortkey',
    FIRN_T_QUERY: 'q-value',
    FIRN_T_TENANT: 'tenant-of-mine',
    FIRN_T_CHAIN: 'C',
  };
  const { url } = await localServer((response, _, { headers, url: path }) =>
    json(response, 500, { message: `no ${path} for ${headers['x-tenant']}` }),
  );
  for (const [name, value] of Object.entries({ ...secrets, FIRN_T_URL: url })) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const env = (name: string) => `\${env:FIRN_T_${name}}`;
  const node = {
    rpc: { C: `${url}/${env('PATH')}/bc/${env('CHAIN')}/rpc?who=${env('QUERY')}` },
    headers: { 'x-tenant': env('TENANT') },
  };
  const of = await project({
    sources: { node, data: { url: env('URL') } },
    pipelines: { main: { streams: { 'node/evm_blocks': {}, 'data/chains': {} } } },
  });
  const doctored = await of.firn('doctor');
  expect([doctored.code, doctored.out]).toEqual([75, expect.stringContaining(`POST ${url}/***/bc/C/rpc`)]);
  expect(doctored.out).toContain(`GET ${url}/v1/chains`);
  for (const secret of ['shortkey', 'q-value', 'tenant-of-mine']) expect(doctored.out).not.toContain(secret);
});

test('a configuration that is wrong: 2; what it names is checked all the same', async () => {
  const of = await project({
    sources: { metrics: { url: net.url } },
    pipelines: { main: { streams: { 'data/chains': {} } } },
  });
  const { code, by } = await examined(of.firn);
  expect([code, by['configuration']?.state, by['metrics chains']?.state]).toEqual([2, 'fail', 'ok']);
  expect(by['configuration']?.sentence).toMatch(/sources\.data\.url/);
  await writeFile(join(of.folder, 'firn.yaml'), 'warehouse: [');
  const broken = await examined(of.firn);
  expect([broken.code, Object.keys(broken.by)]).toEqual([
    2,
    ['node version', 'duckdb', 'sender recovery', 'configuration'],
  ]);
});

test('a warehouse folder that cannot be: 73', async () => {
  const of = await project(configured({}, { 'data/chains': {} }));
  await writeFile(join(of.folder, 'file'), '');
  await of.configure({ ...configured({}, { 'data/chains': {} }), warehouse: './file/below' });
  const { code, by } = await examined(of.firn);
  expect([code, by['warehouse']?.state]).toEqual([73, 'fail']);
  expect(by['warehouse']?.sentence).toMatch(/cannot be written: .*--warehouse/);
});

test('a state that may not be looked into is not one that is not there: 73', async () => {
  const of = await project(configured({}, { 'data/chains': {} }), { isNew: true });
  await mkdir(of.warehouse);
  // What stops even a superuser.
  await writeFile(join(of.warehouse, '.state'), 'a file where a folder should be');
  const { code, by } = await examined(of.firn);
  expect([code, by['state']?.state]).toEqual([73, 'fail']);
  expect(by['state']?.sentence).toMatch(/^Could not read \S+firn\.duckdb: /);
});

test('another network than the warehouse holds: 2; a damaged one: 1; one that is held: a warning', {
  tags: 'long',
}, async () => {
  const of = await project(configured({}, { 'node/evm_blocks': { to: 3 }, 'data/chains': {} }));
  expect((await of.firn('sync')).code).toBe(0);
  const other = await startProxy(net.url, async ({ method }) =>
    method === 'eth_chainId' ? { result: '0x1' } : undefined,
  );
  await of.configure(configured({ node: { url: other.url } }, { 'node/evm_blocks': {} }));
  const moved = await examined(of.firn);
  expect([moved.code, moved.wrong]).toEqual([2, ['fail network']]);
  expect(moved.by['network']?.sentence).toMatch(
    /holds C with chain id 43112, the node answers 1\. Point the sources back/,
  );

  const state = join(of.warehouse, '.state');
  await of.configure(configured({}, { 'data/chains': {} }));
  await writeFile(
    join(state, 'run.json'),
    JSON.stringify({ ...(await ownProcess()), runId: 'r', command: 'run', phase: 'sync', since: 'noon' }),
  );
  const held = await examined(of.firn);
  expect([held.code, held.wrong]).toEqual([0, ['warn state']]);
  expect(held.by['state']?.sentence).toMatch(/Process \d+ holds the warehouse: firn run, in sync, since noon/);

  await writeFile(join(state, 'run.json'), '');
  await mkdir(state, { recursive: true });
  await writeFile(join(state, 'firn.duckdb'), 'not a database');
  const damaged = await examined(of.firn);
  expect([damaged.code, damaged.wrong]).toEqual([1, ['fail state']]);
  expect(damaged.by['state']?.sentence).toMatch(/is damaged/);
});

test('a state that is gone under a published version: 73', { tags: 'long' }, async () => {
  const of = await project(configured({}, { 'data/chains': {} }));
  expect((await of.firn('run')).code).toBe(0);
  await rm(join(of.warehouse, '.state'), { recursive: true });
  const lost = await examined(of.firn);
  expect([lost.code, lost.wrong]).toEqual([73, ['fail state']]);
  expect(lost.by['state']?.sentence).toMatch(/was lost: .* Restore \.state/);
  // It makes an empty state.
  expect((await of.firn('publish')).code).toBe(1);
  const empty = await examined(of.firn);
  expect([empty.code, empty.wrong]).toEqual([1, ['fail state']]);
  expect(empty.by['state']?.sentence).toMatch(/was lost: it holds nothing that was read/);
});

test('a node and a data service whose chains were made anew are told, as a run tells them', {
  tags: 'long',
}, async () => {
  const ranges = {
    'node/containers': { indexes: ['P/block'] },
    'node/evm_blocks': { blockchainIds: ['C'], traces: false },
  };
  const lists = {
    'data/latest_transactions': { chainIds: ['43112'] },
    'data/primary_transactions': { blockchainIds: ['p-chain'] },
  };
  const { of } = await doctor(configured({}, { ...ranges, ...lists }));
  expect((await of.firn('run')).code).toBe(0);
  expect((await examined(of.firn)).wrong).toEqual([]);
  net.moveHead('4%');
  onTestFinished(() => net.moveHead('3%'));
  const lost = await startProxy(net.url, async ({ path, method, forward, params }) => {
    if (method === 'index.getIndex') return { error: { code: -32000, message: 'not found' } };
    if (method === 'index.getContainerByIndex') return { result: { ...((await forward()) as object), id: 'another' } };
    const block =
      path.endsWith('/C/rpc') && method === 'eth_getBlockByNumber'
        ? ((await forward()) as { number: string; hash: string })
        : undefined;
    return block && (params as unknown[])[0] !== '0x0'
      ? { result: { ...block, hash: block.hash.replace(/..$/, 'zz') } }
      : undefined;
  });
  const { url } = await startOtherChain(net.url);
  await of.configure({
    ...configured({ node: { url: lost.url }, data: { url, network: 'fuji' } }, { ...ranges, ...lists }),
  });
  const { code, by, wrong } = await examined(of.firn);
  expect(wrong).toEqual([
    'fail node/containers P/block',
    'fail node/evm_blocks 43112',
    'fail data/latest_transactions 43112',
    'fail data/primary_transactions fuji',
  ]);
  expect(code).toBe(1);
  expect(by['node/containers P/block']?.sentence).toContain(
    'the source no longer holds what was read from it as index',
  );
  expect(by['data/latest_transactions 43112']?.sentence).toContain(
    '"firn state drop data/latest_transactions" drops it',
  );
});
