import { expect, test } from 'vitest';
import { evmFeeConfigHistory } from '../../../pipelines/node/evmFeeConfigHistory.ts';

test('a node that gives the newest configuration for every block is refused, since it would be asked for ever', () => {
  const answers: Readonly<Record<string, unknown>> = {
    eth_feeConfig: { feeConfig: {}, lastChangedAt: 7 },
    eth_getBlockByNumber: { number: '0x9', timestamp: '0x1' },
    eth_getChainConfig: { chainId: 1 },
  };
  const partition = { values: {}, settings: { path: '/rpc' } };
  const pages = evmFeeConfigHistory.pages(partition as never, { position: null, now: 0 }, { below: null });
  const read = () => {
    let step = pages.next();
    for (let asked = 0; asked < 20 && !step.done; asked++) {
      const body = step.value.kind === 'rpc' ? answers[step.value.call.method] : undefined;
      step = pages.next({ body, isAbout() {} } as never);
    }
  };
  expect(read).toThrow('/rpc eth_feeConfig at block 6 answered a configuration of block 7: it ignores the block');
});
