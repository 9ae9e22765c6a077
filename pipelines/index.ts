import type { Stream } from '../src/index.ts';
import { chains } from './data-api/chains.ts';
import { latestTransactions } from './data-api/latestTransactions.ts';
import { primaryTransactions } from './data-api/primaryTransactions.ts';
import { chainMetrics } from './metrics-api/chainMetrics.ts';
import { containers } from './node/containers.ts';
import { evmBlocks } from './node/evmBlocks.ts';

/** The catalogue: every stream there is, in the order a sync reads them. */
export const catalogue: readonly Stream[] = [
  containers,
  evmBlocks,
  chains,
  latestTransactions,
  primaryTransactions,
  chainMetrics,
];
