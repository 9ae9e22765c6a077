import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Devnet, type DevnetOptions, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { inputsOfContainers, isAllowed } from '../../src/run/probe/chainInputs.ts';
import { metricsOf as metrics } from '../../src/transform/models/metricsOf.ts';
import { readModels } from '../../src/transform/models/readModels.ts';
import { json, localServer } from '../extract/localServer.ts';
import { placeState } from '../placeState.ts';
import { rpcServer } from '../run/probe/rpcServer.ts';
import { temporary } from '../temporaryFolders.ts';
import { runHere } from './cliHarness.ts';
import { runFirn } from './firnProcess.ts';
import { queryFile } from './queryFile.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Nothing listens there. */
const nowhere = 'http://127.0.0.1:1';

let net: Devnet;
beforeAll(async () => {
  net = await startDevnet({ head: '3%' });
});
beforeEach(() => net.configure({ without: [] }));
afterAll(() => net.close());

/** `firn init` in a folder of its own, and what it wrote. */
async function init(...args: string[]) {
  const folder = await temporary();
  const config = join(folder, 'firn.yaml');
  const firn = (...more: string[]) => runHere(['--config', config, ...more]);
  const result = await firn('--json', 'init', ...args);
  const text = result.code === 0 ? await readFile(config, 'utf8') : '';
  const written = parse(text);
  return {
    ...result,
    folder,
    config,
    text,
    firn,
    sources: written?.sources,
    streams: written?.pipelines.primary.streams,
  };
}

test('node, data and metrics service: everything that is offered, ready to run', { tags: 'long' }, async () => {
  const { url } = net;
  const { code, streams, sources, text, json: said, firn } = await init('--node', url, '--data', url, '--metrics', url);
  expect(code).toBe(0);
  expect(sources).toEqual({
    node: { url },
    data: { url, network: 'fuji', keyHeader: 'x-service-api-key' },
    metrics: { url },
  });
  expect(streams).toEqual({
    'node/containers': { indexes: ['C/block', 'P/block', 'X/block'] },
    'node/evm_blocks': { blockchainIds: ['C'], from: 0 },
    'node/platform_validators': {},
    'data/chains': {},
    'data/latest_transactions': { chainIds: ['43112'] },
    'data/primary_transactions': { blockchainIds: ['p-chain'] },
    'data/validators': {},
    'metrics/chain_metrics': { chainIds: ['43112'], metrics: 'all', timeIntervals: 'all' },
  });
  expect(text).toMatch(/^# yaml-language-server: .*firn\.schema\.json$/m);
  expect(said.streams.map(({ state }: { state: string }) => state)).toEqual(Array(8).fill('offered'));
  expect(said.metrics[0]).toMatchObject({ source: 'node, chain C (43112)', sentence: '17 of 17 recomputed' });
  expect((await firn('plan', '--select', 'node/*', 'data/chains')).code).toBe(0);
  const sentence = 'local (network 12345), served as fuji';
  expect(said.findings).toContainEqual(expect.objectContaining({ about: 'network', sentence }));
  const { checks } = (await firn('--json', 'doctor')).json;
  expect(checks).toContainEqual(expect.objectContaining({ name: 'node network', sentence }));
  const shown = await firn('init', '--force', '--node', url);
  expect(shown.out).toMatch(/ok +network +local \(network 12345\)\n.*\n +ok +chain C +chain id 43112 at height \d+/);
  expect(shown.out).toMatch(/written +node\/containers\n(?:.*\n)*.*node, chain C \(43112\) +17 of 17 recomputed/);
});

/** Reads what is chosen, and builds. */
async function build({ firn, folder }: Pick<Awaited<ReturnType<typeof init>>, 'firn' | 'folder'>, ...chosen: string[]) {
  await placeState(join(folder, 'warehouse'), undefined, { isBuilt: true });
  expect((await firn('sync', ...chosen)).code).toBe(0);
  expect((await firn('build')).code).toBe(0);
}

/** Metrics that a build covered in some bucket with transactions: without any, nothing can be missing. */
async function covered(folder: string) {
  const rows = await queryFile(
    join(folder, 'warehouse', '.state', 'firn.duckdb'),
    `SELECT metric FROM mart.metric JOIN firn.coverage AS c USING (chain_id, time_interval, bucket)
     WHERE c.transactions > 0 GROUP BY metric HAVING bool_or(covered) ORDER BY metric`,
  );
  return rows.map(({ metric }) => metric);
}

const metricsOf = (said: { metrics: { source: string; allowed: string[] }[] }) =>
  said.metrics.flatMap(({ allowed }) => allowed).sort();

test.each<[string, DevnetOptions['without'], (url: string) => string[], Record<string, unknown>, number]>([
  [
    'a public RPC',
    ['traces'],
    (url) => ['--preset', 'rpc', '--rpc', `${url}/ext/bc/C/rpc`, '--metrics', url],
    { 'node/evm_blocks': { blockchainIds: ['C'], from: 0, traces: false } },
    13,
  ],
  [
    'hosted services',
    [],
    (url) => ['--preset', 'hosted', '--data', url, '--metrics', url],
    { 'data/latest_transactions': { chainIds: ['43112'] } },
    0,
  ],
])(
  '%s: what init says of the metrics is what a build then covers',
  { tags: 'long' },
  async (_, without, args, wanted, count) => {
    net.configure({ without: without ?? [] });
    const { url } = net;
    const { code, streams, json: said, firn, folder } = await init(...args(url));
    expect(code).toBe(0);
    expect(streams).toMatchObject({ ...wanted, 'metrics/chain_metrics': { chainIds: ['43112'] } });
    const select = Object.keys(streams).filter((id) => /evm_blocks|latest_transactions/.test(id));
    await build({ firn, folder }, '--select', ...select);
    expect(await covered(folder)).toEqual(metricsOf(said));
    expect(metricsOf(said)).toHaveLength(count);
  },
);

test('the index of the C-Chain alone covers what the table says', { tags: 'long' }, async () => {
  const { firn, folder, config } = await init('--node', net.url);
  const pipelines = { main: { streams: { 'node/containers': { indexes: ['C/block'] } } } };
  await writeFile(config, JSON.stringify({ sources: { node: { url: net.url } }, pipelines }));
  await build({ firn, folder });
  const allowed = metrics(await readModels()).filter((metric) => isAllowed(metric, inputsOfContainers));
  expect(await covered(folder)).toEqual(allowed.map(({ name }) => name).sort());
});

test('a node without index and traces', async () => {
  net.configure({ without: ['index', 'traces'] });
  const { streams, text, json: said } = await init('--preset', 'node', '--node', net.url, '--metrics', nowhere);
  expect(streams).toMatchObject({ 'node/evm_blocks': { traces: false }, 'node/platform_validators': {} });
  expect(streams).not.toHaveProperty(['node/containers']);
  expect(streams['node/platform_blocks']).toEqual({ from: 0 });
  expect(text).toMatch(/evm_blocks: \{ blockchainIds: \[C\], from: 0, traces: false \}$/m);
  expect(text).toMatch(/^ +# node\/containers: not offered by this source$/m);
  expect(said.metrics[0]).toMatchObject({
    allowed: expect.not.arrayContaining(['contracts']),
    sentence: expect.stringMatching(/^13 of 17 recomputed; not .*contracts.*: without traces/),
  });
});

test('what is missing for one reason takes one line', async () => {
  net.configure({ without: ['index'] });
  const config = join(await temporary(), 'firn.yaml');
  const { out } = await runHere(['--config', config, 'init', '--node', net.url]);
  expect(out.match(/^ +missing .*$/gm)).toEqual([
    expect.stringMatching(/node\/containers C\/block, P\/block, X\/block, X\/tx, X\/vtx +POST .*404/),
  ]);
});

test('an index that was switched on late is taken as it is, with what lies below it beside it', async () => {
  onTestFinished(() => net.configure({ gaps: {} }));
  net.configure({ gaps: { 'P/block': [[1, 5]] } });
  const { text, streams, config } = await init('--node', net.url);
  const indexes = ['C/block', 'P/block', 'X/block'];
  expect(streams).toMatchObject({ 'node/containers': { indexes, allowIncomplete: true }, 'node/platform_blocks': {} });
  expect(text).toMatch(/allowIncomplete: true \} # an index begins late/);
  await writeFile(config, text.replace(', allowIncomplete: true', ''));
  const { code, out } = await runHere(['--config', config, 'doctor']);
  expect([code, out]).toEqual([
    4,
    expect.stringMatching(/fail +node\/containers P\/block +.*begins with the block of height 6/),
  ]);
});

test('a node that came by state sync is read from where its blocks begin', { tags: 'long' }, async () => {
  onTestFinished(() => net.configure({ gaps: {} }));
  net.configure({ gaps: { C: [[1, 20]] } });
  const { text, config, firn } = await init('--node', net.url);
  const [, from = ''] = /node\/evm_blocks: .* from: (\S+) \} # the node has no older blocks/.exec(text) ?? [];
  expect((await firn('sync')).code).toBe(0);
  expect(Date.parse(from)).toBe(((net.ledger.c.blocks[21]?.timestamp ?? 0) + 1) * 1000);
  await writeFile(config, text.replace(from, '0').replace('./warehouse', './other'));
  const { code, out } = await firn('doctor');
  expect([code, out]).toEqual([4, expect.stringMatching(/fail +node\/evm_blocks \d+ .*its blocks begin with 21 of/)]);
});

test('what could not be asked is written by default, and said', async () => {
  const {
    code,
    streams,
    text,
    json: said,
    sources,
  } = await init(
    ...['--preset', 'node', '--node', nowhere, '--data', nowhere, '--metrics', nowhere, '--network', 'fuji'],
  );
  expect(code).toBe(0);
  expect(sources.data.network).toBe('fuji');
  expect(streams).toMatchObject({
    'node/containers': { indexes: ['C/block', 'P/block', 'X/block'] },
    'node/evm_blocks': { blockchainIds: ['C'], from: '-30d' },
    'data/latest_transactions': { chainIds: ['43113'] },
    'metrics/chain_metrics': { chainIds: ['43113'] },
  });
  expect(said.streams.map(({ state }: { state: string }) => state)).toEqual(Array(8).fill('unchecked'));
  expect(said.metrics[0].sentence).toMatch(
    /could not be checked; with the whole history 17 of 17, without call traces 13/,
  );
  expect(text.match(/could not be checked/g)).toHaveLength(8);
  expect(text).toMatch(/from: -30d.* # cumulative metrics need from: 0/);
});

test('of a node that is down the network is assumed and said so; doctor tells once it answers as another', {
  tags: 'long',
}, async () => {
  const { code, text, config, json: said, firn } = await init('--node', nowhere, '--metrics', nowhere);
  expect([code, said.assumed]).toEqual([0, 'mainnet']);
  expect(text).toMatch(/^# The node could not say which network it belongs to: mainnet is assumed\.$/m);
  const shown = await firn('init', '--force', '--node', nowhere, '--metrics', nowhere);
  expect(shown.out).toMatch(
    /mainnet is assumed, with C-Chain 43114\. .*the same "firn init" again with --force once the node answers/,
  );
  await writeFile(config, text.replaceAll(nowhere, net.url));
  const { json: doctored } = await firn('--json', 'doctor');
  const services = doctored.checks.find(({ name }: { name: string }) => name === 'services');
  expect(services.sentence).toMatch(
    /The node belongs to local \(network 12345\), but metrics\/chain_metrics asks for 43114/,
  );
  const known = await firn('--json', 'init', '--force', '--node', net.url);
  expect(known.json.assumed).toBeNull();
});

test('a node that is bootstrapping gets everything, and a note', async () => {
  net.configure({ without: ['bootstrap'] });
  const { url } = net;
  const { streams, text, config, json: said } = await init('--node', url);
  expect(streams).toEqual({
    'node/containers': { indexes: ['C/block', 'P/block', 'X/block'] },
    'node/evm_blocks': { blockchainIds: ['C'], from: '-30d' },
    'node/platform_validators': {},
  });
  for (const { id, state, reason } of said.streams) {
    expect([id, state]).toEqual([id, 'unchecked']);
    expect(reason).toMatch(/still bootstrapping its chain [CPX]/);
  }
  expect(text.match(/could not be checked/g)).toHaveLength(3);
  const shown = await runHere(['--config', config, 'init', '--force', '--node', url]);
  expect(shown.out).toMatch(
    /The node is still bootstrapping.*"firn --config \S+ doctor" .*the same "firn init" with --force then writes/,
  );
  net.configure({ without: [] });
  const later = await runHere(['--config', config, 'init', '--force', '--node', url]);
  expect(later.out).not.toMatch(/bootstrapping,/);
});

test('a chain at height 0, whose genesis cannot be traced, is traced all the same', async () => {
  const before = new Date((net.ledger.c.blocks[1]?.visibleAt ?? 0) - 1000).toISOString();
  const young = await startDevnet({ ledger: net.ledger, head: before });
  onTestFinished(young.close);
  const { streams, json: said } = await init('--node', young.url);
  expect(said.findings.find(({ about }: { about: string }) => about === 'chain C').sentence).toMatch(/at height 0\b/);
  expect(streams['node/evm_blocks']).toEqual({ blockchainIds: ['C'], from: 0 });
  expect(said.metrics[0]).toMatchObject({ sentence: '17 of 17 recomputed' });
  young.configure({ without: ['traces'] });
  expect((await init('--node', young.url)).streams['node/evm_blocks']).toMatchObject({ traces: false });
});

test('the hosted metrics service is not written for a network that it does not serve', async () => {
  const { sources, streams, err } = await init('--preset', 'node', '--node', net.url);
  expect([sources, Object.keys(streams).filter((id) => id.startsWith('metrics/'))]).toEqual([
    { node: { url: net.url } },
    [],
  ]);
  expect(err).toMatch(/hosted metrics service is left out: .* belongs to network 12345/);
});

test('an L1 of the node is read beside the C-Chain; one that it does not run is left out', async () => {
  net.moveHead('100%');
  onTestFinished(() => net.moveHead('3%'));
  const [l1] = net.ledger.l1s;
  const {
    streams,
    text,
    json: said,
  } = await init(
    ...[
      '--node',
      net.url,
      '--metrics',
      net.url,
      '--chain',
      l1?.blockchainId ?? '',
      '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm',
    ],
  );
  const chainIds = [net.ledger.c, l1].map((chain) => String(chain?.evmChainId));
  expect(streams['node/evm_blocks']).toEqual({ blockchainIds: ['C', l1?.blockchainId], from: 0 });
  expect(text).toMatch(/^ +# chain 2JVSBoin\w+: not offered by this source$/m);
  expect(streams['metrics/chain_metrics'].chainIds).toEqual(chainIds);
  expect(said.metrics.map(({ sentence }: { sentence: string }) => sentence)).toEqual([
    '17 of 17 recomputed',
    '17 of 17 recomputed',
    `the served side, for chain ${chainIds.join(', ')}`,
  ]);
});

test('a chain that the services do not have is left out, and said', async () => {
  const rpc = await rpcServer();
  const { url } = net;
  const { streams, text, sources } = await init('--rpc', `${rpc.url}/rpc`, '--data', url, '--metrics', url);
  expect(sources.node).toEqual({ rpc: { C: `${rpc.url}/rpc` } });
  expect(Object.keys(streams)).toEqual([
    'node/evm_blocks',
    'data/chains',
    'data/primary_transactions',
    'data/validators',
  ]);
  expect(text).not.toMatch(/43112|43114/);
});

test('of a service with chains of both networks, those of the one that is written are named and read', async () => {
  const chains = [
    { chainId: '43113', isTestnet: true },
    { chainId: '8021', isTestnet: false },
  ];
  const { url } = await localServer((response) => json(response, 200, { chains, transactions: [], validators: [] }));
  const { sources, streams, json: said } = await init('--data', url);
  expect(sources.data.network).toBe('mainnet');
  expect(streams['data/latest_transactions']).toEqual({ chainIds: ['8021'] });
  expect(said.findings).toContainEqual(expect.objectContaining({ about: 'chains', sentence: 'lists 1 chain: 8021' }));
});

test('a service that offers one endpoint gets one stream', async () => {
  const { url } = await localServer((response, _, request) =>
    request.url.startsWith('/v1/chains/43114/transactions')
      ? json(response, 200, { transactions: [] })
      : json(response, 404, { message: 'Not Found', statusCode: 404 }),
  );
  const { streams, text, sources } = await init('--data', url);
  expect(sources.data.network).toBe('mainnet');
  expect(streams).toEqual({ 'data/latest_transactions': { chainIds: ['43114'] } });
  expect(text).toMatch(/^ +# data\/validators: not offered by this source$/m);
});

test('https where http is spoken makes no configuration', async () => {
  const { code, json: document, config } = await init('--node', net.url.replace('http:', 'https:'));
  expect(code).toBe(1);
  expect(document.error.message).toMatch(/^Nothing was written: .* does not speak TLS .* Write http:\/\/ in the URL/);
  await expect(readFile(config)).rejects.toThrow('ENOENT');
});

test.each([
  ['--node', '/ext/bc/C/rpc', [], /that of a node or service names the server alone/],
  // What another source offers would hide it.
  ['--node', '/ext/bc/C/rpc', ['--data'], /that of a node or service names the server alone/],
  ['--rpc', '', [], /URL: --rpc takes that of the chain with its path, .*; a node's server alone is --node\.$/],
])('a URL at which nothing is offered makes no configuration: %s <node>%s %s', async (option, path, others, words) => {
  const {
    code,
    json: document,
    config,
  } = await init(option, `${net.url}${path}`, ...others.flatMap((other) => [other, net.url]));
  expect(code).toBe(1);
  expect(document.error.message).toMatch(
    /^Nothing was written: the source node offers nothing\. POST .* answered 404.* firn init again with the right/,
  );
  expect(document.error.message).toMatch(words);
  await expect(readFile(config)).rejects.toThrow('ENOENT');
});

test.each([
  [[], 'mainnet'],
  [['--network', 'fuji'], 'fuji'],
])('a service that does not list its chains is asked for its network, with %j for %s', async (args, network) => {
  const { url } = await localServer((response, _, request) =>
    request.url.startsWith(`/v1/networks/${network}/validators`)
      ? json(response, 200, { validators: [] })
      : json(response, 404, { message: 'Not Found', statusCode: 404 }),
  );
  const { streams, sources } = await init('--data', url, ...args);
  expect([streams, sources.data.network]).toEqual([{ 'data/validators': {} }, network]);
});

test('a key in the environment is used and not written; one that is wanted is asked for', async () => {
  const { url, close } = await startDevnet({ ledger: net.ledger, head: '3%', key: 'the-right-key-77ab' });
  onTestFinished(close);
  const without = await init('--data', url);
  expect(without.text).toMatch(/^ {4}key: "\$\{env:FIRN_DATA_KEY\}"$/m);
  expect(Object.keys(without.streams)).toContain('data/latest_transactions');
  expect((await runHere(['--config', join(without.folder, 'a.yaml'), 'init', '--data', url])).out).toMatch(
    /Next: set FIRN_DATA_KEY/,
  );
  vi.stubEnv('FIRN_DATA_KEY', 'the-right-key-77ab');
  onTestFinished(() => void vi.unstubAllEnvs());
  const right = await init('--data', url);
  expect(right.text).toMatch(/^ {4}key: "\$\{env:FIRN_DATA_KEY\}"$/m);
  expect(right.streams).toMatchObject({ 'data/latest_transactions': { chainIds: ['43112'] } });
  for (const text of [right.text, right.out, right.err]) expect(text).not.toContain('the-right-key');
  expect((await right.firn('plan')).code).toBe(0);
});

test('after a node that wants a user and a password no plan is promised', async () => {
  const { url } = await localServer((response) =>
    response.writeHead(401, { 'www-authenticate': 'Basic realm="node"' }).end(),
  );
  const { out } = await runHere(['--config', join(await temporary(), 'a.yaml'), 'init', '--node', url]);
  expect(out).toMatch(/write both before the host in the URL of this source, with an @ behind them/);
  expect(out).toMatch(/Next: "\S+ --config .* doctor" says whether the sources answer\.$/m);
});

test('a key that the metrics service wants is another than that of the data service', async () => {
  const { url } = await localServer((response, _, { headers }) =>
    headers['x-service-api-key'] === 'the-right-key-77ab'
      ? json(response, 200, { chains: [], results: [] })
      : json(response, 401, { message: 'Unauthorized', statusCode: 401, error: 'Unauthorized' }),
  );
  const ask = ['--data', net.url, '--metrics', url, '--network', 'fuji'];
  const metrics = { url, key: '$' + '{env:FIRN_METRICS_KEY}' };
  const without = await init(...ask);
  expect(without.sources).toMatchObject({ data: expect.not.objectContaining({ key: expect.anything() }), metrics });
  const { out } = await runHere(['--config', without.config, 'init', '--force', ...ask]);
  expect(out).toContain('Next: set FIRN_METRICS_KEY to the key of the metrics service, then');
  vi.stubEnv('FIRN_METRICS_KEY', 'the-right-key-77ab');
  onTestFinished(() => void vi.unstubAllEnvs());
  const right = await init(...ask);
  expect(right.sources.metrics).toEqual(metrics);
  const sent = 'sent, and not refused';
  expect(right.json.findings).toContainEqual({ source: 'metrics', about: 'key', state: 'ok', sentence: sent });
  for (const text of [right.text, right.out, right.err]) expect(text).not.toContain('the-right-key');
});

test('a key in an RPC URL stands nowhere', async () => {
  const rpc = await rpcServer({ debug_traceBlockByNumber: { status: 403, text: 'plan of 4f2b9c81d77e4a0f' } });
  const { config, out, err, text } = await init('--rpc', `${rpc.url}/4f2b9c81d77e4a0f/rpc`);
  expect(text).toContain('C: "$' + '{env:FIRN_RPC_URL}"');
  expect(text).not.toContain('4f2b9c81d77e4a0f');
  const shown = await runHere(['--config', config, 'init', '--force', '--rpc', `${rpc.url}/4f2b9c81d77e4a0f/rpc`]);
  expect(shown.out).toMatch(/node: http:\/\/127\.0\.0\.1:\d+\/\*\*\*\/rpc/);
  for (const said of [out, err, shown.out, shown.err]) expect(said).not.toContain('4f2b9c81d77e4a0f');
});

test.each([
  ['an unknown preset', ['--preset', 'cloud'], /hosted, node, rpc/],
  ['a URL that is none', ['--node', 'localhost:9650'], /must start with http/],
  ['a URL without a host', ['--node', 'http://'], /name a host/],
  ['chains without a node', ['--preset', 'hosted', '--chain', '43114'], /--chain names EVM chains of a node/],
  [
    'an L1 by its EVM chain id',
    ['--node', 'http://127.0.0.1:1', '--chain', '99001'],
    /--chain 99001: name an L1 by its blockchain id, not by its EVM chain id; platform\.getBlockchains/,
  ],
  ['an RPC URL that is none', ['--rpc', 'C=ftp://host'], /must start with http/],
])('%s is refused with 2', async (_, args, words) => {
  const { code, err } = await init(...args);
  expect([code, err]).toEqual([2, expect.stringMatching(words)]);
});

test('a full disk leaves the configuration that --force was to replace', { tags: 'long' }, async () => {
  const folder = await temporary();
  const config = join(folder, 'firn.yaml');
  await writeFile(config, '# mine\n');
  const rpcs = Array.from({ length: 20 }, (_, at) => `L${at}=${nowhere}/ext/bc/a-chain-of-that-name/rpc`);
  const full = await runFirn(['--config', config, 'init', '--force', '--rpc', ...rpcs], { fileBlocks: 1 });
  expect(full).toMatchObject({ code: 73, stderr: expect.stringContaining(`Could not write ${config}`) });
  expect(await readFile(config, 'utf8')).toBe('# mine\n');
});
