import type { ActionStream, Source, Stream } from '../src/index.ts';
import { addressErc721Transfers } from './data-api/addressErc721Transfers.ts';
import { addressInternalTransactions } from './data-api/addressInternalTransactions.ts';
import { addressTransactions } from './data-api/addressTransactions.ts';
import { chains } from './data-api/chains.ts';
import { collectibleBalances } from './data-api/collectibleBalances.ts';
import { delegators } from './data-api/delegators.ts';
import { exportRows } from './data-api/exportRows.ts';
import { latestTransactions } from './data-api/latestTransactions.ts';
import { nftTokens } from './data-api/nftTokens.ts';
import { operations } from './data-api/operations.ts';
import { pendingRewards } from './data-api/pendingRewards.ts';
import { primaryTransactions } from './data-api/primaryTransactions.ts';
import { signedMessages } from './data-api/signedMessages.ts';
import { data } from './data-api/source.ts';
import { stakingTransactions } from './data-api/stakingTransactions.ts';
import { tokenTransfers } from './data-api/tokenTransfers.ts';
import { transactionDetails } from './data-api/transactionDetails.ts';
import { utxos } from './data-api/utxos.ts';
import { validatorCycles } from './data-api/validatorCycles.ts';
import { validatorDetails } from './data-api/validatorDetails.ts';
import { validators } from './data-api/validators.ts';
import { vertices } from './data-api/vertices.ts';
import { chainMetrics } from './metrics-api/chainMetrics.ts';
import { metrics } from './metrics-api/source.ts';
import { nodeStreams } from './node/index.ts';
import { node } from './node/source.ts';

/** All sources, in the order in which they are asked. A new one is a folder beside these. */
export const sources: readonly Source[] = [node, data, metrics];

/** The catalogue: every stream, in the order in which a sync reads them. */
export const catalogue: readonly Stream[] = [
  ...nodeStreams,
  chains,
  latestTransactions,
  primaryTransactions,
  addressTransactions,
  addressErc721Transfers,
  addressInternalTransactions,
  tokenTransfers,
  transactionDetails,
  collectibleBalances,
  nftTokens,
  utxos,
  stakingTransactions,
  vertices,
  validators,
  validatorDetails,
  validatorCycles,
  delegators,
  pendingRewards,
  chainMetrics,
];

/** Streams that commands fill, one each: their tables stand beside the catalogue's. */
export const actions: readonly ActionStream[] = [operations, exportRows, signedMessages];
