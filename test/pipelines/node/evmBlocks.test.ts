import type { EvmChain } from 'firn-devnet';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { evmBlocks } from '../../../pipelines/node/evmBlocks.ts';
import type { EvmLacks } from '../../../pipelines/node/readEvmBlocks.ts';
import { bounds } from '../../../src/core/json/bounds.ts';
import { answer } from '../../../src/run/sources/drive.ts';
import { some } from '../../some.ts';
import { type NodeHarness, startNodeHarness } from './nodeHarness.ts';
import { type Override, startProxy } from './startProxy.ts';

const stream = 'node/evm_blocks';

interface RawTrace {
  readonly calls?: readonly RawTrace[];
}
const framesOf = (trace: RawTrace): number => 1 + (trace.calls ?? []).reduce((sum, call) => sum + framesOf(call), 0);

interface Receipt {
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly logs: readonly { readonly logIndex: string; readonly transactionHash: string }[];
}

function expectedOf({ blocks }: EvmChain) {
  const parsed = blocks.map(({ block, receipts, traces }) => ({
    block: JSON.parse(block),
    receipts: JSON.parse(receipts) as { gasUsed: string; logs: unknown[] }[],
    traces: (traces === null ? [] : JSON.parse(traces)) as { result: RawTrace }[],
  }));
  const receipts = parsed.flatMap((each) => each.receipts);
  return {
    hashes: parsed.map(({ block }) => block.hash as string),
    transactions: parsed.reduce((sum, { block }) => sum + block.transactions.length, 0),
    value: parsed.flatMap(({ block }) => block.transactions).reduce((sum, tx) => sum + BigInt(tx.value), 0n),
    gas: receipts.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n),
    logs: receipts.reduce((sum, { logs }) => sum + logs.length, 0),
    frames: parsed.flatMap((each) => each.traces).reduce((sum, { result }) => sum + framesOf(result), 0),
  };
}

describe('both EVM chains, whole', () => {
  let harness: NodeHarness;
  let chains: readonly EvmChain[];
  beforeAll(async () => {
    harness = await startNodeHarness([evmBlocks]);
    chains = [harness.devnet.ledger.c, ...harness.devnet.ledger.l1s];
    await harness.sync({ [stream]: { blockchainIds: ['C', harness.devnet.ledger.l1s[0]?.blockchainId ?? ''] } });
  });
  afterAll(() => harness.close());

  test('receipts and traces are asked of blocks with transactions only', () => {
    const { calls } = harness.devnet.stats();
    for (const { name, blockchainId, blocks } of some(chains)) {
      const path = `/ext/bc/${name === 'C' ? 'C' : blockchainId}/rpc`;
      const filled = blocks.filter(({ block }) => JSON.parse(block).transactions.length > 0).length;
      expect(filled).toBeLessThan(blocks.length);
      expect(calls[`${path} eth_getBlockReceipts`]).toBe(filled);
      expect(calls[`${path} debug_traceBlockByNumber`]).toBe(filled);
    }
  });

  test('hold what the node has: hashes, values, gas, logs, call frames', async () => {
    expect(chains).toHaveLength(2);
    for (const chain of some(chains)) {
      const wanted = expectedOf(chain);
      const of = `chain_id = '${chain.evmChainId}'`;
      const blocks = await harness.query<{ hash: string }>(
        `SELECT hash FROM raw.node_evm_blocks WHERE ${of} ORDER BY "number"`,
      );
      expect(blocks.map(({ hash }) => hash)).toEqual(wanted.hashes);
      const [sums] = await harness.query(`SELECT
        (SELECT count(*) FROM raw.node_evm_transactions WHERE ${of}) AS transactions,
        (SELECT sum("value")::VARCHAR FROM raw.node_evm_transactions WHERE ${of}) AS "value",
        (SELECT sum(gas_used)::VARCHAR FROM raw.node_evm_receipts WHERE ${of}) AS gas,
        (SELECT count(*) FROM raw.node_evm_logs WHERE ${of}) AS logs,
        (SELECT count(*) FROM raw.node_evm_traces WHERE ${of}) AS frames,
        (SELECT count(*) FROM raw.node_evm_trace_status WHERE ${of} AND trace_status = 'traced') AS traced`);
      expect(sums).toEqual({
        transactions: BigInt(wanted.transactions),
        value: String(wanted.value),
        gas: String(wanted.gas),
        logs: BigInt(wanted.logs),
        frames: BigInt(wanted.frames),
        traced: BigInt(wanted.transactions),
      });
    }
    expect(await harness.value('SELECT count(*) FROM firn.quarantine')).toBe(0n);
    expect(await harness.value('SELECT count(*) FROM firn.schema_change')).toBe(0n);
  });

  test('are asked one question each when there is nothing new', async () => {
    const results = await harness.sync({ [stream]: { blockchainIds: ['C'] } });
    expect(results).toMatchObject([{ outcome: 'done', rows: 0, requests: 1 }]);
  });

  test('a chain that the node does not have fails alone', async () => {
    const results = await harness.sync({ [stream]: { blockchainIds: ['2nowhere'] } });
    expect(results).toMatchObject([{ outcome: 'failed', code: 'config' }]);
    expect(results[0]?.message).toContain('no EVM chain "2nowhere"');
  });
});

describe('bounds', () => {
  let harness: NodeHarness;
  afterEach(() => harness.close());
  const range = () =>
    harness.query<{ low: bigint; high: bigint; n: bigint }>(
      'SELECT min("number") AS low, max("number") AS high, count(*) AS n FROM raw.node_evm_blocks',
    );

  test('heights: both ends are read', async () => {
    harness = await startNodeHarness([evmBlocks]);
    await harness.sync({ [stream]: { from: 100, to: 131, traces: false } });
    expect(await range()).toEqual([{ low: 100n, high: 131n, n: 32n }]);
  });

  test('dates: from the first block of a day to the last before another; a later end reads on, an earlier one nothing', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([evmBlocks]);
    const { blocks } = harness.devnet.ledger.c;
    const first = (date: string) => blocks.findIndex(({ timestamp }) => timestamp >= Date.parse(date) / 1000);
    await harness.sync({ [stream]: { from: '2026-01-25', to: '2026-01-27', traces: false } });
    const [start, end] = [first('2026-01-25'), first('2026-01-27') - 1];
    expect(await range()).toEqual([{ low: BigInt(start), high: BigInt(end), n: BigInt(end - start + 1) }]);
    const [again] = await harness.sync({ [stream]: { from: '2026-01-25', to: '2026-01-26', traces: false } });
    expect(again).toMatchObject({ outcome: 'done', rows: 0 });
    await harness.sync({ [stream]: { from: '2026-01-25', to: '2026-01-28', traces: false } });
    expect((await range())[0]?.high).toBe(BigInt(first('2026-01-28') - 1));
  });

  test('an age counts from the newest block', async () => {
    harness = await startNodeHarness([evmBlocks]);
    const { blocks } = harness.devnet.ledger.c;
    const newest = blocks.at(-1)?.timestamp ?? 0;
    await harness.sync({ [stream]: { from: '-1d', traces: false } });
    expect((await range())[0]?.low).toBe(BigInt(blocks.findIndex(({ timestamp }) => timestamp >= newest - 86400)));
  });
});

describe('what a node may lack or get wrong', () => {
  let harness: NodeHarness;
  afterEach(() => harness.close());
  const behindProxy = (override: Override, write?: (answer: object) => string) =>
    startProxy(harness.devnet.url, override, write);
  const window = { from: 50, to: 67 };
  const statuses = () =>
    harness.query(
      'SELECT trace_status, trace_error, count(*) AS n FROM raw.node_evm_trace_status GROUP BY ALL ORDER BY n DESC',
    );
  const receipts = () => harness.value('SELECT count(*) FROM raw.node_evm_receipts');
  const transactions = () => harness.value('SELECT count(*) FROM raw.node_evm_transactions');

  test('a block that says its number twice takes the place of no other, and is not passed over', async () => {
    harness = await startNodeHarness([evmBlocks]);
    const { url } = await behindProxy(
      async ({ method, forward }) => {
        if (method !== 'eth_getBlockByNumber') return undefined;
        const block = (await forward()) as { readonly number: string };
        return { result: block.number === '0x37' ? { ...block, again: 1 } : block };
      },
      (answer) => JSON.stringify(answer).replaceAll('"again":1', '"number":"0x33"'),
    );
    expect(await harness.sync({ [stream]: window }, url)).toMatchObject([
      { outcome: 'failed', code: 'contract', message: expect.stringContaining('number 55, which does not follow 54') },
    ]);
    expect(await harness.value('SELECT count(*) FROM raw.node_evm_blocks')).toBe(5n);
  });

  test('no eth_getBlockReceipts: receipts come one by one, and it is said', async () => {
    harness = await startNodeHarness([evmBlocks], { without: ['receipts'] });
    const [result] = await harness.sync({ [stream]: window });
    expect(result).toMatchObject({ outcome: 'done' });
    expect(result?.notes?.join()).toContain('no eth_getBlockReceipts');
    expect(await receipts()).toBe(await transactions());
  });

  test('no traces: said, and each transaction says so too', { tags: 'long' }, async () => {
    harness = await startNodeHarness([evmBlocks], { without: ['traces'] });
    const [result] = await harness.sync({ [stream]: { from: 50, to: 300 } });
    expect(result).toMatchObject({ outcome: 'done' });
    expect(result?.notes?.join()).toContain('no call traces');
    expect(await statuses()).toEqual([{ trace_status: 'not_offered', trace_error: null, n: await transactions() }]);
    // Only the ranges already under way ask in vain.
    expect(harness.devnet.stats().calls['/ext/bc/C/rpc debug_traceBlockByNumber']).toBeLessThan(251);
  });

  test('traces: false asks for none and says nothing; switched on, they are read for older blocks too', async () => {
    harness = await startNodeHarness([evmBlocks]);
    const [result] = await harness.sync({ [stream]: { ...window, traces: false } });
    expect(result?.notes).toBeUndefined();
    expect(await statuses()).toMatchObject([{ trace_status: 'not_asked_for' }]);
    expect(harness.devnet.stats().calls['/ext/bc/C/rpc debug_traceBlockByNumber']).toBeUndefined();
    await harness.sync({ [stream]: window });
    expect(await statuses()).toMatchObject([{ trace_status: 'traced', n: await transactions() }]);
  });

  test.each([['bootstrap'], ['bootstrap-C']] as const)(
    '%s: nothing is read until it is done, and nothing is lost',
    async (part) => {
      harness = await startNodeHarness([evmBlocks], { without: [part] });
      expect(await harness.sync({ [stream]: window })).toMatchObject([
        { outcome: 'failed', code: 'unavailable', message: expect.stringMatching(/still bootstrapping its chain C /) },
      ]);
      harness.devnet.configure({ without: [] });
      expect(await harness.sync({ [stream]: window })).toMatchObject([{ outcome: 'done' }]);
      expect(await transactions()).not.toBe(0n);
    },
  );

  test('no batches: everything is asked singly', async () => {
    harness = await startNodeHarness([evmBlocks], { without: ['batches'] });
    expect(await harness.sync({ [stream]: { from: 50, to: 55 } })).toMatchObject([{ outcome: 'done' }]);
    expect(await receipts()).toBe(await transactions());
  });

  test.each([
    ['null', null],
    ['an empty list', []],
  ])('%s as receipts of a block: they are asked for one by one', async (_, result) => {
    harness = await startNodeHarness([evmBlocks]);
    const { url } = await behindProxy(async ({ method }) =>
      method === 'eth_getBlockReceipts' ? { result } : undefined,
    );
    expect(await harness.sync({ [stream]: window }, url)).toMatchObject([{ outcome: 'done' }]);
    expect(await receipts()).toBe(await transactions());
  });

  test.each<[string, (list: Receipt[]) => unknown[]]>([
    ['receipts of another block', (list) => list.map((receipt) => ({ ...receipt, blockHash: `0x${'ab'.repeat(32)}` }))],
    ['receipts in another order', (list) => list.toReversed()],
    ['receipts with one that is not of the block', (list) => [...list, ...list.slice(0, 1)]],
    ['receipts that lack one', (list) => list.slice(1)],
  ])('%s: each is asked for by its transaction, in one more read of the range', { tags: 'long' }, async (_, spoil) => {
    harness = await startNodeHarness([evmBlocks]);
    const { url } = await behindProxy(async ({ method, forward }) => {
      if (method !== 'eth_getBlockReceipts') return undefined;
      const list = (await forward()) as Receipt[];
      return { result: spoil(list) };
    });
    expect(await harness.sync({ [stream]: window }, url)).toMatchObject([{ outcome: 'done' }]);
    expect(await receipts()).toBe(await transactions());
    const strays = `SELECT count(*) AS strays FROM raw.node_evm_receipts AS r
      JOIN raw.node_evm_blocks AS b USING (chain_id, number) JOIN raw.node_evm_transactions AS t USING (chain_id, number, tx_index)
      WHERE r.block_hash <> b.hash OR r.transaction_hash <> t.hash`;
    expect(await harness.query(strays)).toEqual([{ strays: 0n }]);
  });

  /** As besu and others served them for years. */
  const countedAnew = (receipt: Receipt): Receipt => ({
    ...receipt,
    logs: receipt.logs.map((log, i) => ({ ...log, logIndex: `0x${i.toString(16)}` })),
  });
  const anewIn = (list: readonly Receipt[]) => list.map(countedAnew);
  const logs = () =>
    harness.query('SELECT log_index, transaction_hash FROM raw.node_evm_logs ORDER BY "number", log_index');
  const logsTo = (last: number) =>
    harness.devnet.ledger.c.blocks
      .slice(window.from, last + 1)
      .flatMap(({ receipts }) => (JSON.parse(receipts) as Receipt[]).flatMap(({ logs }) => logs))
      .map(({ logIndex, transactionHash }) => ({ log_index: Number(logIndex), transaction_hash: transactionHash }));
  const anew = expect.stringMatching(/^The node restarts the count of logs/);

  test.each<[string, (list: Receipt[]) => unknown, string?]>([
    ['in the list of the block', anewIn],
    ['one by one', () => null],
    ['where the list is in another order, and each is asked for', (list) => anewIn(list).toReversed()],
    ['before a block that is missing', anewIn, '0x38'],
  ])(
    'logs that are counted anew in each receipt have their places in the block: %s',
    { tags: 'long' },
    async (_, spoil, without) => {
      harness = await startNodeHarness([evmBlocks]);
      const { url } = await behindProxy(async ({ method, params, forward }) => {
        if (method === 'eth_getBlockReceipts') return { result: spoil((await forward()) as Receipt[]) };
        if (method === 'eth_getTransactionReceipt') return { result: countedAnew((await forward()) as Receipt) };
        // Another block stands where it belongs.
        if (method !== 'eth_getBlockByNumber' || (params as unknown[])[0] !== without) return undefined;
        return { result: { ...((await forward()) as object), number: '0x39' } };
      });
      const [result] = await harness.sync({ [stream]: window }, url);
      expect(result).toMatchObject(
        without ? { outcome: 'failed' } : { outcome: 'done', notes: expect.arrayContaining([anew]) },
      );
      expect(await logs()).toEqual(logsTo(without ? Number(without) - 1 : window.to));
      await harness.sync({ [stream]: window });
      expect(await logs()).toEqual(logsTo(window.to));
    },
  );

  test('logs of a block that share an index in another way end the read before it, and nothing is said of an honest node', async () => {
    harness = await startNodeHarness([evmBlocks]);
    const { url } = await behindProxy(async ({ method, params, forward }) => {
      if (method !== 'eth_getBlockReceipts' || (params as unknown[])[0] !== '0x37') return undefined;
      const list = (await forward()) as Receipt[];
      return { result: list.map((one) => ({ ...one, logs: one.logs.map((log) => ({ ...log, logIndex: '0x1' })) })) };
    });
    expect(await harness.sync({ [stream]: window }, url)).toMatchObject([
      {
        outcome: 'failed',
        code: 'contract',
        message: expect.stringMatching(/several logs of block 55 the logIndex 1,/),
      },
    ]);
    expect(await logs()).toEqual(logsTo(54));
    const [result] = await harness.sync({ [stream]: window });
    expect(result).toMatchObject({ outcome: 'done' });
    expect(result?.notes).toBeUndefined();
    expect(await logs()).toEqual(logsTo(window.to));
  });

  test('a block that comes in place of the next one is not taken for one that shares its logs', async () => {
    harness = await startNodeHarness([evmBlocks]);
    const { url } = await behindProxy(async ({ method, params, forward }) => {
      if (method !== 'eth_getBlockByNumber' || (params as unknown[])[0] !== '0x37') return undefined;
      return { result: await forward(['0x36', (params as unknown[])[1]]) };
    });
    const [result] = await harness.sync({ [stream]: window }, url);
    expect(result).toMatchObject({ outcome: 'failed', message: expect.stringContaining('a hole at number 55') });
    expect(await logs()).toEqual(logsTo(54));
  });

  test('a receipt that is not there yet is asked for again', async () => {
    harness = await startNodeHarness([evmBlocks], {}, { baseMs: 1, holdMs: 1 });
    const asked = new Set<unknown>();
    const { url } = await behindProxy(async ({ method, params }) => {
      if (method === 'eth_getBlockReceipts') return { result: null };
      if (method !== 'eth_getTransactionReceipt') return undefined;
      const [hash] = params as unknown[];
      return !asked.has(hash) && asked.add(hash) ? { result: null } : undefined;
    });
    expect(await harness.sync({ [stream]: window }, url)).toMatchObject([{ outcome: 'done' }]);
    expect(await receipts()).toBe(await transactions());
    expect(asked.size).toBe(Number(await transactions()));
  });

  test('a block without its receipts: the blocks before it are kept, the next run asks from there', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([evmBlocks], {}, { baseMs: 1, holdMs: 1 });
    const { url } = await behindProxy(async ({ method, forward }) => {
      if (method === 'eth_getBlockReceipts') return { result: null };
      if (method !== 'eth_getTransactionReceipt') return undefined;
      const receipt = (await forward()) as { blockNumber: string };
      return Number(receipt.blockNumber) > 1755 ? { result: null } : undefined;
    });
    const [failed] = await harness.sync({ [stream]: { from: 1740, to: 1760 } }, url);
    expect(failed).toMatchObject({ outcome: 'failed', code: 'unavailable' });
    expect(await harness.value('SELECT max(number) FROM raw.node_evm_blocks')).toBeGreaterThan(1754n);
    expect(await receipts()).toBe(await transactions());
  });

  test('no receipt at all: nothing of the range is kept, the next run asks again', { tags: 'long' }, async () => {
    harness = await startNodeHarness([evmBlocks], {}, { baseMs: 1, holdMs: 1 });
    const { url } = await behindProxy(async ({ method }) =>
      method.includes('Receipt') ? { result: null } : undefined,
    );
    const [failed] = await harness.sync({ [stream]: window }, url);
    expect(failed).toMatchObject({ outcome: 'failed', code: 'unavailable' });
    expect(failed?.message).toContain('gives no receipt of transaction 0x');
    expect(await transactions()).toBe(0n);
    expect(await harness.sync({ [stream]: window })).toMatchObject([{ outcome: 'done' }]);
    expect(await receipts()).toBe(await transactions());
  });

  /** Reads the window while each block with transactions names a miner that is no address. */
  const readWithoutMiners = async () => {
    const { url, close } = await behindProxy(async ({ method, params, forward }) => {
      if (method !== 'eth_getBlockByNumber' || (params as unknown[])[1] !== true) return undefined;
      const block = (await forward()) as { transactions: unknown[] };
      return { result: block.transactions.length > 0 ? { ...block, miner: 'nobody' } : block };
    });
    await harness.sync({ [stream]: window }, url);
    await close();
    expect(await transactions()).toBe(0n);
  };
  const open = () => harness.value('SELECT count(*) FROM firn.quarantine WHERE replayed_at IS NULL');
  const withBlanks = (answer: object) => JSON.stringify(answer, null, 1);

  test.each<[string, (list: Receipt[]) => unknown[], typeof withBlanks?]>([
    ['short receipts', (list) => list.slice(1)],
    ['receipts of another block', (list) => list.map((receipt) => ({ ...receipt, blockHash: `0x${'ab'.repeat(32)}` }))],
    ['JSON with blanks', (list) => list, withBlanks],
  ])(
    'blocks that leave the quarantine where the node gives %s have their own receipts, logs and traces',
    { tags: 'long' },
    async (_, spoil, write) => {
      harness = await startNodeHarness([evmBlocks]);
      await readWithoutMiners();
      const { url } = await behindProxy(async ({ method, forward }) => {
        if (method === 'eth_getBlockReceipts') return { result: spoil((await forward()) as Receipt[]) };
        return method === 'eth_getBlockByNumber' ? { result: await forward() } : undefined;
      }, write);
      expect(await harness.sync({ [stream]: window }, url)).toMatchObject([{ outcome: 'done' }]);
      expect(await open()).toBe(0n);
      const wanted = expectedOf({
        ...harness.devnet.ledger.c,
        blocks: harness.devnet.ledger.c.blocks.slice(window.from, window.to + 1),
      });
      expect(wanted.transactions).toBeGreaterThan(0);
      expect(await receipts()).toBe(BigInt(wanted.transactions));
      expect(await harness.value('SELECT count(*) FROM raw.node_evm_logs')).toBe(BigInt(wanted.logs));
      expect(await statuses()).toMatchObject([{ trace_status: 'traced', n: BigInt(wanted.transactions) }]);
      expect(
        await harness.value(`SELECT count(*) FROM raw.node_evm_receipts AS r
        JOIN raw.node_evm_blocks AS b USING (chain_id, number) WHERE r.block_hash = b.hash`),
      ).toBe(BigInt(wanted.transactions));
    },
  );

  test('receipts and traces of a block that are more than is taken of one answer come one by one', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([evmBlocks]);
    const [large, tooLarge] = ['0x37', Array(bounds.range.items + 1).fill(0)];
    let larger: unknown;
    const { url } = await behindProxy(async ({ method, params }) => {
      const of = (params as unknown[] | undefined)?.[0];
      if (method === 'debug_traceTransaction') {
        larger ??= of;
        return of === larger ? { result: { type: 'CALL', calls: tooLarge } } : undefined;
      }
      if (!/^(eth_getBlockReceipts|debug_traceBlockByNumber)$/.test(method)) return undefined;
      return of === large ? { result: tooLarge } : undefined;
    });
    expect(await harness.sync({ [stream]: window }, url)).toMatchObject([{ outcome: 'done', quarantined: 0 }]);
    expect(await receipts()).toBe(await transactions());
    expect(await statuses()).toMatchObject([
      { trace_status: 'traced', n: BigInt(Number(await transactions()) - 1) },
      { trace_status: 'failed', trace_error: expect.stringContaining('more than 50000 items'), n: 1n },
    ]);
  });

  test('a transaction that cannot be traced with its block is traced alone, or says what is wrong', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([evmBlocks]);
    const spoil = (fails: boolean, item: object = { error: 'incorrect number of top-level calls' }) =>
      (async ({ method, forward }) => {
        if (method === 'debug_traceTransaction' && fails) {
          return { error: { code: -32000, message: 'tracer is out of breath' } };
        }
        if (method !== 'debug_traceBlockByNumber') return undefined;
        const [first, ...others] = (await forward()) as { txHash: string }[];
        return { result: [{ txHash: first?.txHash, ...item }, ...others] };
      }) satisfies Override;
    const alone = await behindProxy(spoil(false));
    await harness.sync({ [stream]: { from: 50, to: 55 } }, alone.url);
    expect(await statuses()).toMatchObject([{ trace_status: 'traced', n: await transactions() }]);
    await alone.close();

    const never = await behindProxy(spoil(true));
    await harness.sync({ [stream]: { from: 50, to: 60 } }, never.url);
    const failed = () =>
      harness.query(
        "SELECT DISTINCT tx_index, trace_error FROM raw.node_evm_trace_status WHERE trace_status = 'failed' ORDER BY trace_error",
      );
    const reasons = [{ tx_index: 0, trace_error: 'incorrect number of top-level calls' }];
    expect(await failed()).toEqual(reasons);
    await never.close();

    // An item without a word of its own: what is said of the transaction alone counts.
    for (const [to, item] of [
      [70, {}],
      [80, { result: null, error: null }],
    ] as const) {
      const wordless = await behindProxy(spoil(true, item));
      await harness.sync({ [stream]: { from: 50, to } }, wordless.url);
      await wordless.close();
    }
    expect(await failed()).toEqual([...reasons, { tx_index: 0, trace_error: 'tracer is out of breath' }]);
  });

  test('a block that fails as a whole for one of its transactions has the traces of all others', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([evmBlocks]);
    const failure = { error: { code: -32000, message: 'execution timeout' } };
    const slow = new Set<unknown>();
    const { url } = await behindProxy(async ({ method, params, forward }) => {
      if (method === 'debug_traceTransaction') return slow.has((params as unknown[])[0]) ? failure : undefined;
      if (method !== 'debug_traceBlockByNumber') return undefined;
      slow.add(((await forward()) as { txHash: string }[])[0]?.txHash);
      return failure;
    });
    expect(await harness.sync({ [stream]: { from: 1745, to: 1755 } }, url)).toMatchObject([
      {
        outcome: 'done',
        notes: [
          expect.stringMatching(/^Transactions could not be traced \(block 17\d\d: execution timeout\), so contracts/),
        ],
      },
    ]);
    expect(Number(await transactions())).toBeGreaterThan(slow.size);
    expect(await statuses()).toEqual([
      { trace_status: 'traced', trace_error: null, n: BigInt(Number(await transactions()) - slow.size) },
      { trace_status: 'failed', trace_error: 'execution timeout', n: BigInt(slow.size) },
    ]);
  });

  test('where all blocks and their first transactions are refused in the same unknown words, the others are not asked for each', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([evmBlocks]);
    const message = 'this endpoint is not part of your subscription';
    const { url, calls } = await behindProxy(async ({ method }) =>
      method.startsWith('debug_') ? { error: { code: -32000, message } } : undefined,
    );
    await harness.sync({ [stream]: window }, url);
    expect(await statuses()).toEqual([{ trace_status: 'failed', trace_error: message, n: await transactions() }]);
    const alone = calls.filter(({ method }) => method === 'debug_traceTransaction').length;
    expect(alone).toBeGreaterThan(0);
    expect(alone).toBeLessThan(Number(await transactions()) / 2);
  });

  test('traces and receipts of a block that take longer than a proxy waits come one by one', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([evmBlocks], {}, { baseMs: 1, holdMs: 1 });
    const { url, calls } = await behindProxy(async ({ method, params }) => {
      const isSlow = /^(eth_getBlockReceipts|debug_traceBlockByNumber)$/.test(method);
      return isSlow && Number((params as unknown[])[0]) === 1755 ? { unanswered: 504 } : undefined;
    });
    expect(await harness.sync({ [stream]: { from: 1740, to: 1760 } }, url)).toMatchObject([{ outcome: 'done' }]);
    expect(await statuses()).toMatchObject([{ trace_status: 'traced', n: await transactions() }]);
    expect(await receipts()).toBe(await transactions());
    // Less than would be taken for a server that is down.
    const asked = calls.filter(({ method, params }) => /Block/.test(method) && (params as unknown[])[0] === '0x6db');
    expect(asked.length).toBeLessThan(25);
  });

  test('a transaction whose trace takes longer than a proxy waits: the blocks before it are kept, and it is said', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([evmBlocks], {}, { baseMs: 1, holdMs: 1 });
    const { url } = await behindProxy(async ({ method, params, forward }) => {
      if (method === 'debug_traceBlockByNumber')
        return Number((params as unknown[])[0]) === 1755 ? { unanswered: 504 } : undefined;
      return method === 'debug_traceTransaction' && (await forward()) ? { unanswered: 504 } : undefined;
    });
    const [failed] = await harness.sync({ [stream]: { from: 1740, to: 1760 } }, url);
    expect(failed).toMatchObject({ outcome: 'failed', code: 'unavailable' });
    expect(failed?.message).toMatch(/gives no traces of block 1755 \(POST .* answered 504 .* set traces: false/);
    expect(await harness.value('SELECT max(number) FROM raw.node_evm_blocks')).toBe(1754n);
  });

  test.each([
    ['null', { result: null }],
    ['too many requests', { error: { code: -32005, message: 'too many requests' } }],
  ])(
    '%s of a transaction traced alone: the blocks before it are kept, and it is said',
    { tags: 'long' },
    async (said, alone) => {
      harness = await startNodeHarness([evmBlocks], {}, { baseMs: 1, holdMs: 1 });
      const { url } = await behindProxy(async ({ method, params }) => {
        if (method === 'debug_traceTransaction') return alone;
        const isLate = method === 'debug_traceBlockByNumber' && Number((params as unknown[])[0]) > 1755;
        return isLate ? { result: null } : undefined;
      });
      const [failed] = await harness.sync({ [stream]: { from: 1740, to: 1760 } }, url);
      expect(failed).toMatchObject({ outcome: 'failed', code: 'unavailable' });
      expect(failed?.message).toMatch(new RegExp(`no traces of block 175\\d \\(${said}\\).* set traces: false`));
      expect(await harness.value('SELECT max(number) FROM raw.node_evm_blocks')).toBeGreaterThan(1754n);
      expect(await statuses()).toMatchObject([{ trace_status: 'traced', n: await transactions() }]);
    },
  );

  test.each([
    ['null', null],
    ['an empty text', ''],
  ])('a frame whose error is %s did not fail', { tags: 'long' }, async (_, error) => {
    harness = await startNodeHarness([evmBlocks]);
    const frames = () =>
      harness.query('SELECT "number", tx_index, frame, error, reverted FROM raw.node_evm_traces ORDER BY ALL');
    await harness.sync({ [stream]: { from: 1745, to: 1755 } });
    const before = await frames();
    await harness.close();
    harness = await startNodeHarness([evmBlocks]);
    const { url } = await behindProxy(async ({ method, forward }) => {
      if (method !== 'debug_traceBlockByNumber') return undefined;
      const withErrors = (_: string, value: unknown) =>
        value !== null && typeof value === 'object' && 'gasUsed' in value ? { error, ...value } : value;
      return { result: JSON.parse(JSON.stringify(await forward(), withErrors)) };
    });
    await harness.sync({ [stream]: { from: 1745, to: 1755 } }, url);
    expect(before.length).toBeGreaterThan(0);
    expect(await frames()).toEqual(before);
  });

  test('a block whose state was pruned has no traces, and says why; all others have theirs', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([evmBlocks]);
    const message = 'missing trie node 5a1e4c (path ) state 0x5a1e4c is not available';
    const { url } = await behindProxy(async ({ method, params }) => {
      const isPruned = method === 'debug_traceBlockByNumber' && Number((params as unknown[])[0]) < 60;
      return isPruned ? { error: { code: -32000, message } } : undefined;
    });
    const [result] = await harness.sync({ [stream]: window }, url);
    const note = expect.stringMatching(
      /^Transactions could not be traced \(block 5\d: missing trie node .*, so contracts/,
    );
    expect(result).toMatchObject({ outcome: 'done', notes: [note] });
    const told = await harness.query(
      'SELECT DISTINCT "number" < 60 AS pruned, trace_status, trace_error FROM raw.node_evm_trace_status ORDER BY pruned',
    );
    expect(told).toEqual([
      { pruned: false, trace_status: 'traced', trace_error: null },
      { pruned: true, trace_status: 'failed', trace_error: message },
    ]);
    // Nothing is said of it once another node gives them.
    expect((await harness.sync({ [stream]: { ...window, to: window.to + 1 } }))[0]?.notes).toBeUndefined();
  });

  test.each([
    [-32000, 'block #1756 not found'],
    [-32000, 'parent of block 1756 not executed yet'],
    [-32000, 'post-execution state root unavailable for block 1756 (0x00)'],
    [-32000, 'cannot query unfinalized data'],
    [-32005, 'daily request count exceeded'],
    [-32000, 'Too many requests'],
    [-32012, 'credits limited to 6000/sec'],
    [429, 'Your app has exceeded its compute units per second capacity.'],
    [-32000, 'debug_traceBlockByNumber: header not found'],
    [-32001, 'Resource not found'],
  ])(
    'an error that will pass (%i, %s) is no failure to trace a block: the next run asks again',
    async (code, message) => {
      harness = await startNodeHarness([evmBlocks], {}, { baseMs: 1, holdMs: 1 });
      const { url } = await behindProxy(async ({ method, params }) => {
        const isLate = method === 'debug_traceBlockByNumber' && Number((params as unknown[])[0]) > 1755;
        return isLate ? { error: { code, message } } : undefined;
      });
      const [failed] = await harness.sync({ [stream]: { from: 1740, to: 1760 } }, url);
      expect(failed).toMatchObject({
        outcome: 'failed',
        code: 'unavailable',
        message: expect.stringContaining(message),
      });
      expect(await harness.value('SELECT max(number) FROM raw.node_evm_blocks')).toBeGreaterThan(1754n);
      await harness.sync({ [stream]: { from: 1740, to: 1760 } });
      expect(await harness.value('SELECT count(*) FROM raw.node_evm_blocks')).toBe(21n);
      expect(await statuses()).toMatchObject([{ trace_status: 'traced', n: await transactions() }]);
    },
  );

  test.each([
    [-32000, 'the method debug_traceBlockByNumber does not exist/is not available'],
    [-32000, 'debug_traceBlockByNumber is not available on the free tier'],
    [-32000, 'Unsupported method'],
    [-32002, 'Archive, Debug and Trace requests are not available on your current plan.'],
    [-32075, 'Method disabled, reason: restricted by blockchain schema'],
  ])('%i "%s" is said of all traces', async (code, message) => {
    harness = await startNodeHarness([evmBlocks]);
    const { url } = await behindProxy(async ({ method }) =>
      method === 'debug_traceBlockByNumber' ? { error: { code, message } } : undefined,
    );
    await harness.sync({ [stream]: { from: 50, to: 52 } }, url);
    expect(await statuses()).toMatchObject([{ trace_status: 'not_offered' }]);
  });

  const noDebug = { error: { code: -32601, message: 'the method debug_trace… does not exist/is not available' } };
  test('of several nodes behind one URL, one that offers no traces keeps none from being read', async () => {
    harness = await startNodeHarness([evmBlocks]);
    // Each block meets it twice.
    const met = new Map<unknown, number>();
    const { url } = await behindProxy(async ({ method, params }) => {
      if (method !== 'debug_traceBlockByNumber') return undefined;
      const [height] = params as unknown[];
      met.set(height, (met.get(height) ?? 0) + 1);
      return (met.get(height) ?? 0) <= 2 ? noDebug : undefined;
    });
    const [result] = await harness.sync({ [stream]: { from: 1740, to: 1760 } }, url);
    expect(result).not.toHaveProperty('notes');
    expect(await statuses()).toEqual([{ trace_status: 'traced', trace_error: null, n: await transactions() }]);
  });

  test('a node without traces between others leaves what later runs ask for again', async () => {
    harness = await startNodeHarness([evmBlocks]);
    const parameters = { [stream]: { from: 1740, to: 1760 } };
    let isThere = true;
    const { url } = await behindProxy(async ({ method, params }) => {
      const isOne = method === 'debug_traceTransaction' || (params as unknown[])[0] === '0x6d4';
      return isThere && isOne && method.startsWith('debug') ? noDebug : undefined;
    });
    await harness.sync(parameters, url);
    expect(await statuses()).toEqual([
      { trace_status: 'traced', trace_error: null, n: expect.any(BigInt) },
      { trace_status: 'failed', trace_error: noDebug.error.message, n: expect.any(BigInt) },
    ]);
    isThere = false;
    await harness.sync({ [stream]: { ...parameters[stream], to: 1761 } }, url);
    expect(await statuses()).toMatchObject([{ trace_status: 'traced', n: await transactions() }]);
  });

  test('what one of several nodes gave without traces is told, also where another one gives those of blocks before it', async () => {
    harness = await startNodeHarness([evmBlocks]);
    let later: Promise<unknown> | undefined;
    const { url } = await behindProxy(async ({ method, params }) => {
      if (!method.startsWith('debug')) return undefined;
      if (Number((params as unknown[])[0]) >= 1740 || method === 'debug_traceTransaction') return noDebug;
      await later;
      return undefined;
    });
    const lacks = evmBlocks.state?.() as EvmLacks;
    let notes: readonly string[] = [];
    await harness.sync({ [stream]: {} }, url, async (_, context) => {
      const partition = context.partition as Parameters<typeof evmBlocks.read>[0];
      const read = (from: number, to: number) => answer(evmBlocks.read(partition, from, to, lacks), context.fetch);
      const before = read(1708, 1739);
      later = read(1740, 1760);
      await Promise.all([before, later]);
      notes = evmBlocks.notes?.(partition, lacks, 0) ?? [];
      // Once some were given, others are said to have failed.
      await read(1740, 1760);
    });
    expect(notes).toEqual([expect.stringMatching(/^One of the nodes behind the URL offers no call traces/)]);
    expect(lacks).toMatchObject({
      traces: false,
      traced: true,
      untraced: expect.stringContaining(noDebug.error.message),
    });
  });

  test('a node without callTracer for transactions between others leaves what later runs ask for again', async () => {
    harness = await startNodeHarness([evmBlocks]);
    const parameters = { [stream]: { from: 1740, to: 1760 } };
    let isThere = true;
    const { url } = await behindProxy(async ({ method, params }) => {
      if (!isThere) return undefined;
      if (method === 'debug_traceTransaction') return { result: steps };
      const isOne = method === 'debug_traceBlockByNumber' && (params as unknown[])[0] === '0x6d4';
      return isOne ? { error: { code: -32000, message: 'execution timeout' } } : undefined;
    });
    const [result] = await harness.sync(parameters, url);
    expect(result).toMatchObject({ notes: [expect.stringMatching(/^Transactions could not be traced/)] });
    expect((await statuses()).map(({ trace_status }) => trace_status)).toEqual(['traced', 'failed']);
    isThere = false;
    await harness.sync({ [stream]: { ...parameters[stream], to: 1761 } }, url);
    expect(await statuses()).toMatchObject([{ trace_status: 'traced', n: await transactions() }]);
  });

  test('of several nodes behind one URL, one that has pruned its state keeps no traces from being read', async () => {
    harness = await startNodeHarness([evmBlocks]);
    const met = new Map<unknown, number>();
    const { url } = await behindProxy(async ({ method, params }) => {
      if (method !== 'debug_traceBlockByNumber') return undefined;
      const [height] = params as unknown[];
      if (height === '0x6d4') return undefined;
      met.set(height, (met.get(height) ?? 0) + 1);
      const message = 'required historical state unavailable (reexec=128)';
      return (met.get(height) ?? 0) <= 2 ? { error: { code: -32000, message } } : undefined;
    });
    const [result] = await harness.sync({ [stream]: { from: 1740, to: 1760 } }, url);
    expect(result).not.toHaveProperty('notes');
    expect(await statuses()).toEqual([{ trace_status: 'traced', trace_error: null, n: await transactions() }]);
  });

  const steps = { gas: 21000, failed: false, returnValue: '', structLogs: [{ pc: 0, op: 'PUSH1', depth: 1 }] };
  test.each<[string, Override]>([
    [
      'the traces of blocks are',
      async ({ method, forward }) => {
        if (method !== 'debug_traceBlockByNumber') return undefined;
        const items = (await forward()) as { txHash: string }[];
        return { result: items.map(({ txHash }) => ({ txHash, result: steps })) };
      },
    ],
    [
      'those of blocks take too long, and of single transactions are',
      async ({ method }) => {
        if (method === 'debug_traceTransaction') return { result: steps };
        const isOfBlock = method === 'debug_traceBlockByNumber';
        return isOfBlock ? { error: { code: -32000, message: 'execution timeout' } } : undefined;
      },
    ],
  ])(
    'a node that does not know callTracer, where %s steps of the machine: everything else is read',
    async (_, override) => {
      harness = await startNodeHarness([evmBlocks]);
      const { url } = await behindProxy(override);
      const [result] = await harness.sync({ [stream]: window }, url);
      expect(result).toMatchObject({
        outcome: 'done',
        quarantined: 0,
        notes: [expect.stringContaining('no call traces')],
      });
      expect(await statuses()).toEqual([{ trace_status: 'not_offered', trace_error: null, n: await transactions() }]);
      expect(await receipts()).toBe(await transactions());
    },
  );

  test('a block that is refused for too many requests is not told as one that the node lacks', async () => {
    harness = await startNodeHarness([evmBlocks], {}, { baseMs: 1, holdMs: 1 });
    const { url } = await behindProxy(async ({ method, params }) => {
      const isFull = method === 'eth_getBlockByNumber' && (params as unknown[])[1] === true;
      return isFull ? { error: { code: 429, message: 'slow down' } } : undefined;
    });
    const [failed] = await harness.sync({ [stream]: window }, url);
    expect(failed).toMatchObject({ outcome: 'failed', code: 'rate_limited' });
    expect(failed?.message).toContain('takes no more requests for now, and gives no block 50 (slow down)');
  });

  describe('a node that came by state sync, and has genesis and what follows block 99', () => {
    const begins = (blocks: EvmChain['blocks'], seconds = 0) =>
      new Date(((blocks[100]?.timestamp ?? 0) + seconds) * 1000).toISOString().replace('.000', '');

    test.each([0, 40, '2026-01-20', '-60d'])('is not read from %s, and says from where on it can be', async (from) => {
      harness = await startNodeHarness([evmBlocks], { head: '6%', gaps: { C: [[1, 99]] } });
      const { blocks } = harness.devnet.ledger.c;
      const [failed] = await harness.sync({ [stream]: { from } });
      expect(failed).toMatchObject({ outcome: 'failed', code: 'contract' });
      expect(failed?.message).toContain(`its blocks begin with 100 of ${begins(blocks)}`);
      expect(failed?.message).toContain(`(from: "${begins(blocks, 1)}")`);
      expect(await harness.query('SELECT 1 FROM raw.node_evm_blocks')).toEqual([]);

      const [done] = await harness.sync({ [stream]: { from: begins(blocks, 1) } });
      expect(done).toMatchObject({ outcome: 'done' });
      expect(await harness.value('SELECT min("number") > 100 FROM raw.node_evm_blocks')).toBe(true);
    });

    test('is read though its first block cannot be traced without the one before', async () => {
      harness = await startNodeHarness([evmBlocks], { head: '6%', gaps: { C: [[1, 99]] } });
      const { url } = await behindProxy(async ({ method, params }) => {
        const isFirst = method === 'debug_traceBlockByNumber' && (params as unknown[])[0] === '0x64';
        return isFirst ? { error: { code: -32000, message: 'block #99 not found' } } : undefined;
      });
      expect(await harness.sync({ [stream]: { from: 100 } }, url)).toMatchObject([{ outcome: 'done' }]);
    });

    test('is read where another one behind its URL has the block', async () => {
      harness = await startNodeHarness([evmBlocks], { head: '3%' });
      let asked = 0;
      const { url } = await behindProxy(async ({ method, params }) => {
        const isFirst = method === 'eth_getBlockByNumber' && (params as unknown[])[0] === '0x1';
        return isFirst && asked++ < 3 ? { result: null } : undefined;
      });
      expect(await harness.sync({ [stream]: {} }, url)).toMatchObject([{ outcome: 'done' }]);
    });
  });

  test.each([
    ['not final yet', { error: { code: -32000, message: 'cannot query unfinalized data' } }],
    ['not there yet', { result: null }],
  ])('a block that is %s on the node that answers is asked for again', async (_, answer) => {
    harness = await startNodeHarness([evmBlocks]);
    let refused = 0;
    const { url } = await behindProxy(async ({ method, params }) => {
      const early = method === 'eth_getBlockByNumber' && (params as unknown[])[1] === true && refused++ === 0;
      return early ? answer : undefined;
    });
    expect(await harness.sync({ [stream]: window }, url)).toMatchObject([{ outcome: 'done' }]);
    expect(refused).toBeGreaterThan(1);
    expect(await harness.value('SELECT count(*) FROM raw.node_evm_blocks')).toBe(18n);
  });

  test('a head told by a node that is ahead: what is not there yet comes with the next run', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([evmBlocks], { head: '50%' }, { baseMs: 1, holdMs: 1 });
    const { url } = await behindProxy(async ({ method, params }) => {
      if (method === 'eth_blockNumber') return { result: '0xfff' };
      const beyond = method === 'eth_getBlockByNumber' && Number((params as unknown[])[0]) > 1760;
      return beyond ? { result: null } : undefined;
    });
    const [failed] = await harness.sync({ [stream]: { from: 1700, traces: false } }, url);
    expect(failed).toMatchObject({ outcome: 'failed', code: 'unavailable' });
    expect(failed?.message).toContain('has no block 1761 (null)');
    expect(await harness.value('SELECT count(*) FROM raw.node_evm_blocks')).toBe(61n);
    expect(await harness.sync({ [stream]: { from: 1700, traces: false } })).toMatchObject([{ outcome: 'done' }]);
  });

  test('another chain behind the URL that has the same genesis: the last block is not there any more', async () => {
    harness = await startNodeHarness([evmBlocks], { head: '50%' });
    await harness.sync({ [stream]: { from: 1700, traces: false } });
    harness.devnet.moveHead('100%');
    const { url } = await behindProxy(async ({ method, params, forward }) => {
      if (method !== 'eth_getBlockByNumber' || (params as unknown[])[0] === '0x0') return undefined;
      return { result: { ...((await forward()) as object), hash: `0x${'ab'.repeat(32)}` } };
    });
    for (const traces of [false, true]) {
      const results = await harness.sync({ [stream]: { from: 1700, traces } }, url);
      expect(results).toMatchObject([{ outcome: 'failed', code: 'source_shrank' }]);
    }
  });

  test('another block than was asked for, once: it is asked for again, and not taken for another chain', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness([evmBlocks], { head: '50%' });
    await harness.sync({ [stream]: { from: 1700, traces: false } });
    harness.devnet.moveHead('100%');
    let isOther = true;
    const { url } = await behindProxy(async ({ method, params, forward }) => {
      if (!isOther || method !== 'eth_getBlockByNumber') return undefined;
      const [height, full] = params as [string, boolean];
      if (!(Number(height) > 1)) return undefined;
      isOther = false;
      return { result: await forward([`0x${(Number(height) - 1).toString(16)}`, full]) };
    });
    expect(await harness.sync({ [stream]: { from: 1700, traces: false } }, url)).toMatchObject([{ outcome: 'done' }]);
    expect(isOther).toBe(false);
  });

  test('hashes in upper case are those of the same chain in every run', { tags: 'long' }, async () => {
    harness = await startNodeHarness([evmBlocks], { head: '50%' });
    const { url } = await behindProxy(async ({ method, forward }) => {
      if (!/^(eth_getBlock|eth_getTransactionReceipt|debug_traceBlock)/.test(method)) return undefined;
      const upper = JSON.stringify(await forward()).replace(
        /"0x[0-9a-f]{64}"/g,
        (hex) => `"0x${hex.slice(3).toUpperCase()}`,
      );
      return { result: JSON.parse(upper) };
    });
    for (const head of ['50%', '51%'] as const) {
      harness.devnet.moveHead(head);
      expect(await harness.sync({ [stream]: { from: 1740 } }, url)).toMatchObject([{ outcome: 'done' }]);
      expect(await statuses()).toMatchObject([{ trace_status: 'traced', n: await transactions() }]);
    }
    expect(await harness.sync({ [stream]: { from: 1740 } })).toMatchObject([{ outcome: 'done' }]);
    const odd =
      'SELECT count(*) FROM raw.node_evm_blocks WHERE hash <> lower(hash) OR parent_hash <> lower(parent_hash)';
    expect(await harness.value(odd)).toBe(0n);
    const lower = 'SELECT bool_and(topics::VARCHAR = lower(topics::VARCHAR)) FROM raw.node_evm_logs';
    expect(await harness.value(lower)).toBe(true);
  });

  test('members that Helicon brought to the header are columns', { tags: 'long' }, async () => {
    harness = await startNodeHarness([evmBlocks]);
    const { url } = await behindProxy(async ({ method, forward }) => {
      if (method !== 'eth_getBlockByNumber') return undefined;
      const settled = {
        targetExponent: '0x9',
        minPriceExponent: '0x124f80',
        settledHeight: '0x0',
        settledGasUnix: '0x6a6896f0',
        settledGasNumerator: '0x0',
        settledExcess: '0x4d',
      };
      return { result: { ...((await forward()) as object), ...settled } };
    });
    await harness.sync({ [stream]: { blockchainIds: ['C'], from: 50, to: 53 } }, url);
    expect(
      await harness.query(`SELECT DISTINCT target_exponent, min_price_exponent, settled_height, settled_gas_unix, settled_gas_numerator,
        settled_excess, _extra FROM raw.node_evm_blocks`),
    ).toEqual([
      {
        target_exponent: 9n,
        min_price_exponent: 1_200_000n,
        settled_height: 0n,
        settled_gas_unix: 1_785_239_280n,
        settled_gas_numerator: 0n,
        settled_excess: 77n,
        _extra: null,
      },
    ]);
  });

  test('a node of before there were types of transactions names none', async () => {
    harness = await startNodeHarness([evmBlocks]);
    const { url } = await behindProxy(async ({ method, forward }) => {
      if (!/^eth_getBlock(ByNumber|Receipts)$/.test(method)) return undefined;
      const answer = JSON.stringify(await forward(), (name, value) => (name === 'type' ? undefined : value));
      return { result: JSON.parse(answer) };
    });
    expect(await harness.sync({ [stream]: window }, url)).toMatchObject([{ outcome: 'done', quarantined: 0 }]);
    expect(await transactions()).toBeGreaterThan(0n);
    expect(await receipts()).toBe(await transactions());
  });

  test('a frame that names more than any balance keeps its digits', async () => {
    harness = await startNodeHarness([evmBlocks]);
    const huge = 2n ** 256n - 1n;
    const { url } = await behindProxy(async ({ method, forward }) => {
      if (method !== 'debug_traceBlockByNumber') return undefined;
      const items = (await forward()) as { result: object }[];
      return {
        result: items.map((item) => ({ ...item, result: { ...item.result, value: `0x${huge.toString(16)}` } })),
      };
    });
    await harness.sync({ [stream]: { from: 50, to: 51 } }, url);
    const rows = await harness.query('SELECT DISTINCT "value", value_text FROM raw.node_evm_traces WHERE frame = 0');
    expect(rows).toEqual([{ value: null, value_text: String(huge) }]);
  });
});
