import { type DevnetOptions, readLedger, startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { catalogue, sources as declared } from '../../../pipelines/index.ts';
import { planStreams } from '../../../src/run/planStreams.ts';
import { checksOf } from '../../../src/run/probe/doctorCheck.ts';
import { type ProbeReport, probeSources } from '../../../src/run/probe/probeSources.ts';
import { settingsSchema } from '../../../src/run/settings.ts';
import { json, localServer } from '../../extract/localServer.ts';
import { some } from '../../some.ts';
import { type RpcReply, rpcServer } from './rpcServer.ts';

const ledger = readLedger();

async function devnet(options: DevnetOptions = {}) {
  const started = await startDevnet({ ledger: await ledger, head: '5%', ...options });
  onTestFinished(() => started.close());
  return started;
}

interface Asked {
  readonly streams?: Readonly<Record<string, Record<string, unknown>>>;
  readonly chains?: readonly string[];
  readonly network?: string;
  readonly signal?: AbortSignal;
  readonly patienceMs?: number;
}

/** Probes sources as a configuration has them. */
function probe(sources: object, asked: Asked = {}): Promise<ProbeReport> {
  const { streams = {}, chains = [], signal = new AbortController().signal, ...rest } = asked;
  const settings = settingsSchema(declared).parse({ sources, pipelines: { main: { streams } } });
  const planned = Object.keys(streams).length > 0 ? planStreams(settings, catalogue) : [];
  return probeSources({ declared, sources: settings.sources, chains, signal, streams: () => planned, ...rest });
}

/** What was found, without the words. */
const found = ({ findings }: ProbeReport) => findings.map(({ about, state }) => `${about}: ${state}`);
const sentence = ({ findings }: ProbeReport, about: string) =>
  findings.find((finding) => finding.about === about)?.sentence;

const streams = {
  'node/containers': {},
  'node/evm_blocks': {},
  'data/latest_transactions': { chainIds: ['43112'] },
  'metrics/chain_metrics': { chainIds: ['43112'] },
};
const all = ({ url }: { readonly url: string }, data: object = {}) => ({
  node: { url },
  data: { url, network: 'fuji', ...data },
  metrics: { url },
});

test('a whole network: everything is there, at few requests', async () => {
  const net = await devnet({ quota: { perMinute: 6000 } });
  const report = await probe(all(net), { streams, chains: ['C'], network: 'fuji' });
  expect(found(report)).toEqual([
    'network: ok',
    'bootstrapped: ok',
    'chain C: ok',
    'receipts C: ok',
    'traces C: ok',
    ...['C/block', 'P/block', 'X/block', 'X/tx', 'X/vtx'].map((index) => `node/containers ${index}: ok`),
    'node/evm_blocks 43112: ok',
    'chains: ok',
    'data/latest_transactions 43112: ok',
    'key: ok',
    'quota: ok',
    'chains: ok',
    'metrics/chain_metrics 43112: ok',
    'key: ok',
    'quota: ok',
  ]);
  expect(sentence(report, 'network')).toBe('local (network 12345), served as fuji');
  const height = net.ledger.c.blocks.filter(({ visibleAt }) => visibleAt <= net.head.now()).length - 1;
  expect(sentence(report, 'chain C')).toMatch(`chain id 43112 at height ${height} of 2026-`);
  expect(sentence(report, 'node/containers X/tx')).toBe('holds nothing yet');
  expect(sentence(report, 'quota')).toMatch(/^6,000 in 60 s, 5,979 left$/);
  expect(report.offers['node']?.chains).toMatchObject([
    { chainId: '43112', blocks: 'genesis', receipts: 'genesis', traces: 'genesis' },
  ]);
  const { requests } = net.stats();
  expect(Object.values(requests).reduce((sum, n) => sum + n, 0)).toBeLessThan(30);
});

test.each<[string, DevnetOptions['without'], string[], Record<string, RegExp>]>([
  [
    'index',
    ['index'],
    ['node/containers C/block: missing', 'chain C: ok', 'traces C: ok'],
    { 'node/containers C/block': /404.*enable it in the node/ },
  ],
  [
    'traces',
    ['traces'],
    ['traces C: missing', 'receipts C: ok'],
    { 'traces C': /contracts, deployers.*not covered.*debug-tracer.*traces: false/ },
  ],
  ['receipts of whole blocks', ['receipts'], ['receipts C: missing', 'traces C: ok'], { 'receipts C': /one by one/ }],
  [
    'the end of its bootstrap',
    ['bootstrap'],
    ['network: ok', 'chain C: unreachable', 'node/containers P/block: ok', 'node/containers X/block: unreachable'],
    { 'chain C': /still bootstrapping its chain C/, 'node/containers X/block': /still bootstrapping its chain X/ },
  ],
])('a node without %s', async (_, without, wanted, sentences) => {
  const net = await devnet({ without: without ?? [] });
  const report = await probe(
    { node: { url: net.url } },
    { streams: { 'node/containers': {}, 'node/evm_blocks': {} }, chains: ['C'] },
  );
  expect(found(report)).toEqual(expect.arrayContaining(wanted));
  for (const [about, words] of Object.entries(sentences)) expect(sentence(report, about)).toMatch(words);
});

test('a node that says itself that it is bootstrapping', async () => {
  const server = await localServer((response, _, { body }) => {
    const { id, method, params } = JSON.parse(body);
    const result = method === 'info.isBootstrapped' ? { isBootstrapped: params.chain === 'P' } : { networkID: '1' };
    json(response, 200, { jsonrpc: '2.0', id, result });
  });
  const report = await probe({ node: { url: server.url } });
  expect(found(report)).toEqual(['network: ok', 'bootstrapped: unreachable']);
  expect(sentence(report, 'bootstrapped')).toMatch(/^X, C of the node still bootstrapping\. Wait/);
  expect(report.network).toMatchObject({ networkId: 1, network: 'mainnet', hrp: 'avax' });
});

test('a node that follows the P-Chain alone is not waited for: it calls the others not bootstrapped for ever, and itself ready', async () => {
  const server = await localServer((response, _, { body }) => {
    const { id, method, params } = JSON.parse(body);
    const said = {
      'info.isBootstrapped': { isBootstrapped: params.chain === 'P' },
      'health.readiness': { healthy: true },
    };
    json(response, 200, { jsonrpc: '2.0', id, result: said[method as keyof typeof said] ?? { networkID: '1' } });
  });
  const report = await probe({ node: { url: server.url } });
  expect(found(report)).toEqual(['network: ok', 'bootstrapped: ok']);
  expect(sentence(report, 'bootstrapped')).toBe('P');
});

const refused: RpcReply = { error: { code: -32000, message: 'tracing needs a paid plan' } };
const pruned = ([at]: readonly unknown[]): RpcReply =>
  at === '0x64' ? { result: [] } : { error: { code: -32000, message: 'required historical state unavailable' } };
const late = () => {
  let asked = 0;
  return (): RpcReply => (asked++ > 0 ? { result: [] } : { error: { code: -32000, message: 'block #100 not found' } });
};
const steps = { gas: 21000, failed: false, returnValue: '', structLogs: [] };
const withTx = ([at]: readonly unknown[]): RpcReply => ({
  result: { number: at === 'finalized' ? '0x64' : at, hash: '0x1', timestamp: '0x1', transactions: ['0xaa'] },
});

test.each<[string, Parameters<typeof rpcServer>[0], string[], object]>([
  [
    'gives everything',
    {},
    ['chain C: ok', 'receipts C: ok', 'traces C: ok'],
    { blocks: 'genesis', receipts: 'genesis', traces: 'genesis' },
  ],
  [
    'refuses traces',
    { debug_traceBlockByNumber: refused },
    ['traces C: refused', 'receipts C: ok'],
    { traces: 'none' },
  ],
  [
    'asks for traces of a node that is behind first',
    { debug_traceBlockByNumber: late() },
    ['traces C: ok'],
    { traces: 'genesis' },
  ],
  [
    'does not know callTracer',
    { debug_traceBlockByNumber: { result: [{ txHash: '0xaa', result: steps }] } },
    ['traces C: missing', 'receipts C: ok'],
    { traces: 'none' },
  ],
  [
    'does not know callTracer, and has no transaction in its newest block',
    { debug_traceBlockByNumber: ([at]) => ({ result: at === '0x64' ? [] : [{ txHash: '0xaa', result: steps }] }) },
    ['traces C: missing'],
    { traces: 'none' },
  ],
  [
    'does not know callTracer, and has no transaction in an old block',
    { debug_traceBlockByNumber: ([at]) => ({ result: at === '0x64' ? [{ txHash: '0xaa', result: steps }] : [] }) },
    ['traces C: missing'],
    { traces: 'none' },
  ],
  [
    'writes the hash of its genesis in capitals',
    {
      eth_getBlockByNumber: ([at]) => ({
        result: {
          number: at === 'finalized' ? '0x64' : at,
          hash: at === '0x0' ? '0xAB' : '0xcd',
          timestamp: '0x1',
          transactions: [],
        },
      }),
    },
    ['chain C: ok'],
    { genesisHash: '0xab' },
  ],
  [
    'prunes its state',
    { debug_traceBlockByNumber: pruned },
    ['traces C: missing'],
    { traces: 'recent', blocks: 'genesis' },
  ],
  [
    'has pruned the state of the newest block, too',
    {
      debug_traceBlockByNumber: {
        error: { code: -32000, message: 'missing trie node 0a (path ) state 0b is not available' },
      },
    },
    ['traces C: missing'],
    { traces: 'recent', blocks: 'genesis' },
  ],
  [
    'holds new blocks only',
    { eth_getBlockByNumber: ([at]) => (at === '0x1' ? { result: null } : withTx([at])) },
    ['history C: missing', 'traces C: ok', 'node/evm_blocks 43114: refused'],
    { blocks: 'recent', receipts: 'recent', traces: 'recent' },
  ],
  [
    'gives receipts one by one',
    { eth_getBlockByNumber: withTx, eth_getBlockReceipts: refused, eth_getTransactionReceipt: { result: {} } },
    ['receipts C: missing'],
    { receipts: 'genesis' },
  ],
  [
    'gives receipts one by one, and has no transaction in its newest block',
    { eth_getBlockReceipts: refused },
    ['receipts C: missing'],
    { receipts: 'genesis' },
  ],
  [
    'has not executed its newest block yet',
    {
      eth_getBlockByNumber: withTx,
      eth_getBlockReceipts: ([at]) => ({ result: at === '0x64' ? null : [] }),
      eth_getTransactionReceipt: { result: {} },
    },
    ['receipts C: ok'],
    { receipts: 'genesis' },
  ],
  [
    'gives no receipts',
    { eth_getBlockByNumber: withTx, eth_getBlockReceipts: refused, eth_getTransactionReceipt: refused },
    ['receipts C: refused'],
    { receipts: 'none' },
  ],
])('a public RPC that %s', async (_, replies, wanted, offer) => {
  const server = await rpcServer(replies);
  const report = await probe(
    { node: { rpc: { C: `${server.url}/rpc` } } },
    { chains: ['C'], streams: { 'node/evm_blocks': {} } },
  );
  const all = wanted.some((one) => one.startsWith('node/')) ? wanted : [...wanted, 'node/evm_blocks 43114: ok'];
  expect(found(report)).toEqual(expect.arrayContaining(all));
  expect(report.offers['node']?.chains).toMatchObject([{ chainId: '43114', height: 100, ...offer }]);
  expect(report.network.network).toBe('mainnet');
});

test.each<[string, string, string]>([
  ['that cannot trace it', 'genesis is not traceable', 'genesis'],
  ['without traces', 'the method debug_traceBlockByNumber does not exist/is not available', 'none'],
])('a chain that has nothing but its genesis, of a node %s', async (_, message, traces) => {
  const server = await rpcServer({
    eth_chainId: { result: `0x1${'0'.repeat(20)}` },
    eth_blockNumber: { result: '0x0' },
    debug_traceBlockByNumber: { error: { code: -32000, message } },
  });
  const { offers } = await probe({ node: { rpc: { C: `${server.url}/rpc` } } }, { chains: ['C'] });
  expect(offers['node']?.chains).toMatchObject([{ chainId: String(2n ** 80n), height: 0, traces }]);
});

const busy: RpcReply = { status: 429, text: 'too many' };
const takesNoMore: RpcReply = { error: { code: -32005, message: 'rate limit exceeded' } };

test.each<[string, Parameters<typeof rpcServer>[0], string, RegExp, string[], object]>([
  [
    'block 1',
    { eth_getBlockByNumber: ([at]) => (at === '0x1' ? busy : withTx([at])) },
    'history C',
    /429/,
    ['traces C: ok'],
    { blocks: 'recent', traces: 'recent' },
  ],
  [
    'an old trace',
    { debug_traceBlockByNumber: ([at]) => (at === '0x64' ? { result: [] } : busy) },
    'traces C',
    /^Which blocks it traces is not known: .*429/,
    [],
    { blocks: 'genesis', traces: 'recent' },
  ],
  [
    'an old trace, in words',
    { debug_traceBlockByNumber: ([at]) => (at === '0x64' ? { result: [] } : takesNoMore) },
    'traces C',
    /^Which blocks it traces is not known: .*rate limit exceeded/,
    [],
    { blocks: 'genesis', traces: 'recent' },
  ],
  [
    'any trace',
    { debug_traceBlockByNumber: busy },
    'traces C',
    /^Which blocks it traces is not known: .*429/,
    [],
    { blocks: 'genesis', traces: 'recent' },
  ],
])(
  'no answer just now for %s is not taken for a node that lacks it',
  { tags: 'long' },
  async (_, replies, about, words, others, offer) => {
    const server = await rpcServer(replies);
    const report = await probe({ node: { rpc: { C: `${server.url}/rpc` } } }, { chains: ['C'] });
    expect(found(report)).toEqual(expect.arrayContaining([`${about}: unreachable`, ...others]));
    expect(sentence(report, about)).toMatch(words);
    expect(report.offers['node']?.chains).toMatchObject([offer]);
  },
);

test.each<[string, Parameters<typeof rpcServer>[0]]>([
  ['no block for its own height', { eth_getBlockByNumber: { result: null } }],
  ['a height that is none', { eth_blockNumber: { result: 'soon' } }],
  ['a height that no number holds', { eth_blockNumber: { result: '0xffffffffffffffff' } }],
  ['a chain id that is none', { eth_chainId: { result: { id: 1 } } }],
  ['a chain id of more than 256 bits', { eth_chainId: { result: `0x1${'0'.repeat(64)}` } }],
  ['nothing but null', { eth_chainId: { result: null }, eth_blockNumber: { result: null } }],
])('a server that gives %s is no chain, and no crash', async (_, replies) => {
  const server = await rpcServer(replies);
  const report = await probe({ node: { rpc: { C: `${server.url}/rpc` } } }, { chains: ['C'] });
  expect(found(report)).toEqual(['chain C: unreachable']);
  expect(sentence(report, 'chain C')).toMatch(/Check that the URL/);
});

test('a wrong key, and none where one is wanted', async () => {
  const net = await devnet({ key: 'the-right-key' });
  const asked = { streams: { 'data/latest_transactions': { chainIds: ['43112'] } } };
  for (const [key, words] of [
    ['wrong-key-41f2c8', /^The key is not accepted\. .*401.*keyHeader/],
    [undefined, /^A key is required, and none is configured\. /],
  ] as const) {
    const report = await probe({ data: { url: net.url, network: 'fuji', key } }, asked);
    expect(found(report)).toEqual(['chains: refused', 'data/latest_transactions 43112: refused', 'key: refused']);
    expect(sentence(report, 'key')).toMatch(words);
    expect(JSON.stringify(report)).not.toContain('wrong-key');
  }
  const right = await probe({ data: { url: net.url, network: 'fuji', key: 'the-right-key' } }, asked);
  expect(sentence(right, 'key')).toBe('sent, and not refused');
  expect(JSON.stringify(right)).not.toContain('the-right-key');
});

test('a service that keeps its list of chains from us is judged by what the streams ask for', async () => {
  const { url } = await localServer((response, _, request) =>
    request.url.startsWith('/v1/chains/43112/')
      ? json(response, 200, { transactions: [] })
      : json(response, 401, { message: 'Unauthorized', statusCode: 401 }),
  );
  const report = await probe({ data: { url } }, { streams: { 'data/latest_transactions': { chainIds: ['43112'] } } });
  expect(checksOf(report.findings).map(({ name, state }) => `${state} ${name}`)).toEqual([
    'ok data/latest_transactions 43112',
    'ok data key',
  ]);
});

test.each<[string, string, string, RegExp, number]>([
  ['a gate of another kind', 'data', '<html><title>Access denied</title></html>', /^Is this the right host\?.*403/, 2],
  [
    'a node that was not told its name',
    'node',
    'invalid host specified\n',
    /does not answer to this host name.*IP address/,
    1,
  ],
])('%s does not miss a key', async (_, source, text, words, code) => {
  const { url } = await localServer((response) => response.writeHead(403).end(text));
  const asked = { 'data/latest_transactions': { chainIds: ['43112'] }, 'node/containers': {} };
  const id = source === 'data' ? 'data/latest_transactions' : 'node/containers';
  const report = await probe({ [source]: { url } }, { streams: { [id]: asked[id] } });
  const wrong = checksOf(report.findings).filter(({ state }) => state === 'fail');
  expect(wrong.map(({ exitCode }) => exitCode)).toContain(code);
  expect(wrong[0]?.sentence).toMatch(words);
  for (const { sentence } of wrong) expect(sentence).not.toMatch(/A key is wanted/);
});

test('a quota that is used up is no failure of the source', async () => {
  const net = await devnet({ quota: { perMinute: 20 } });
  const report = await probe(
    { data: { url: net.url, network: 'fuji' } },
    { streams: { 'data/validators': {} }, network: 'fuji' },
  );
  expect(report.streams).toMatchObject([{ state: 'unreachable', code: 'rate_limited' }]);
});

test('a service without a list of its chains is judged by its streams', async () => {
  const server = await localServer((response, _, { url }) =>
    url.startsWith('/v1/chains/1/')
      ? json(response, 200, { transactions: [] })
      : json(response, 404, { message: 'Cannot GET', statusCode: 404 }),
  );
  const asked = { streams: { 'data/latest_transactions': { chainIds: ['1', '2'] } } };
  const report = await probe({ data: { url: server.url } }, asked);
  expect(found(report)).toEqual([
    'chains: missing',
    'data/latest_transactions 1: ok',
    'data/latest_transactions 2: missing',
    'key: ok',
  ]);
});

test('what a server says of itself steers neither the terminal nor the configuration', async () => {
  const chains = [{ chainId: '1' }, { chainId: '\u001b[2J' }, { chainId: { a: 1 } }, { chainId: '1, 2] }' }];
  const service = await localServer((response) => json(response, 200, { chains }));
  const rpc = await rpcServer({ debug_traceBlockByNumber: { error: { code: -32000, message: 'no\u001b[2J\nway' } } });
  const report = await probe({ data: { url: service.url }, node: { rpc: { C: `${rpc.url}/rpc` } } }, { chains: ['C'] });
  expect(report.offers['data']?.listed.map(({ chainId }) => chainId)).toEqual(['1']);
  expect(sentence(report, 'traces C')).toMatch(/It said: "no \[2J way"\.$/);
});

test.each<[string, number, string, RegExp]>([
  ['HTML', 200, '<html><title>Welcome</title></html>', /HTML instead of JSON.*Check the URL/],
  ['another JSON', 200, '{"hello":"world"}', /holds no list "chains"|neither a result nor an error/],
  ['a list for an object', 200, '[]', /holds no list "chains"|neither a result nor an error/],
  ['cut JSON', 200, '{"chains":[', /not JSON/],
  ['nothing', 200, '', /with nothing/],
  ['502 HTML', 502, '<html><title>Bad Gateway</title></html>', /502 Bad Gateway/],
])('a server that answers with %s is unreachable, three times over', async (_, status, text, words) => {
  const { url } = await localServer((response) => json(response, status, text));
  const report = await probe(all({ url }), { streams, chains: ['C'] });
  expect(found(report)).toEqual(['network: unreachable', 'chains: unreachable', 'chains: unreachable']);
  for (const finding of some(report.findings)) expect(finding.sentence).toMatch(words);
});

test('nothing answers, and a redirect is not followed', async () => {
  const elsewhere = await localServer((response) => json(response, 200, { chains: [] }));
  const { url } = await localServer((response) => response.writeHead(302, { location: elsewhere.url }).end());
  const report = await probe({ node: { url: 'http://127.0.0.1:1' }, data: { url } });
  expect(found(report)).toEqual(['network: unreachable', 'chains: refused']);
  expect(sentence(report, 'chains')).toMatch(/302.*Redirects are not followed/);
  expect(elsewhere.received).toEqual([]);
});

test('silence ends with the patience, Ctrl-C at once', async () => {
  const { url } = await localServer(() => {});
  const report = await probe(all({ url }), { patienceMs: 300 });
  expect(found(report)).toEqual(['network: unreachable', 'chains: unreachable', 'chains: unreachable']);
  expect(sentence(report, 'network')).toMatch(/No complete answer within 0\.3 s/);
  const controller = new AbortController();
  const stopped = probe(all({ url }), { signal: controller.signal });
  controller.abort('SIGINT');
  await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
});

test.each([
  ['0x69d1a4b0', ' of 2026-04-04 23:54:24 UTC'],
  ['0x0', ''],
  ['0xffffffffffffffff', ''],
  ['soon', ''],
  [1, ''],
  [undefined, ''],
])('the time of the newest block %j is told as %j', async (timestamp, told) => {
  const node = await rpcServer({
    eth_getBlockByNumber: ([at]) => ({ result: { number: at, hash: '0x1', timestamp, transactions: [] } }),
  });
  const report = await probe({ node: { rpc: { C: `${node.url}/rpc` } } }, { chains: ['C'] });
  expect(sentence(report, 'chain C')).toBe(`chain id 43114 at height 100${told}`);
});
