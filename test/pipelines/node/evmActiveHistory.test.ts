import { expect, test } from 'vitest';
import { evmActiveRulesHistory } from '../../../pipelines/node/evmActiveHistory.ts';

const config = {
  chainId: 1,
  grantTimestamp: 50,
  durangoTime: 20,
  heliconTime: 253_399_622_400,
  cancunTime: null,
  upgrades: { precompileUpgrades: [{ warpConfig: { blockTimestamp: 70 } }, { warpConfig: { blockTimestamp: 61 } }] },
};
const whole = [{ result: config }, { result: { timestamp: '0x3d' } }];

/** The calls that a read sends alone, where its first request is answered with these outcomes. */
function sentAlone(outcomes: readonly object[], asked?: readonly number[]): string[] {
  const partition = { values: {}, settings: { path: '/rpc' } };
  const window = { position: asked ? { asked } : null, now: 0 };
  const pages = evmActiveRulesHistory.pages(partition as never, window as never, undefined);
  const sent: string[] = [];
  let step = pages.next();
  for (let body: unknown = outcomes; !step.done; body = config) {
    step = pages.next({ body } as never);
    if (!step.done && step.value.kind === 'rpc')
      sent.push(`${step.value.call.method} ${step.value.call.params}`.trim());
  }
  return sent;
}

const at = (moments: readonly number[]) => moments.map((moment) => `eth_getActiveRulesAt ${moment}`);

test('genesis and every moment of the configuration are asked about in their order, none before the chain has come to it', () => {
  expect(sentAlone(whole)).toEqual(at([0, 20, 50, 61]));
  expect(sentAlone(whole, [0, 20])).toEqual(at([50, 61]));
});

test('where a batch gives no configuration, it is asked for alone', () => {
  const [, head = {}] = whole;
  const failed = { error: { code: -32000, message: 'busy' } };
  expect(sentAlone([failed, head])).toEqual(['eth_getChainConfig', ...at([0, 20, 50, 61])]);
});
