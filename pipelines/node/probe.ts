import { type Asking, FirnError, type Probe } from '../../src/index.ts';
import { askInfo } from './askInfo.ts';
import { askReady } from './askReady.ts';
import { rpcPath } from './evmChains.ts';

/** What a node is asked about itself: its network, whether the Primary Network's chains are ready, and where its EVM chains are. */
export const probe: Probe = {
  *network() {
    return networkIdIn(yield* info('info.getNetworkID', {}));
  },
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

interface Info {
  readonly networkID?: unknown;
}

function* info(method: string, params: object): Asking<Info> {
  const body = yield* askInfo(method, params);
  if (typeof body === 'object' && body !== null) return body;
  throw new FirnError(
    'contract',
    `${method} answered with no object. Check that the URL of this source is that of a node.`,
  );
}

function networkIdIn({ networkID }: Info): number {
  const id = typeof networkID === 'string' || typeof networkID === 'number' ? Number(networkID) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw new FirnError(
    'contract',
    'info.getNetworkID gives no id. Check that the URL of this source is that of a node.',
  );
}
