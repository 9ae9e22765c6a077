import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readLedger } from '../../src/readLedger.ts';
import { type Devnet, startDevnet } from '../../src/startDevnet.ts';
import type { EvmBlockRecord, Ledger, LinearBlockRecord } from '../../src/types.ts';
import { call } from '../post.ts';

let ledger: Ledger;
let devnet: Devnet;
let l1Rpc: string;
beforeAll(async () => {
  ledger = await readLedger();
  devnet = await startDevnet({ ledger });
  l1Rpc = `/ext/bc/${ledger.l1s[0]?.blockchainId}/rpc`;
});
afterAll(() => devnet.close());

const hex = (number: number) => `0x${number.toString(16)}`;
const last = <T extends { readonly visibleAt: number }>(blocks: readonly T[], now: number): T =>
  blocks.findLast(({ visibleAt }) => visibleAt <= now) as T;

/** Heads all over the history: shares, and the very moment of a block and the millisecond before it. */
const heads = ['0.01%', '3%', '12%', '40%', '70%', '99%', 'C 1500', 'C 1500 -1', 'P 700 -1', 'X 700', 'L1 200 -1'];

function momentOf(name: string): number | string {
  const [chain, height, less = '0'] = name.split(' ');
  if (height === undefined) return name;
  const all = [ledger.c, ledger.p, ledger.x, ...ledger.l1s];
  const blocks = all.find((candidate) => candidate.name === chain)?.blocks as readonly { visibleAt: number }[];
  return (blocks[Number(height)]?.visibleAt ?? 0) + Number(less);
}

describe.each(heads)('with the head at %s', (name) => {
  let now: number;
  beforeAll(() => {
    devnet.moveHead(momentOf(name));
    now = devnet.head.now();
  });

  test('every chain ends at its last block before the head', async () => {
    const c = last(ledger.c.blocks, now);
    expect(await call(devnet, '/ext/bc/C/rpc', 'eth_blockNumber', [])).toBe(hex(c.number));
    expect((await call(devnet, '/ext/bc/C/rpc', 'eth_getBlockByNumber', ['latest', false])).hash).toBe(c.hash);
    expect(await call(devnet, '/ext/bc/P', 'platform.getHeight', {})).toEqual({
      height: `${last(ledger.p.blocks, now).height}`,
    });
    expect(await call(devnet, '/ext/bc/X', 'avm.getHeight', {})).toEqual({
      height: `${last(ledger.x.blocks, now).height}`,
    });
  });

  test('the indexes end there too, and ranges stop', async () => {
    for (const { name: chain, blocks } of [ledger.c, ledger.p, ledger.x]) {
      const path = `/ext/index/${chain}/block`;
      const { container } = last(blocks as readonly (EvmBlockRecord | LinearBlockRecord)[], now);
      const newest = await call(devnet, path, 'index.getLastAccepted', { encoding: 'hex' });
      if (container === null) {
        expect(newest).toBe('error: no containers have been accepted');
        continue;
      }
      expect(newest).toEqual(container);
      const range = { startIndex: Math.max(0, Number(container.index) - 2), numToFetch: 1024, encoding: 'hex' };
      const { containers } = await call(devnet, path, 'index.getContainerRange', range);
      expect(containers.at(-1)).toEqual(container);
      const next = { index: Number(container.index) + 1 };
      expect(await call(devnet, path, 'index.getContainerByIndex', next)).toBe(
        `error: no container at index ${next.index}`,
      );
    }
  });

  test('nothing of the next block exists in any answer', async () => {
    const next = ledger.c.blocks[last(ledger.c.blocks, now).number + 1] as EvmBlockRecord;
    const { transactions } = JSON.parse(next.block) as { transactions: { hash: string }[] };
    const rpc = (method: string, params: unknown) => call(devnet, '/ext/bc/C/rpc', method, params);
    const unfinalized = 'error: cannot query unfinalized data';
    expect(await rpc('eth_getBlockByNumber', [hex(next.number), true])).toBe(unfinalized);
    expect(await rpc('debug_traceBlockByNumber', [hex(next.number), { tracer: 'callTracer' }])).toBe(unfinalized);
    expect(await rpc('eth_getBlockReceipts', [hex(next.number)])).toBeNull();
    expect(await rpc('eth_getBlockByHash', [next.hash, true])).toBeNull();
    expect(await rpc('eth_getBlockReceipts', [next.hash])).toBeNull();
    expect(await rpc('debug_traceBlockByHash', [next.hash, { tracer: 'callTracer' }])).toBe(
      `error: block ${next.hash} not found`,
    );
    for (const { hash } of transactions) {
      expect(await rpc('eth_getTransactionByHash', [hash])).toBeNull();
      expect(await rpc('eth_getTransactionReceipt', [hash])).toBeNull();
      expect(await rpc('debug_traceTransaction', [hash, { tracer: 'callTracer' }])).toBe(
        'error: transaction not found',
      );
    }
    expect(await call(devnet, '/ext/index/C/block', 'index.isAccepted', { id: next.container?.id })).toEqual({
      isAccepted: false,
    });
    expect(await call(devnet, '/ext/index/C/block', 'index.getContainerByID', { id: next.container?.id })).toBe(
      'error: not found',
    );
    expect(await call(devnet, '/ext/index/C/block', 'index.getIndex', { id: next.container?.id })).toBe(
      'error: not found',
    );
  });

  test('nothing of the next P and X blocks exists either', async () => {
    for (const [path, service, { blocks }] of [
      ['/ext/bc/P', 'platform', ledger.p],
      ['/ext/bc/X', 'avm', ledger.x],
    ] as const) {
      const next = blocks[last(blocks, now).height + 1] as LinearBlockRecord;
      const { height, id: blockID } = next;
      expect(await call(devnet, path, `${service}.getBlockByHeight`, { height })).toBe(
        `error: couldn't get block at height ${height}: not found`,
      );
      expect(await call(devnet, path, `${service}.getBlock`, { blockID })).toBe(
        `error: couldn't get block with id ${blockID}: not found`,
      );
      for (const txID of next.txs.keys()) {
        expect(await call(devnet, path, `${service}.getTx`, { txID, encoding: 'json' })).toMatch(
          /^error: (couldn't get tx: )?not found$/,
        );
        expect(await call(devnet, path, `${service}.getTxStatus`, { txID })).toEqual({ status: 'Unknown' });
      }
    }
  });

  test('validators have started, blockchains and atomic transactions are there already', async () => {
    const { validators } = await call(devnet, '/ext/bc/P', 'platform.getCurrentValidators', {});
    expect(validators.length).toBeGreaterThan(0);
    for (const { startTime } of validators) expect(Number(startTime) * 1000).toBeLessThanOrEqual(now);
    const height = last(ledger.p.blocks, now).height;
    const known = new Set(ledger.p.blocks.slice(0, height + 1).flatMap(({ txs }) => [...txs.keys()]));
    const { blockchains } = await call(devnet, '/ext/bc/P', 'platform.getBlockchains', {});
    for (const { id, subnetID } of blockchains) {
      if (subnetID !== '11111111111111111111111111111111LpoYY') expect(known.has(id)).toBe(true);
    }
    const supply = await call(devnet, '/ext/bc/P', 'platform.getCurrentSupply', {});
    expect(Number(supply.height)).toBeLessThanOrEqual(height);
    for (const [txID, { number }] of ledger.atomicTxs) {
      const { status } = await call(devnet, '/ext/bc/C/avax', 'avax.getAtomicTxStatus', { txID });
      expect(status).toBe(number <= last(ledger.c.blocks, now).number ? 'Accepted' : 'Unknown');
    }
  });

  test('rewards exist once their staking has ended', async () => {
    const ended = (txID: string) =>
      ledger.p.blocks.some(
        ({ visibleAt, json }) => visibleAt <= now && json.includes(`"unsignedTx":{"txID":"${txID}"`),
      );
    for (const [txID, { result }] of ledger.rewards) {
      const { numFetched } = await call(devnet, '/ext/bc/P', 'platform.getRewardUTXOs', { txID });
      expect(numFetched).toBe(ended(txID) ? JSON.parse(result).numFetched : '0');
    }
  });

  test('the L1 runs once it was created, and ends at its last block', async () => {
    const [l1] = ledger.l1s;
    const created = ledger.p.blocks.find(({ txs }) => txs.has(l1?.blockchainId ?? ''));
    const answer = await call(devnet, l1Rpc, 'eth_blockNumber', []);
    const status = await call(devnet, '/ext/bc/P', 'platform.getBlockchainStatus', { blockchainID: l1?.blockchainId });
    if ((created?.visibleAt ?? 0) > now) {
      expect(answer).toBe('status 404: 404 page not found\n');
      expect(status).toEqual({ status: 'Unknown' });
    } else {
      expect(answer).toBe(hex(last(l1?.blocks ?? [], now).number));
      expect(status).not.toEqual({ status: 'Unknown' });
    }
  });

  test('logs end at the head', async () => {
    const number = last(ledger.c.blocks, now).number;
    const logs = await call(devnet, '/ext/bc/C/rpc', 'eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]);
    const receipts = ledger.c.blocks
      .slice(0, number + 1)
      .flatMap((block) => JSON.parse(block.receipts) as { logs: unknown[] }[]);
    expect(logs).toEqual(receipts.flatMap((receipt) => receipt.logs));
  });
});
