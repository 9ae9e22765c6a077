import { afterEach, beforeAll, expect, test } from 'vitest';
import { fromCheckedHex } from '../../src/codec/bytes.ts';
import { visibleCount } from '../../src/countUpTo.ts';
import { readLedger } from '../../src/readLedger.ts';
import { type Devnet, type DevnetLogEntry, type DevnetOptions, startDevnet } from '../../src/startDevnet.ts';
import type { Ledger } from '../../src/types.ts';
import { call, post } from '../post.ts';

let ledger: Ledger;
beforeAll(async () => {
  ledger = await readLedger();
});

let devnet: Devnet;
afterEach(() => devnet.close());
const start = async (options: DevnetOptions) => {
  devnet = await startDevnet({ ledger, ...options });
};

const quantity = (number: number) => `0x${number.toString(16)}`;
const rpc = (method: string, ...params: unknown[]) => call(devnet, '/ext/bc/C/rpc', method, params);
const trace = (number: number) => rpc('debug_traceBlockByNumber', quantity(number), { tracer: 'callTracer' });

test('a pruned node traces and calls its newest blocks only, and still has the older ones', async () => {
  await start({ stateBlocks: 10 });
  const last = ledger.c.blocks.length - 1;
  const unavailable = 'error: required historical state unavailable (reexec=128)';
  expect(await trace(last - 9)).toEqual(JSON.parse(ledger.c.blocks[last - 9]?.traces ?? ''));
  expect(await trace(last - 10)).toBe(unavailable);
  const old = await rpc('eth_getBlockByNumber', quantity(last - 10), true);
  expect(old).toEqual(JSON.parse(ledger.c.blocks[last - 10]?.block ?? ''));
  const [tx] = old.transactions;
  expect(await rpc('debug_traceTransaction', tx.hash, { tracer: 'callTracer' })).toBe(unavailable);
  const lost = `error: missing trie node ${old.stateRoot.slice(2)} (path ) state ${old.stateRoot} is not available`;
  expect(await rpc('eth_getBalance', tx.from, quantity(last - 10))).toBe(lost);
  const l1 = `/ext/bc/${ledger.l1s[0]?.blockchainId}/rpc`;
  expect(await call(devnet, l1, 'eth_feeConfig', ['0x1'])).toMatch(/^error: missing trie node .* is not available$/);
  expect(await call(devnet, l1, 'eth_feeConfig', ['latest'])).toHaveProperty('feeConfig');
  devnet.configure({ stateBlocks: Number.POSITIVE_INFINITY });
  expect(await trace(1)).toEqual(JSON.parse(ledger.c.blocks[1]?.traces ?? ''));
});

test('blocks that are not accepted yet hang together, and others are accepted in their places', async () => {
  await start({ unaccepted: 3 });
  const { blocks } = ledger.c;
  // A moment before three blocks with transactions.
  const accepted = blocks.findIndex(
    ({ number, visibleAt }) =>
      number > 100 &&
      visibleAt < (blocks[number + 1]?.visibleAt ?? 0) &&
      [1, 2, 3].every((above) => blocks[number + above]?.receipts !== '[]'),
  );
  devnet.moveHead(blocks[accepted]?.visibleAt ?? 0);
  expect(await rpc('eth_blockNumber')).toBe(quantity(accepted + 3));
  const at = (name: string) => rpc('eth_getBlockByNumber', name, true);
  const shown = await Promise.all([0, 1, 2, 3].map((above) => at(quantity(accepted + above))));
  expect(shown[0].hash).toBe(blocks[accepted]?.hash);
  for (const [above, block] of shown.entries()) {
    if (above === 0) continue;
    const own = JSON.parse(blocks[accepted + above]?.block ?? '');
    expect(block.hash).not.toBe(own.hash);
    expect(block.parentHash).toBe(shown[above - 1].hash);
    expect(block.transactions.map((tx: { hash: string }) => tx.hash)).toEqual(
      own.transactions.map((tx: { hash: string }) => tx.hash),
    );
    expect(await rpc('eth_getBlockByHash', block.hash, true)).toEqual(block);
    expect(await rpc('eth_getBlockByHash', own.hash, true)).toBeNull();
    const receipts = await rpc('eth_getBlockReceipts', quantity(accepted + above));
    const [tx] = block.transactions;
    expect(await rpc('eth_getTransactionReceipt', tx.hash)).toEqual(receipts[0]);
    const logs = await rpc('eth_getLogs', { fromBlock: block.number, toBlock: block.number });
    expect(logs).toEqual(receipts.flatMap((receipt: { logs: object[] }) => receipt.logs));
    expect(new Set([tx, ...receipts, ...logs].map(({ blockHash }) => blockHash))).toEqual(new Set([block.hash]));
  }
  expect(await at('latest')).toEqual(shown[3]);
  for (const tag of ['accepted', 'finalized', 'safe']) expect(await at(tag)).toEqual(shown[0]);
  expect(await at(quantity(accepted + 4))).toBe('error: cannot query unfinalized data');

  devnet.moveHead('100%');
  for (const { number } of shown) {
    expect(await at(number)).toEqual(JSON.parse(blocks[Number(number)]?.block ?? ''));
  }
  expect(await at('latest')).toEqual(JSON.parse(blocks.at(-1)?.block ?? ''));
});

test('a node that restarts is down for three requests and bootstrapping for three, and then as before', async () => {
  const entries: DevnetLogEntry[] = [];
  await start({ restartEvery: 8, log: (entry) => entries.push(entry) });
  const ask = async () => {
    const response = await post(devnet, '/ext/bc/P', { jsonrpc: '2.0', id: 1, method: 'platform.getHeight' }).catch(
      () => null,
    );
    if (response === null) return 'down';
    return response.status === 503 ? 'bootstrapping' : 'up';
  };
  const many = async (count: number) => {
    const states: string[] = [];
    for (let at = 0; at < count; at++) states.push(await ask());
    return states.join(' ');
  };
  const restart = 'down down down bootstrapping bootstrapping bootstrapping';
  expect(await many(8)).toBe(Array(8).fill('up').join(' '));
  expect(await many(8)).toBe(`${restart} up up`);
  expect(await many(4)).toBe('down down down bootstrapping');
  // The other chains have no paths while the P-Chain is bootstrapping, and the services know nothing of the node.
  expect(await post(devnet, '/ext/bc/C/rpc', {})).toMatchObject({ status: 404 });
  expect((await fetch(`${devnet.url}/v1/chains`)).status).toBe(200);
  expect(entries.filter(({ fault }) => fault === 'restart')).toHaveLength(6);
});

test('an index that was switched off for a while lacks what was accepted in between, and counts on without it', async () => {
  await start({ head: '20%' });
  const { blocks } = ledger.p;
  const index = (method: string, params: object) => call(devnet, '/ext/index/P/block', `index.${method}`, params);
  const moments = ['20%', '30%', '40%'].map((share) => {
    devnet.moveHead(share);
    return visibleCount(blocks, devnet.head.now());
  });
  const [before = 0, off = 0, after = 0] = moments;
  devnet.moveHead('20%');
  devnet.configure({ without: ['index'] });
  devnet.moveHead('30%');
  expect(await post(devnet, '/ext/index/P/block', {})).toMatchObject({ status: 404 });
  devnet.configure({ without: [] });
  devnet.moveHead('40%');
  // Genesis is not indexed.
  const held = [...blocks.slice(1, before), ...blocks.slice(off, after)].map(({ container }) => container);
  expect(off).toBeGreaterThan(before);
  expect(await index('getLastAccepted', {})).toMatchObject({ id: held.at(-1)?.id, index: String(held.length - 1) });
  const { containers } = await index('getContainerRange', { startIndex: before - 3, numToFetch: 4 });
  expect(containers.map(({ id }: { id: string }) => id)).toEqual(
    held.slice(before - 3, before + 1).map((container) => container?.id),
  );
  expect(fromCheckedHex(containers[2].bytes)).toEqual(fromCheckedHex(held[before - 1]?.bytes ?? ''));
  const lost = blocks[before]?.container?.id;
  expect(await index('isAccepted', { id: lost })).toEqual({ isAccepted: false });
  expect(await index('getIndex', { id: lost })).toBe('error: not found');
});

test('from Helicon on a node has blocks before they are executed, and before they are settled', async () => {
  const from = 3400;
  await start({ helicon: { from, settleAfter: 7200 }, unexecuted: 2 });
  const { blocks } = devnet.ledger.c;
  const at = (name: string | number) =>
    rpc('eth_getBlockByNumber', typeof name === 'number' ? quantity(name) : name, true);
  const heights = async () => {
    const named = await Promise.all(['latest', 'pending', 'safe', 'finalized'].map(at));
    return [Number(await rpc('eth_blockNumber')), ...named.map(({ number }) => Number(number))];
  };
  // Before it, everything is as it was.
  devnet.moveHead(blocks[from - 1]?.visibleAt ?? 0);
  expect(await heights()).toEqual(Array(5).fill(from - 1));
  expect((await at(from - 1)).totalDifficulty).toBe(quantity(from - 1));
  expect(await at(from)).toBe('error: cannot query unfinalized data');

  const newest = blocks.findIndex(
    ({ number, settledHeight = number, receipts }) => number - settledHeight > 4 && receipts !== '[]',
  );
  devnet.moveHead(blocks[newest]?.visibleAt ?? 0);
  const settled = blocks[newest]?.settledHeight ?? 0;
  expect(await heights()).toEqual([newest - 2, newest - 2, newest - 2, settled, settled]);
  // It knows the total difficulty of no block any more, and nothing else of those before changes.
  const before = JSON.parse(blocks[from - 1]?.block ?? '');
  expect(await at(from - 1)).toEqual({ ...before, totalDifficulty: '0x0' });
  // Its header will not change: a block that is not executed is there as it is later, without receipts and logs.
  const waiting = await at(newest);
  expect(waiting).toEqual(JSON.parse(blocks[newest]?.block ?? ''));
  expect(await rpc('eth_getBlockByHash', waiting.hash, true)).toEqual(waiting);
  expect(await at(newest + 1)).toBeNull();
  for (const name of [quantity(newest), waiting.hash]) expect(await rpc('eth_getBlockReceipts', name)).toBeNull();
  const logs = (last: number) => rpc('eth_getLogs', { fromBlock: quantity(newest - 9), toBlock: quantity(last) });
  expect(await logs(newest)).toEqual(await logs(newest - 2));
  // Whoever asks for what needs it waits until it is executed.
  const [tx] = waiting.transactions;
  const receipts = JSON.parse(blocks[newest]?.receipts ?? '');
  expect(await rpc('eth_getTransactionReceipt', tx.hash)).toEqual(receipts[0]);
  expect(await trace(newest)).toHaveLength(waiting.transactions.length);

  // What is settled was executed, however much waits.
  devnet.configure({ unexecuted: 100 });
  expect(await heights()).toEqual(Array(5).fill(settled));
  devnet.configure({ unexecuted: 0 });
  expect(await heights()).toEqual([newest, newest, newest, settled, settled]);
  expect(await rpc('eth_getBlockReceipts', waiting.hash)).toEqual(receipts);
  expect(await call(devnet, '/ext/index/C/block', 'index.getLastAccepted', {})).toMatchObject({
    id: blocks[newest]?.container?.id,
  });
});
