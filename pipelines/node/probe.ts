import type { Probe } from '../../src/index.ts';
import { askNetworkId } from './askInfo.ts';
import { askReady } from './askReady.ts';
import { rpcPath } from './evmChains.ts';

/** What a node is asked about itself: its network, whether the Primary Network's chains are ready, and where its EVM chains are. */
export const probe: Probe = {
  network: askNetworkId,
  ready: {
    chains: ['P', 'X', 'C'],
    *ask(chain) {
      const ready = yield* askReady(chain);
      return ready === 'ready' || ready === 'late' ? ready === 'ready' : undefined;
    },
    wait: 'Wait until info.isBootstrapped says true; what it serves before is incomplete.',
  },
  rpc: rpcPath,
};
