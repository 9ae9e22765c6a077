import type { Source } from '../../src/index.ts';

/** An avalanchego node: JSON-RPC of the P-, X- and C-Chain, of any EVM L1, and the container index. No key, no quota. */
export const node: Source = {
  name: 'node',
  description: 'JSON-RPC and container index of an avalanchego node.',
  numbers: 'lossless',
};
