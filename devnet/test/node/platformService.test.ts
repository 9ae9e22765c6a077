import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { bech32 } from '@scure/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromCheckedHex } from '../../src/codec/bytes.ts';
import { toCb58 } from '../../src/codec/cb58.ts';
import { readLedger } from '../../src/readLedger.ts';
import { type Devnet, startDevnet } from '../../src/startDevnet.ts';
import type { Ledger } from '../../src/types.ts';
import { call } from '../post.ts';

const recordings = [
  ['the packed recording', undefined],
  ['signed containers', 'node-ledger-signed'],
  ['a history through every fork', 'node-ledger-forks'],
] as const;

describe.each(recordings)('P and X of %s', (_, folder) => {
  let ledger: Ledger;
  let devnet: Devnet;
  beforeAll(async () => {
    ledger = await readLedger(
      folder === undefined ? undefined : join(import.meta.dirname, '../../../test/fixtures', folder),
    );
    devnet = await startDevnet({ ledger });
  });
  afterAll(() => devnet.close());

  test('give every block by height and by id, in both encodings', { tags: 'long' }, async () => {
    for (const [path, service, { blocks }] of [
      ['/ext/bc/P', 'platform', ledger.p],
      ['/ext/bc/X', 'avm', ledger.x],
    ] as const) {
      for (const { height, id: blockID, json, hex } of blocks.filter(({ height: at }) => at % 50 < 5)) {
        expect(await call(devnet, path, `${service}.getBlockByHeight`, { height, encoding: 'json' })).toEqual(
          JSON.parse(json),
        );
        expect(await call(devnet, path, `${service}.getBlock`, { blockID })).toEqual(JSON.parse(hex));
      }
    }
  });

  test('give transactions as bytes whose hash is their id', async () => {
    for (const [path, service, { blocks }] of [
      ['/ext/bc/P', 'platform', ledger.p],
      ['/ext/bc/X', 'avm', ledger.x],
    ] as const) {
      const txIds = blocks
        .filter(({ height, txs }) => height % 40 < 4 || txs.size > 1)
        .flatMap(({ txs }) => [...txs.keys()]);
      expect(txIds.length).toBeGreaterThan(0);
      for (const txID of txIds.slice(0, 150)) {
        const { tx, encoding } = await call(devnet, path, `${service}.getTx`, { txID });
        expect(encoding).toBe('hex');
        const digest = createHash('sha256').update(fromCheckedHex(tx)).digest();
        expect(toCb58(digest)).toBe(txID);
        expect(tx.slice(-8)).toBe(digest.toString('hex').slice(-8));
      }
    }
  });

  test('give the recorded status and rewards of every staking transaction', async () => {
    expect(ledger.rewards.size).toBeGreaterThan(0);
    for (const [txID, { status, result }] of ledger.rewards) {
      expect(await call(devnet, '/ext/bc/P', 'platform.getTxStatus', { txID })).toEqual(JSON.parse(status));
      expect(await call(devnet, '/ext/bc/P', 'platform.getRewardUTXOs', { txID })).toEqual(JSON.parse(result));
    }
  });

  test('give atomic transactions', async () => {
    for (const [txID, { result, status }] of ledger.atomicTxs) {
      expect(await call(devnet, '/ext/bc/C/avax', 'avax.getAtomicTx', { txID })).toEqual(JSON.parse(result));
      expect(await call(devnet, '/ext/bc/C/avax', 'avax.getAtomicTxStatus', { txID })).toEqual(JSON.parse(status));
      const { tx } = await call(devnet, '/ext/bc/C/avax', 'avax.getAtomicTx', { txID, encoding: 'hexnc' });
      expect(tx).toBe(JSON.parse(result).tx.slice(0, -8));
    }
  });
});

describe('recorded state', () => {
  let ledger: Ledger;
  let devnet: Devnet;
  beforeAll(async () => {
    ledger = await readLedger();
    devnet = await startDevnet({ ledger });
  });
  afterAll(() => devnet.close());

  const holders = () =>
    ledger.finalState
      .filter(
        ({ chain, method, params }) =>
          chain === 'P' && method === 'platform.getUTXOs' && !Object.hasOwn(params as object, 'sourceChain'),
      )
      .map(({ params, result }) => ({
        address: (params as { addresses: string[] }).addresses[0] ?? '',
        utxos: JSON.parse(result ?? '').utxos as string[],
      }))
      .filter(({ utxos }) => utxos.length > 4);

  test('UTXOs come in pages, until a page is short', async () => {
    const [holder] = holders();
    const read: string[] = [];
    let startIndex: unknown;
    for (;;) {
      const page = await call(devnet, '/ext/bc/P', 'platform.getUTXOs', {
        addresses: [holder?.address],
        limit: 3,
        startIndex,
      });
      expect(page.numFetched).toBe(String(page.utxos.length));
      read.push(...page.utxos);
      if (page.utxos.length < 3) break;
      startIndex = page.endIndex;
    }
    expect(read).toEqual(holder?.utxos);
  });

  test('the end of a whole page is what the node said', async () => {
    const [holder] = holders();
    const whole = await call(devnet, '/ext/bc/P', 'platform.getUTXOs', { addresses: [holder?.address] });
    const state = ledger.finalState.find(
      ({ method, params }) =>
        method === 'platform.getUTXOs' && JSON.stringify(params).includes(`["${holder?.address}"]`),
    );
    expect(whole).toEqual(JSON.parse(state?.result ?? ''));
  });

  test('UTXOs of several addresses are joined', async () => {
    const [a, b] = holders();
    const { utxos } = await call(devnet, '/ext/bc/P', 'platform.getUTXOs', { addresses: [a?.address, b?.address] });
    expect(new Set(utxos)).toEqual(new Set([...(a?.utxos ?? []), ...(b?.utxos ?? [])]));
  });

  test('says when a question was not asked of the recorded node', async () => {
    const address = `P-${bech32.encode('local', bech32.toWords(new Uint8Array(20)))}`;
    expect(await call(devnet, '/ext/bc/P', 'platform.getBalance', { addresses: [address] })).toBe(
      'error: the recording holds no answer to platform.getBalance with these params',
    );
    expect(await call(devnet, '/ext/bc/P', 'platform.getFeeState', { no: 'such' })).toBe(
      'error: the recording holds no answer to platform.getFeeState with these params at this moment',
    );
    expect(await call(devnet, '/ext/bc/P', 'platform.getBalance', { addresses: ['local1abc'] })).toBe(
      'error: couldn\'t parse address "local1abc": no separator found in address',
    );
  });

  test('a balance of the X-Chain names its UTXOs', async () => {
    const address = ledger.finalState.find(
      ({ method, result }) => method === 'avm.getAllBalances' && result?.includes('AVAX'),
    )?.params as { address: string };
    const { balance, utxoIDs } = await call(devnet, '/ext/bc/X', 'avm.getBalance', { ...address, assetID: 'AVAX' });
    expect(BigInt(balance)).toBeGreaterThan(0n);
    expect(utxoIDs.length).toBeGreaterThan(0);
    expect(await call(devnet, '/ext/bc/X', 'avm.getAllBalances', address)).toEqual({
      balances: expect.arrayContaining([{ asset: 'AVAX', balance }]),
    });
  });
});
