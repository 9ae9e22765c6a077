import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fromCheckedHex } from '../../src/codec/bytes.ts';
import { isCb58 } from '../../src/codec/cb58.ts';
import { readLedger } from '../../src/readLedger.ts';
import { type Devnet, startDevnet } from '../../src/startDevnet.ts';
import type { ContainerRecord, Ledger } from '../../src/types.ts';
import { call, post } from '../post.ts';

let ledger: Ledger;
let devnet: Devnet;
beforeAll(async () => {
  ledger = await readLedger();
  devnet = await startDevnet({ ledger });
});
afterEach(() => {
  devnet.configure({ gaps: {}, seedShapes: false, without: [] });
  devnet.setFaults({});
});
afterAll(() => devnet.close());

const range = async (index: string, startIndex: number, numToFetch: number): Promise<ContainerRecord[]> =>
  (await call(devnet, `/ext/index/${index}`, 'index.getContainerRange', { startIndex, numToFetch, encoding: 'hex' }))
    .containers;

describe('a whole index', () => {
  test.each(['C/block', 'P/block', 'X/block'])('%s is the recorded containers, in ranges of 1,024', async (index) => {
    const blocks = { 'C/block': ledger.c.blocks, 'P/block': ledger.p.blocks, 'X/block': ledger.x.blocks }[index] ?? [];
    const read: ContainerRecord[] = [];
    for (let start = 0; start < blocks.length - 1; start += 1024) read.push(...(await range(index, start, 1024)));
    expect(read).toEqual(blocks.slice(1).map(({ container }) => container));
  });
});

describe('encodings', () => {
  test('hexnc has no checksum, hexc has', async () => {
    const params = { index: 7, encoding: 'hexnc' };
    const plain = await call(devnet, '/ext/index/P/block', 'index.getContainerByIndex', params);
    const known = ledger.p.blocks[8]?.container as ContainerRecord;
    expect(plain).toEqual({ ...known, bytes: known.bytes.slice(0, -8), encoding: 'hexnc' });
    const checked = await call(devnet, '/ext/index/P/block', 'index.getContainerByIndex', {
      ...params,
      encoding: 'HexC',
    });
    expect(checked).toEqual({ ...known, encoding: 'hexc' });
  });
});

describe('an incomplete index', () => {
  test('counts from its own first container when it starts late', async () => {
    devnet.configure({ gaps: { 'C/block': [[1, 3000]] } });
    const [first] = await range('C/block', 0, 1);
    expect(first).toEqual({ ...ledger.c.blocks[3001]?.container, index: '0' });
    const newest = await call(devnet, '/ext/index/C/block', 'index.getLastAccepted', {});
    expect(newest.index).toBe('537');
    expect((await range('P/block', 0, 1))[0]).toEqual(ledger.p.blocks[1]?.container);
  });

  test('goes on counting over a hole', async () => {
    devnet.configure({
      gaps: {
        'X/block': [
          [5, 9],
          [20, 20],
        ],
      },
    });
    const containers = await range('X/block', 0, 20);
    const heights = [1, 2, 3, 4, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 23, 24, 25, 26];
    expect(containers.map(({ id }) => id)).toEqual(heights.map((height) => ledger.x.blocks[height]?.container?.id));
    expect(containers.map(({ index }) => Number(index))).toEqual(heights.map((_, position) => position));
    const absent = { id: ledger.x.blocks[7]?.container?.id };
    expect(await call(devnet, '/ext/index/X/block', 'index.getIndex', absent)).toBe('error: not found');
  });

  test('is empty after it was wiped, and fills again', async () => {
    const wiped = ledger.c.blocks[2000]?.visibleAt ?? 0;
    devnet.moveHead(wiped);
    devnet.configure({ gaps: { 'C/block': [[1, 2000]] } });
    expect(await call(devnet, '/ext/index/C/block', 'index.getLastAccepted', {})).toBe(
      'error: no containers have been accepted',
    );
    devnet.moveHead('100%');
    expect((await range('C/block', 0, 1))[0]?.id).toBe(ledger.c.blocks[2001]?.container?.id);
  });
});

describe('the shapes of the older documentation', () => {
  test('are a bare array, and null for nothing', async () => {
    devnet.configure({ seedShapes: true });
    const params = { startIndex: 0, numToFetch: 2, encoding: 'hex' };
    const containers = await call(devnet, '/ext/index/C/block', 'index.getContainerRange', params);
    expect(containers).toEqual([ledger.c.blocks[1]?.container, ledger.c.blocks[2]?.container]);
    const none = { jsonrpc: '2.0', id: 1, method: 'index.getContainerRange', params: { ...params, numToFetch: 0 } };
    expect((await post(devnet, '/ext/index/C/block', none)).body).toBe('{"jsonrpc":"2.0","result":null,"id":1}\n');
  });

  test('name rules and proofs of possession as it does', async () => {
    devnet.configure({ seedShapes: true });
    const rules = await call(devnet, `/ext/bc/${ledger.l1s[0]?.blockchainId}/rpc`, 'eth_getActiveRulesAt', []);
    expect(Object.keys(rules)).toEqual(['ethRules', 'networkRules', 'precompiles']);
    const { validators } = await call(devnet, '/ext/bc/P', 'platform.getCurrentValidators', {});
    expect(Object.keys(validators[0].signer)).toEqual(['publicKey', 'proofOfPosession']);
  });
});

describe('range faults', () => {
  const healthy = () => ledger.c.blocks.slice(101, 151).map(({ container }) => container as ContainerRecord);

  test('a hole is one container missing in the middle', async () => {
    devnet.setFaults({ hole: 1 });
    const containers = await range('C/block', 100, 50);
    expect(containers.length).toBe(49);
    expect([containers[0], containers.at(-1)]).toEqual([healthy()[0], healthy().at(-1)]);
  });

  test('a checksum fault is one digit in one container', async () => {
    devnet.setFaults({ checksum: 1 });
    const wrong = (await range('C/block', 100, 50)).filter(({ bytes }) => {
      const sum = createHash('sha256').update(fromCheckedHex(bytes)).digest('hex').slice(-8);
      return sum !== bytes.slice(-8);
    });
    expect(wrong.length).toBe(1);
  });

  test('a wrong id is the id of something else', async () => {
    devnet.setFaults({ wrongId: 1 });
    const containers = await range('C/block', 100, 50);
    const changed = containers.filter(({ id }, at) => id !== healthy()[at]?.id);
    expect(changed.map(({ id }) => isCb58(id, 32))).toEqual([true]);
    expect(containers.map(({ bytes }) => bytes)).toEqual(healthy().map(({ bytes }) => bytes));
    expect(devnet.stats().faults).toMatchObject({ wrongId: 1 });
  });
});

describe('a node without an index', () => {
  test('answers 404 as text', async () => {
    devnet.configure({ without: ['index'] });
    expect(await post(devnet, '/ext/index/C/block', {})).toEqual({ status: 404, body: '404 page not found\n' });
  });
});
