import type { DevnetOptions } from 'firn-devnet';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { nodeStreams } from '../../pipelines/node/index.ts';
import type { PartitionResult } from '../../src/run/read/syncOptions.ts';
import { type NodeHarness, startNodeHarness } from '../pipelines/node/nodeHarness.ts';
import { startProxy } from '../pipelines/node/startProxy.ts';
import { some } from '../some.ts';

vi.setConfig({ testTimeout: 120_000 });

let node: NodeHarness;
afterEach(() => node.close());

const streams = {
  'node/containers': { indexes: ['C/block', 'P/block', 'X/block'], decode: false },
  'node/evm_blocks': { blockchainIds: ['C'], from: 0, traces: false },
  'node/evm_chain_config': { blockchainIds: ['C'] },
  'node/platform_validators': {},
};
const parts = ['C/block', 'P/block', 'X/block', 'evm_blocks', 'evm_chain_config', 'platform_validators'];

async function start(options: DevnetOptions) {
  node = await startNodeHarness(nodeStreams, { head: '3%', ...options }, { attempts: 2, baseMs: 1, holdMs: 1 });
}

/** What became of each part, told by its code where it failed. */
function outcomes(results: readonly PartitionResult[]): Record<string, string> {
  const partOf = ({ stream, partition }: PartitionResult) =>
    stream === 'node/containers' ? partition.replace('index_name=', '') : stream.replace('node/', '');
  return Object.fromEntries(results.map((result) => [partOf(result), result.code ?? result.outcome]));
}

const all = (state: string) => Object.fromEntries(parts.map((part) => [part, state]));
const done = all('done');
const rowsOf = (table: string) => node.value(`SELECT count(*) FROM raw.node_${table}`);

/** The C-Chain's RPC cannot say its id, so that its chain config cannot be known either. */
const withoutRpc = { ...done, evm_blocks: 'unavailable', evm_chain_config: 'unavailable' };

test.each([
  ['before anything is known of it', true],
  ['when it was read before', false],
])(
  "a C-Chain's RPC that answers 500 %s stops what needs it, and nothing else",
  { tags: 'long' },
  async (_, atFirst) => {
    await start(atFirst ? { without: ['rpc-C'] } : {});
    if (!atFirst) expect(outcomes(await node.sync(streams))).toEqual(done);
    node.devnet.configure({ without: ['rpc-C'] });
    node.devnet.moveHead('4%');
    const before = await rowsOf('containers');
    expect(outcomes(await node.sync(streams))).toEqual(withoutRpc);
    expect(await rowsOf('containers')).toBeGreaterThan(before as bigint);
    node.devnet.configure({ without: [] });
    expect(outcomes(await node.sync(streams))).toEqual(done);
    const [chain] = await node.query("SELECT chain_id, name, blockchain_id FROM firn.chain WHERE alias = 'C'");
    const { c } = node.devnet.ledger;
    expect(chain).toEqual({ chain_id: String(c.evmChainId), name: 'C-Chain', blockchain_id: c.blockchainId });
  },
);

test.each([{}, [], 7, 'C', '43114', '0x', '0xg', '0x1.8', '', true])(
  'an eth_chainId of %j is none: nothing of the chain is read or pinned',
  { tags: 'long' },
  async (result) => {
    await start({});
    const proxy = await startProxy(node.devnet.url, async ({ method }) =>
      method === 'eth_chainId' ? { result } : undefined,
    );
    const some = { 'node/evm_chain_config': { blockchainIds: ['C'] }, 'node/platform_validators': {} };
    const unread = { evm_chain_config: 'contract', platform_validators: 'done' };
    expect(outcomes(await node.sync(some, proxy.url))).toEqual(unread);
    expect(await node.query("SELECT * FROM firn.chain WHERE alias = 'C'")).toEqual([]);
    expect(outcomes(await node.sync(some))).toEqual({ ...unread, evm_chain_config: 'done' });
  },
);

test('a node of another network is known by its number while its C-Chain does not answer', {
  tags: 'long',
}, async () => {
  await start({});
  const list = { 'node/platform_validators': {} };
  expect(outcomes(await node.sync(list))).toEqual({ platform_validators: 'done' });
  const rows = await node.query('SELECT * FROM raw.node_platform_validators ORDER BY node_id');
  node.devnet.configure({ without: ['rpc-C'] });
  const proxy = await startProxy(node.devnet.url, async ({ method }) => {
    if (method === 'info.getNetworkID') return { result: { networkID: '1' } };
    return method === 'platform.getCurrentValidators' ? { result: { validators: [] } } : undefined;
  });
  await expect(node.sync(list, proxy.url)).rejects.toMatchObject({
    code: 'network_mismatch',
    message: expect.stringContaining('the node is of network 1'),
  });
  expect(await node.query('SELECT * FROM raw.node_platform_validators ORDER BY node_id')).toEqual(rows);
  // The same network is read without its C-Chain.
  expect(outcomes(await node.sync(list))).toEqual({ platform_validators: 'done' });
});

test('the blockchain id of a C-Chain that was read while the info API was off is learned once it answers', async () => {
  await start({});
  const proxy = await startProxy(node.devnet.url, async ({ path }) =>
    path === '/ext/info' ? { unanswered: 404 } : undefined,
  );
  const some = { 'node/evm_chain_config': { blockchainIds: ['C'] } };
  const chain = () => node.query("SELECT blockchain_id, name, genesis_hash FROM firn.chain WHERE alias = 'C'");
  expect(outcomes(await node.sync(some, proxy.url))).toEqual({ evm_chain_config: 'done' });
  const [before] = await chain();
  expect(before).toMatchObject({ blockchain_id: null });
  expect(outcomes(await node.sync(some))).toEqual({ evm_chain_config: 'done' });
  expect(await chain()).toEqual([{ ...before, blockchain_id: node.devnet.ledger.c.blockchainId }]);
});

test('a blockchain id and a genesis hash that are none are not pinned', async () => {
  await start({});
  const proxy = await startProxy(node.devnet.url, async ({ method, params, forward }) => {
    if (method === 'info.getBlockchainID') return { result: { blockchainID: 'a\u0000b' } };
    const [at] = [params].flat();
    return method === 'eth_getBlockByNumber' && at === '0x0'
      ? { result: { ...((await forward()) as object), hash: '0x\u0000' } }
      : undefined;
  });
  const results = await node.sync({ 'node/platform_validators': {} }, proxy.url);
  expect(results).toMatchObject([{ code: 'contract', message: expect.stringMatching(/holds no id of a blockchain/) }]);
  expect(await node.query('SELECT * FROM firn.chain')).toEqual([]);
  expect(outcomes(await node.sync({ 'node/platform_validators': {} }))).toEqual({ platform_validators: 'done' });
});

const late = 'unavailable';

test.each<[NonNullable<DevnetOptions['without']>[number], Record<string, string>]>([
  ['bootstrap', { ...all(late), 'P/block': 'done' }],
  ['bootstrap-C', { ...done, evm_blocks: late, evm_chain_config: late }],
  ['bootstrap-X', done],
])(
  '%s: what the chain does not serve yet is to be read later, and no stream is left out',
  { tags: 'long' },
  async (part, wanted) => {
    await start({ without: [part] });
    const results = await node.sync(streams);
    expect(outcomes(results)).toEqual(wanted);
    for (const { code, message } of some(results))
      if (code) expect(message).toMatch(/is still bootstrapping its chain [PXC] .*Run again when it is done/);
    node.devnet.configure({ without: [] });
    expect(outcomes(await node.sync(streams))).toEqual(done);
  },
);

test('a node that bootstraps, of several behind one URL of which another one says that it is healthy, is waited for', async () => {
  await start({});
  const proxy = await startProxy(node.devnet.url, async ({ method, path }) => {
    if (path === '/ext/bc/P') return { unanswered: 503 };
    if (method === 'info.isBootstrapped') return { result: { isBootstrapped: false } };
    return method === 'health.readiness' ? { result: { healthy: true } } : undefined;
  });
  const [first] = await node.sync({ 'node/platform_validators': {} }, proxy.url);
  expect(first).toMatchObject({ outcome: 'failed', code: 'unavailable' });
  expect(first?.message).toMatch(/is still bootstrapping its chain P /);
});

test.each([
  ['ready', true],
  ['bootstrapping', false],
])(
  'a chain is not left out where one of several nodes has no path for it yet, whichever is asked first: one that is %s',
  async (_, first) => {
    await start({});
    let next = first;
    const proxy = await startProxy(node.devnet.url, async ({ method, path, params }) => {
      if (/^\/ext\/(?:bc\/C\/rpc|index\/C\/block)$/.test(path)) return { unanswered: 404 };
      if (method === 'health.readiness') return { result: { healthy: true } };
      if (method !== 'info.isBootstrapped' || (params as { chain: string }).chain !== 'C') return undefined;
      next = !next;
      return { result: { isBootstrapped: !next } };
    });
    const results = await node.sync(streams, proxy.url);
    expect(outcomes(results)).toEqual({ ...withoutRpc, 'C/block': 'unavailable' });
    for (const { code, message } of some(results.filter(({ outcome }) => outcome === 'failed')))
      expect([code, message]).toEqual([
        'unavailable',
        expect.stringMatching(/^Of several nodes at .* chain C and another/),
      ]);
  },
);

test('a node that starts over holds less than was read from it, which is no loss while it is bootstrapping', {
  tags: 'long',
}, async () => {
  await start({});
  await node.sync(streams);
  node.devnet.configure({ without: ['bootstrap'] });
  node.devnet.moveHead('2%');
  expect(outcomes(await node.sync(streams))).toEqual(all(late));
  node.devnet.configure({ without: [] });
  node.devnet.moveHead('3%');
  expect(outcomes(await node.sync(streams))).toEqual(done);
});

test('blocks that a node shows before they are accepted are left until they are', async () => {
  await start({ unaccepted: 2 });
  const blocks = { 'node/evm_blocks': { blockchainIds: ['C'], from: 0, traces: false } };
  await node.sync(blocks);
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] };
  const answer = await fetch(`${node.devnet.url}/ext/bc/C/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(call),
  });
  const { result } = (await answer.json()) as { result: string };
  expect(await node.value('SELECT max("number") FROM raw.node_evm_blocks')).toBe(BigInt(result) - 2n);
  node.devnet.moveHead('4%');
  expect(outcomes(await node.sync(blocks))).toEqual({ evm_blocks: 'done' });
});

test('an L1 of a node that is bootstrapping is not unknown to it', async () => {
  await start({ head: '100%', without: ['bootstrap'] });
  const [l1] = node.devnet.ledger.l1s;
  const wanted = { 'node/evm_blocks': { blockchainIds: [l1?.blockchainId ?? ''], from: '-1d', traces: false } };
  const [waiting] = await node.sync(wanted);
  expect(waiting).toMatchObject({
    outcome: 'failed',
    code: 'unavailable',
    partition: `blockchain_id=${l1?.blockchainId}`,
  });
  expect(waiting?.message).toMatch(/bootstrapping its chain P /);
  node.devnet.configure({ without: [] });
  expect(await node.sync(wanted)).toMatchObject([{ outcome: 'done', partition: `chain_id=${l1?.evmChainId}` }]);
});

test('a node that does not say which network it is of stops what needs that, and its EVM chains are read', {
  tags: 'long',
}, async () => {
  await start({});
  const proxy = await startProxy(node.devnet.url, async ({ path }) =>
    path === '/ext/info' ? { error: { code: -32000, message: 'too many open files' } } : undefined,
  );
  const state = 'refused';
  expect(outcomes(await node.sync(streams, proxy.url))).toEqual({
    ...all(state),
    evm_blocks: 'done',
    evm_chain_config: 'done',
  });
  expect(outcomes(await node.sync(streams))).toEqual(done);
  expect(await node.query('SELECT network_id, network FROM firn.network')).toEqual([
    { network_id: 12345, network: 'local' },
  ]);
  expect(await node.value('SELECT count(*) - count(DISTINCT chain_id) FROM firn.chain')).toBe(0n);
});

test('a node that is down is asked once', { tags: 'long' }, async () => {
  await start({});
  for (const known of [false, true]) {
    const results = await node.sync(streams, 'http://127.0.0.1:1');
    expect(new Set(results.map(({ message }) => message)).size).toBe(1);
    expect(outcomes(results)).toEqual(all('unavailable'));
    expect(results.filter(({ partition }) => partition.startsWith('blockchain_id'))).toHaveLength(known ? 0 : 2);
    await node.sync(streams);
  }
});

test('of a node that lost what was read from it nothing is taken, snapshots neither', { tags: 'long' }, async () => {
  await start({});
  await node.sync(streams);
  const state = async () =>
    JSON.stringify([
      await node.query('SELECT stream, "partition", "position" FROM firn.checkpoint ORDER BY ALL'),
      await node.query('SELECT max(load_id)::INTEGER AS loads FROM firn.load'),
    ]);
  const before = await state();
  node.devnet.moveHead('2%');
  const restored = await node.sync(streams);
  // It may be late: it has what was read, as far as it goes.
  expect(new Set(Object.values(outcomes(restored)))).toEqual(new Set(['unavailable']));
  expect(restored.find(({ stream }) => stream === 'node/platform_validators')?.message).toMatch(
    /^Nothing was taken from the source node: node\/\S+ \(\S+\): the source ends at .* the node that answers is behind/,
  );
  expect(await state()).toBe(before);
  // It counts from another container on, and has none where the newest one stood.
  const wiped = await startProxy(node.devnet.url, async ({ method }) => {
    if (method === 'index.getIndex') return { result: { index: '7777' } };
    return method === 'index.getContainerByIndex'
      ? { error: { code: -32000, message: 'no container at index' } }
      : undefined;
  });
  expect(outcomes(await node.sync(streams, wiped.url))).toMatchObject({
    'P/block': 'source_shrank',
    platform_validators: 'source_shrank',
  });
  expect(await state()).toBe(before);
  // A fork: as long as before, and another block where the last one was.
  node.devnet.moveHead('4%');
  const fork = await startProxy(node.devnet.url, async ({ method, forward }) => {
    if (method === 'index.getIndex') return { error: { code: -32000, message: 'not found' } };
    if (method !== 'index.getContainerByIndex') return undefined;
    return { result: { ...((await forward()) as object), id: 'another' } };
  });
  expect(new Set(Object.values(outcomes(await node.sync(streams, fork.url))))).toEqual(new Set(['source_shrank']));
  expect(await state()).toBe(before);
  expect(outcomes(await node.sync(streams))).toEqual(done);
});

/** A node whose L1 has the EVM chain id of its C-Chain. */
async function withIdOfC() {
  const { c, l1s } = node.devnet.ledger;
  const [l1] = some(l1s) as [(typeof l1s)[number]];
  const result = `0x${c.evmChainId.toString(16)}`;
  const proxy = await startProxy(node.devnet.url, async ({ path, method }) =>
    path.includes(l1.blockchainId) && method === 'eth_chainId' ? { result } : undefined,
  );
  onTestFinished(() => proxy.close());
  return { proxy, c, l1 };
}

test('a chain is read whose EVM chain id is larger than a number holds exactly', async () => {
  await start({ head: '20%' });
  const [l1] = some(node.devnet.ledger.l1s) as [(typeof node.devnet.ledger.l1s)[number]];
  const proxy = await startProxy(node.devnet.url, async ({ path, method, forward }) => {
    if (!path.includes(l1.blockchainId)) return undefined;
    if (method === 'eth_chainId') return { result: '0x20000000000001' };
    if (method !== 'eth_getChainConfig') return undefined;
    return {
      result: JSON.parse(JSON.stringify(await forward()).replace(/"chainId":\d+/, '"chainId":"9007199254740993"')),
    };
  });
  onTestFinished(() => proxy.close());
  const streams = {
    'node/evm_blocks': { blockchainIds: [l1.blockchainId] },
    'node/evm_chain_config': { blockchainIds: [l1.blockchainId] },
  };
  expect(outcomes(await node.sync(streams, proxy.url))).toEqual({ evm_blocks: 'done', evm_chain_config: 'done' });
  for (const table of ['evm_blocks', 'evm_chain_config'])
    expect(await node.query(`SELECT DISTINCT chain_id FROM raw.node_${table}`)).toEqual([
      { chain_id: '9007199254740993' },
    ]);
});

test('a chain that has the EVM chain id of another is not read in its place', async () => {
  await start({ head: '20%' });
  const { proxy, c, l1 } = await withIdOfC();
  const both = { 'node/evm_chain_config': { blockchainIds: ['C', l1.blockchainId] } };
  for (const run of [1, 2]) {
    const [other, own] = await node.sync(both, proxy.url);
    expect(own, `run ${run}`).toMatchObject({ partition: `chain_id=${c.evmChainId}`, outcome: 'done' });
    expect(other).toMatchObject({
      partition: `blockchain_id=${l1.blockchainId}`,
      code: 'config',
      message: expect.stringContaining(
        `${l1.blockchainId} has the EVM chain id ${c.evmChainId}, as C-Chain has, and rows are told apart by it. Read it into another warehouse, or`,
      ),
    });
  }
  const asked = proxy.calls.filter(({ method }) => method === 'eth_getChainConfig').map(({ path }) => path);
  expect(new Set(asked)).toEqual(new Set(['/ext/bc/C/rpc']));
});

test('a chain that has the EVM chain id of the C-Chain is read where the C-Chain is not', async () => {
  await start({ head: '20%' });
  const { proxy, l1 } = await withIdOfC();
  const config = { 'node/evm_chain_config': { blockchainIds: [l1.blockchainId] } };
  for (const _ of [1, 2]) expect(outcomes(await node.sync(config, proxy.url))).toEqual({ evm_chain_config: 'done' });
  expect(await node.query("SELECT alias FROM firn.chain WHERE vm = 'evm'")).toEqual([{ alias: l1.blockchainId }]);
});

test('the C-Chain by its blockchain id is one chain, and stays it', async () => {
  await start({});
  const { blockchainId } = node.devnet.ledger.c;
  const config = { 'node/evm_chain_config': { blockchainIds: [blockchainId] } };
  for (const _ of [1, 2]) expect(outcomes(await node.sync(config))).toEqual({ evm_chain_config: 'done' });
  const chains = await node.query("SELECT alias, name, blockchain_id FROM firn.chain WHERE vm = 'evm'");
  expect(chains).toEqual([{ alias: 'C', name: 'C-Chain', blockchain_id: blockchainId }]);
});

/** A node that also knows its L1 by an alias. */
async function withAlias(alias: string) {
  const { l1s } = node.devnet.ledger;
  const [l1] = some(l1s) as [(typeof l1s)[number]];
  const proxy = await startProxy(node.devnet.url, async ({ path, method, params }) => {
    if (method === 'info.getBlockchainID' && (params as { alias?: string }).alias === alias)
      return { result: { blockchainID: l1.blockchainId } };
    if (!path.includes(`/${alias}/`)) return undefined;
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const at = `${node.devnet.url}${path.replace(`/${alias}/`, `/${l1.blockchainId}/`)}`;
    const { result } = (await (await fetch(at, { method: 'POST', headers, body })).json()) as { result: unknown };
    return { result };
  });
  return { proxy, l1 };
}

test.each([
  ['one after the other', [['mine'], ['id'], ['mine', 'id']]],
  ['at once', [['mine', 'id'], ['id'], ['mine']]],
])('an L1 by another name of the node and by its blockchain id, %s, is one chain', async (_, runs) => {
  await start({ head: '20%' });
  const { proxy, l1 } = await withAlias('mine');
  for (const names of runs) {
    const blockchainIds = names.map((name) => (name === 'id' ? l1.blockchainId : name));
    const results = await node.sync({ 'node/evm_chain_config': { blockchainIds } }, proxy.url);
    expect(results).toMatchObject([{ partition: `chain_id=${l1.evmChainId}`, outcome: 'done' }]);
    // As it was pinned before.
    await node.query("UPDATE firn.chain SET blockchain_id = 'mine' WHERE alias = 'mine'");
  }
  expect(await node.value("SELECT count(*) FROM firn.chain WHERE vm = 'evm'")).toBe(2n);
});

test.each([
  ['one after the other', [['mine'], ['mine', 'id']]],
  ['at once', [['id', 'mine']]],
])(
  'two L1s of one genesis, %s, are two chains, also where one is known by another name of the node',
  async (_, runs) => {
    await start({ head: '20%' });
    const { proxy, l1 } = await withAlias('mine');
    const other = '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm';
    const both = await startProxy(proxy.url, async ({ path, method, params }) => {
      if (!path.includes(other)) return undefined;
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const at = node.devnet.url + path.replace(other, l1.blockchainId);
      const answer = await fetch(at, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const { result } = (await answer.json()) as { result: unknown };
      return { result };
    });
    for (const names of runs) {
      const blockchainIds = names.map((name) => (name === 'id' ? other : name));
      const results = await node.sync({ 'node/evm_chain_config': { blockchainIds } }, both.url);
      const [done, ...refused] = results.toSorted((a) => (a.outcome === 'done' ? -1 : 1));
      expect(done).toMatchObject({ outcome: 'done', partition: `chain_id=${l1.evmChainId}` });
      expect(refused.map(({ code }) => code)).toEqual(names.length > 1 ? ['config'] : []);
      for (const { message } of refused) expect(message).toContain(`has the EVM chain id ${l1.evmChainId}, as `);
    }
  },
);

test('an L1 that was made anew is read under its EVM chain id once nothing of the one before is left', {
  tags: 'long',
}, async () => {
  await start({ head: '20%' });
  const [before] = some(node.devnet.ledger.l1s) as [(typeof node.devnet.ledger.l1s)[number]];
  const anew = '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm';
  const proxy = await startProxy(node.devnet.url, async ({ path, method, params }) => {
    if (!path.includes(anew)) return undefined;
    const url = node.devnet.url + path.replace(anew, before.blockchainId);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { result, error } = (await answer.json()) as { result: unknown; error?: { code: number; message: string } };
    return error ? { error } : { result };
  });
  onTestFinished(() => proxy.close());
  const blocksOf = (blockchainId: string) => ({
    'node/evm_blocks': { blockchainIds: [blockchainId], to: 3, traces: false },
  });
  const pinned = () => node.query(`SELECT blockchain_id AS id FROM firn.chain WHERE chain_id = '${before.evmChainId}'`);
  expect(outcomes(await node.sync(blocksOf(before.blockchainId), proxy.url))).toEqual({ evm_blocks: 'done' });
  await node.query('CREATE SCHEMA IF NOT EXISTS staging');
  await node.query('CREATE VIEW staging.evm_block AS FROM raw.node_evm_blocks');
  expect(outcomes(await node.sync(blocksOf(anew), proxy.url))).toEqual({ evm_blocks: 'config' });
  await node.query('DELETE FROM raw.node_evm_blocks');
  await node.query('DELETE FROM firn.checkpoint');
  // It stays what it is called by, as long as no other one wants its place.
  expect(outcomes(await node.sync(blocksOf(String(before.evmChainId)), proxy.url))).toEqual({ evm_blocks: 'done' });
  await node.query('DELETE FROM raw.node_evm_blocks');
  await node.query('DELETE FROM firn.checkpoint');
  expect(outcomes(await node.sync(blocksOf(anew), proxy.url))).toEqual({ evm_blocks: 'done' });
  expect(await pinned()).toEqual([{ id: anew }]);
  expect(outcomes(await node.sync(blocksOf(String(before.evmChainId)), proxy.url))).toEqual({ evm_blocks: 'done' });
});
