import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawElements } from '../../src/codec/rawMembers.ts';
import { readLedger } from '../../src/readLedger.ts';
import { type Devnet, startDevnet } from '../../src/startDevnet.ts';
import type { Ledger, StateAnswer } from '../../src/types.ts';
import { post } from '../post.ts';

let ledger: Ledger;
let devnet: Devnet;
beforeAll(async () => {
  ledger = await readLedger();
  devnet = await startDevnet({ ledger });
});
afterAll(() => devnet.close());

/** Where the recorded node's answer depended on more than the moment. */
function isAccidental(label: string, path: string, method: string): boolean {
  // Before its restart it did not track the L1 yet, and listed chains of the same age in another order.
  if (label === 'before restart') return path.includes('/Dc9rM2NS') || method === 'platform.getBlockchains';
  // It lists an L1's validators in any order; at the end the exact answers were taken last.
  return label === 'end' && method === 'validators.getCurrentValidators' && !path.includes('/C/');
}

describe('answers taken while the history was made', () => {
  test('are given again when the head stands at their moment', { tags: 'long' }, async () => {
    const different: unknown[] = [];
    for (const { label, takenAt, path, method, params, status, body } of ledger.snapshots) {
      if (isAccidental(label, path, method)) continue;
      devnet.moveHead(takenAt);
      const answer = await post(devnet, path, { jsonrpc: '2.0', id: 1, method, params });
      if (answer.status === status && answer.body === body) continue;
      different.push({ label, path, method, params, answer: answer.body.slice(0, 300), body: body.slice(0, 300) });
    }
    expect(ledger.snapshots.length).toBe(1172);
    expect(different).toEqual([]);
  });
});

describe('the state at the last block', () => {
  const wanted = ({ result, error }: StateAnswer) => (result === null ? `"error":${error}` : `"result":${result}`);
  beforeAll(() => devnet.moveHead('100%'));

  test('is given as recorded on the P-Chain, the X-Chain and by the atomic API', async () => {
    const asked = ledger.finalState.filter(({ method }) => !method.startsWith('eth_'));
    const different: unknown[] = [];
    for (const state of asked) {
      const path = `/ext/bc/${state.chain}${state.method.startsWith('avax.') ? '/avax' : ''}`;
      const { method, params } = state;
      const { body } = await post(devnet, path, { jsonrpc: '2.0', id: 1, method, params });
      if (!body.includes(wanted(state))) different.push({ method, params, body: body.slice(0, 300) });
    }
    expect(asked.length).toBe(180);
    expect(different).toEqual([]);
  });

  test.each(['C', 'L1'])('is given as recorded on the EVM chain %s, in batches', async (chain) => {
    const path = `/ext/bc/${chain === 'C' ? 'C' : ledger.l1s[0]?.blockchainId}/rpc`;
    const asked = ledger.finalState.filter((state) => state.chain === chain && state.method.startsWith('eth_'));
    expect(asked.length).toBeGreaterThan(500);
    const different: unknown[] = [];
    for (let at = 0; at < asked.length; at += 1000) {
      const part = asked.slice(at, at + 1000);
      const batch = part.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
      const answers = rawElements((await post(devnet, path, batch)).body);
      part.forEach((state, id) => {
        if (!answers[id]?.includes(wanted(state))) different.push({ ...state, answer: answers[id]?.slice(0, 300) });
      });
    }
    expect(different).toEqual([]);
  });
});
