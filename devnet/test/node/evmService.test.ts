import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { rawElements, rawMembers } from '../../src/codec/rawMembers.ts';
import { readLedger } from '../../src/readLedger.ts';
import { type Devnet, startDevnet } from '../../src/startDevnet.ts';
import type { EvmBlockRecord, Ledger } from '../../src/types.ts';
import { call, post } from '../post.ts';

const RPC = '/ext/bc/C/rpc';
let ledger: Ledger;
let devnet: Devnet;
let l1Rpc: string;
let busy: EvmBlockRecord;
beforeAll(async () => {
  ledger = await readLedger();
  devnet = await startDevnet({ ledger });
  l1Rpc = `/ext/bc/${ledger.l1s[0]?.blockchainId}/rpc`;
  busy = ledger.c.blocks.find(({ receipts }) => rawElements(receipts).length > 9) as EvmBlockRecord;
});
afterEach(() => devnet.configure({ gaps: {}, without: [] }));
afterAll(() => devnet.close());

const rpc = (method: string, params: unknown) => call(devnet, RPC, method, params);
const hex = (number: number) => `0x${number.toString(16)}`;

describe('blocks, receipts and traces', () => {
  test('are the recorded text, for every block, in batches', { tags: 'long' }, async () => {
    for (const [path, chain] of [
      [RPC, ledger.c],
      [l1Rpc, ledger.l1s[0] ?? ledger.c],
    ] as const) {
      for (let from = 1; from < chain.blocks.length; from += 300) {
        const part = chain.blocks.slice(from, from + 300);
        const calls = part.flatMap(({ number }) => [
          ['eth_getBlockByNumber', [hex(number), true]],
          ['eth_getBlockReceipts', [hex(number)]],
          ['debug_traceBlockByNumber', [hex(number), { tracer: 'callTracer' }]],
        ]);
        const batch = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }));
        const wanted = part.flatMap(({ block, receipts, traces }) => [block, receipts, traces]);
        const { body } = await post(devnet, path, batch);
        expect(body).toBe(`[${wanted.map((raw, id) => `{"jsonrpc":"2.0","id":${id},"result":${raw}}`).join()}]\n`);
      }
    }
  });

  test('are the same by hash, and under the blockchain id', async () => {
    const path = `/ext/bc/${ledger.c.blockchainId}/rpc`;
    expect(await call(devnet, path, 'eth_getBlockByHash', [busy.hash, true])).toEqual(JSON.parse(busy.block));
    expect(await call(devnet, path, 'eth_getBlockReceipts', [busy.hash])).toEqual(JSON.parse(busy.receipts));
    expect(await call(devnet, path, 'eth_getBlockReceipts', [{ blockHash: busy.hash }])).toEqual(
      JSON.parse(busy.receipts),
    );
    expect(await call(devnet, path, 'debug_traceBlockByHash', [busy.hash, { tracer: 'callTracer' }])).toEqual(
      JSON.parse(busy.traces ?? ''),
    );
  });

  test('can be had transaction by transaction', async () => {
    const { transactions } = JSON.parse(busy.block);
    const receipts = JSON.parse(busy.receipts);
    const traces = JSON.parse(busy.traces ?? '');
    for (const [at, { hash }] of transactions.entries()) {
      expect(await rpc('eth_getTransactionByHash', [hash])).toEqual(transactions[at]);
      expect(await rpc('eth_getTransactionReceipt', [hash])).toEqual(receipts[at]);
      expect(await rpc('debug_traceTransaction', [hash, { tracer: 'callTracer' }])).toEqual(traces[at].result);
      expect(await rpc('eth_getTransactionByBlockNumberAndIndex', [hex(busy.number), hex(at)])).toEqual(
        transactions[at],
      );
    }
    expect(await rpc('eth_getTransactionByBlockHashAndIndex', [busy.hash, hex(transactions.length)])).toBeNull();
    expect(await rpc('eth_getBlockTransactionCountByNumber', [hex(busy.number)])).toBe(hex(transactions.length));
    expect(await rpc('eth_getUncleCountByBlockNumber', [hex(busy.number)])).toBe('0x0');
    const short = await rpc('eth_getBlockByNumber', [hex(busy.number), false]);
    expect(short).toEqual({
      ...JSON.parse(busy.block),
      transactions: transactions.map(({ hash }: { hash: string }) => hash),
    });
    const header = await rpc('eth_getHeaderByNumber', [hex(busy.number)]);
    expect(Object.keys(short).filter((name) => !(name in header))).toEqual([
      'blockExtraData',
      'size',
      'transactions',
      'uncles',
    ]);
  });

  test('are absent below the first height of a node that synced its state', async () => {
    devnet.configure({ gaps: { C: [[1, 100]] } });
    expect(await rpc('eth_getBlockByNumber', ['0x64', true])).toBeNull();
    expect(await rpc('eth_getBlockReceipts', ['0x64'])).toBeNull();
    expect(await rpc('debug_traceBlockByNumber', ['0x64', { tracer: 'callTracer' }])).toBe(
      'error: block #100 not found',
    );
    expect((await rpc('eth_getBlockByNumber', ['0x65', true])).number).toBe('0x65');
  });
});

describe('eth_getLogs', () => {
  const all = () =>
    ledger.c.blocks
      .flatMap(
        (block) => JSON.parse(block.receipts) as { logs: { address: string; topics: string[]; blockHash: string }[] }[],
      )
      .flatMap(({ logs }) => logs);

  test('filters by address and by topics, in any of their forms', async () => {
    const sample = all().find(({ topics }) => topics.length === 3) ?? { address: '', topics: [] };
    const [signature = '', , to = ''] = sample.topics;
    const filter = { fromBlock: '0x0', toBlock: 'latest' };
    const byAddress = all().filter(({ address }) => address === sample.address);
    expect(
      await rpc('eth_getLogs', [{ ...filter, address: sample.address.toUpperCase().replace('0X', '0x') }]),
    ).toEqual(byAddress);
    expect(
      await rpc('eth_getLogs', [
        { ...filter, address: [sample.address], topics: [[signature, `0x${'1'.repeat(64)}`], null, to] },
      ]),
    ).toEqual(byAddress.filter(({ topics }) => topics[0] === signature && topics[2] === to));
    expect(await rpc('eth_getLogs', [{ ...filter, topics: [null, null, null, null] }])).toEqual(
      all().filter(({ topics }) => topics.length === 4),
    );
  });

  test('takes one block by its hash', async () => {
    const { blockHash } = all()[0] ?? { blockHash: '' };
    expect(await rpc('eth_getLogs', [{ blockHash }])).toEqual(all().filter((log) => log.blockHash === blockHash));
    expect(await rpc('eth_getLogs', [{ blockHash: `0x${'1'.repeat(64)}` }])).toBe('error: unknown block');
  });
});

describe('arguments that cannot be read', () => {
  test.each([
    ['eth_getBlockByNumber', ['0x1'], 'missing value for required argument 1'],
    [
      'eth_getBlockByNumber',
      ['0x1', 'yes'],
      'invalid argument 1: json: cannot unmarshal string into Go value of type bool',
    ],
    ['eth_getBlockByNumber', ['0x', true], 'invalid argument 0: hex string "0x"'],
    ['eth_getBlockByNumber', ['0xzz', true], 'invalid argument 0: invalid hex string'],
    ['eth_getBlockByNumber', ['0x11111111111111111', true], 'invalid argument 0: hex number > 64 bits'],
    ['eth_getBlockByNumber', ['0xffffffffffffffff', true], 'invalid argument 0: block number larger than int64'],
    ['eth_getBlockByNumber', ['0x1', true, 1], 'too many arguments, want at most 2'],
    ['eth_getBlockByHash', ['0x11', true], 'invalid argument 0: hex string has length 2, want 64 for common.Hash'],
    [
      'eth_getBlockByHash',
      ['11', true],
      'invalid argument 0: json: cannot unmarshal hex string without 0x prefix into Go value of type common.Hash',
    ],
    [
      'eth_getTransactionByHash',
      [7],
      'invalid argument 0: json: cannot unmarshal non-string into Go value of type common.Hash',
    ],
    ['debug_traceBlockByNumber', ['0x1', {}], 'the recording holds traces of callTracer without options only'],
    [
      'eth_getBalance',
      ['0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc', '0x7'],
      'the recording holds no answer to eth_getBalance with these params at block 7',
    ],
  ])('%s %j', async (method, params, message) => {
    expect(await rpc(method, params)).toBe(`error: ${message}`);
  });
});

describe('batches', () => {
  test('end in errors once the answers pass 25 MB', async () => {
    const largest = ledger.c.blocks.reduce((a, b) => (b.block.length > a.block.length ? b : a));
    const params = [hex(largest.number), true];
    const batch = Array.from({ length: 1000 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_getBlockByNumber',
      params,
    }));
    const { body } = await post(devnet, RPC, batch);
    const answers = rawElements(body);
    const whole = answers.findIndex((text) => rawMembers(text).has('error'));
    expect(whole).toBe(Math.ceil((25_000_000 + 1) / (answers[500] ?? '').length));
    expect(answers.length).toBe(1000);
    expect(answers.at(-1)).toBe('{"jsonrpc":"2.0","id":999,"error":{"code":-32003,"message":"response too large"}}');
  });

  test('leave notifications out, and answer each wrong call on its own', async () => {
    const batch = [
      { jsonrpc: '2.0', method: 'eth_chainId' },
      { jsonrpc: '2.0', id: 'a', method: 'eth_chainId' },
      1,
      { id: 2, method: 'eth_chainId' },
    ];
    expect((await post(devnet, RPC, batch)).body).toBe(
      '[{"jsonrpc":"2.0","id":"a","result":"0xa868"},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}},{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"invalid request"}}]\n',
    );
    expect((await post(devnet, RPC, [{ jsonrpc: '2.0', method: 'eth_chainId' }])).body).toBe('');
  });
});

describe('what a node can lack', () => {
  test.each([
    ['traces', 'debug_traceBlockByNumber', ['0x1', { tracer: 'callTracer' }]],
    ['traces', 'debug_traceTransaction', [`0x${'1'.repeat(64)}`]],
    ['receipts', 'eth_getBlockReceipts', ['0x1']],
  ] as const)('without %s there is no %s', async (part, method, params) => {
    devnet.configure({ without: [part] });
    expect(await rpc(method, params)).toBe(`error: the method ${method} does not exist/is not available`);
  });

  test('without batches it takes single calls only', async () => {
    devnet.configure({ without: ['batches'] });
    const one = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' };
    expect((await post(devnet, RPC, [one, one])).body).toContain('batch requests are not supported');
    expect((await post(devnet, RPC, one)).body).toContain('0xa868');
  });

  const late = { status: 503, body: 'API call rejected because chain is not done bootstrapping\n' };
  const unborn = { status: 404, body: '404 page not found\n' };
  const bootstrapped = async (chain: string) => call(devnet, '/ext/info', 'info.isBootstrapped', { chain });
  const indexed = (path: string, block: { container: { id: string } | null } | undefined) =>
    call(devnet, `/ext/index/${path}`, 'index.getIndex', { id: block?.container?.id });

  test('while the P-Chain bootstraps it alone answers 503, the others are not there yet, and its index answers', async () => {
    devnet.configure({ without: ['bootstrap'] });
    expect(await post(devnet, '/ext/bc/P', {})).toEqual(late);
    for (const path of [RPC, '/ext/bc/X', '/ext/bc/C/avax', l1Rpc, '/ext/index/C/block', '/ext/index/X/block'])
      expect([path, await post(devnet, path, {})]).toEqual([path, unborn]);
    expect(await indexed('P/block', ledger.p.blocks[1])).toEqual({ index: '0' });
    for (const chain of ['P', 'X', 'C']) expect(await bootstrapped(chain)).toEqual({ isBootstrapped: false });
    expect((await call(devnet, '/ext/info', 'info.getBlockchainID', { alias: 'C' })).blockchainID).toBe(
      ledger.c.blockchainId,
    );
    expect((await fetch(`${devnet.url}/ext/health`)).status).toBe(503);
  });

  test.each(['C', 'X'] as const)(
    'while the %s-Chain bootstraps it answers 503, all others and its index answer',
    async (name) => {
      devnet.configure({ without: [`bootstrap-${name}`] });
      expect(await post(devnet, name === 'C' ? RPC : '/ext/bc/X', {})).toEqual(late);
      expect((await post(devnet, '/ext/bc/P', {})).status).toBe(200);
      expect(await indexed(`${name}/block`, ledger[name === 'C' ? 'c' : 'x'].blocks[1])).toEqual({ index: '0' });
      expect([await bootstrapped(name), await bootstrapped('P')]).toEqual([
        { isBootstrapped: false },
        { isBootstrapped: true },
      ]);
    },
  );

  test("the C-Chain's RPC alone answers 500", async () => {
    devnet.configure({ without: ['rpc-C'] });
    expect((await post(devnet, RPC, {})).status).toBe(500);
    for (const path of ['/ext/bc/P', '/ext/index/C/block', l1Rpc])
      expect((await post(devnet, path, {})).status).toBe(200);
  });
});

describe('the rules of an L1', () => {
  test('has every fee configuration from the block it was set in', async () => {
    const since = async (block: string) => (await call(devnet, l1Rpc, 'eth_feeConfig', [block])).lastChangedAt;
    expect([await since('0x0'), await since(hex(129)), await since(hex(130)), await since('latest')]).toEqual([
      0, 0, 130, 130,
    ]);
  });

  test('follows upgrades by time', async () => {
    const precompiles = async (time: number) =>
      Object.keys((await call(devnet, l1Rpc, 'eth_getActiveRulesAt', [time])).precompiles);
    expect(await precompiles(1768867200)).toEqual([]);
    expect(await precompiles(1770000000)).toEqual(['contractNativeMinterConfig', 'feeManagerConfig', 'warpConfig']);
    expect(await precompiles(1775000000)).toEqual(['feeManagerConfig', 'rewardManagerConfig', 'warpConfig']);
  });
});
