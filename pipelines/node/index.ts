import type { Stream } from '../../src/index.ts';
import { avmTransactions } from './avmTransactions.ts';
import { containers } from './containers.ts';
import { evmActivePrecompilesHistory, evmActiveRulesHistory } from './evmActiveHistory.ts';
import { evmActivePrecompiles } from './evmActivePrecompiles.ts';
import { evmActiveRules } from './evmActiveRules.ts';
import { evmBlocks } from './evmBlocks.ts';
import { evmChainConfig } from './evmChainConfig.ts';
import { evmFeeConfig } from './evmFeeConfig.ts';
import { evmFeeConfigHistory } from './evmFeeConfigHistory.ts';
import { l1Validators } from './l1Validators.ts';
import { platformBalances } from './platformBalances.ts';
import { platformBlockchainStatus } from './platformBlockchainStatus.ts';
import { platformBlockchains } from './platformBlockchains.ts';
import { platformBlocks } from './platformBlocks.ts';
import { platformRewardUtxos } from './platformRewardUtxos.ts';
import { platformSupply } from './platformSupply.ts';
import { platformValidators } from './platformValidators.ts';

/** Every stream of the node, in the order a sync reads them. */
export const nodeStreams: readonly Stream[] = [
  containers,
  evmBlocks,
  evmFeeConfig,
  evmFeeConfigHistory,
  evmChainConfig,
  evmActivePrecompiles,
  evmActivePrecompilesHistory,
  evmActiveRules,
  evmActiveRulesHistory,
  l1Validators,
  platformBlocks,
  platformRewardUtxos,
  platformValidators,
  platformSupply,
  platformBlockchains,
  platformBlockchainStatus,
  platformBalances,
  avmTransactions,
];
