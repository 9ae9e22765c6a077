import { z } from 'zod';
import {
  alias,
  amount,
  boolean,
  echo,
  hex,
  int32,
  int64,
  json,
  lenient,
  named,
  optional,
  orShort,
  orSingle,
  repeating,
  text,
  texts,
  uint64,
  unixSeconds,
} from '../../src/index.ts';

const assetUnit = 'smallest unit of the asset';

const assetFacts = {
  name: text('Name of the asset.'),
  symbol: text('Symbol of the asset.'),
  denomination: int32('Decimals of the asset.'),
  type: text('secp256k1, nft, or a newer value.'),
};
const owed = {
  amount: optional(amount('Amount.', assetUnit)),
  assetId: optional(text('Asset, cb58.')),
};

/** An amount of an asset; older answers have its digits alone. */
export const assetAmount = orShort(
  z.object({
    ...owed,
    name: lenient(named('asset_name', assetFacts.name)),
    symbol: lenient(named('asset_symbol', assetFacts.symbol)),
    denomination: lenient(named('asset_denomination', assetFacts.denomination)),
    type: optional(named('asset_type', assetFacts.type)),
  }),
  'amount',
);

/** An amount whose asset stands inside; the P-Chain says its id and the amount beside it too. */
const amountOfAsset = {
  ...owed,
  asset: repeating(
    z.object({
      name: lenient(assetFacts.name),
      symbol: lenient(assetFacts.symbol),
      denomination: lenient(assetFacts.denomination),
      type: optional(assetFacts.type),
    }),
    'assetId',
    'amount',
  ).nullish(),
};

/** UTXO in the P-Chain's names, and those of the X- and C-Chain. */
export const utxo = {
  utxoId: text('UTXO id: cb58 of the hash of output index and transaction id.'),
  addresses: optional(texts('Owners, bech32 without chain prefix.')),
  threshold: optional(int64('Signatures of owners needed to spend it.')),
  ...amountOfAsset,
  utxoType: optional(text('STAKE or TRANSFER on the P-Chain; transfer, mint, ... on the X- and C-Chain.')),
  txHash: alias(optional(text('Transaction that created it, cb58. X and C: creationTxHash.')), 'creationTxHash'),
  outputIndex: optional(int64('Place among the outputs of that transaction.')),
  blockNumber: optional(int64('Height of the block that created it (P-Chain).')),
  blockTimestamp: alias(
    optional(
      unixSeconds(
        'When it was created. X and C: timestamp, which inside consuming transactions is that of the consumption.',
      ),
    ),
    'timestamp',
  ),
  createdOnChainId: optional(text('Blockchain that created it, cb58.')),
  consumedOnChainId: optional(text('Blockchain on which it can be or was consumed, cb58.')),
  consumingTxHash: optional(text('Transaction that consumed it, cb58; NULL while unspent.')),
  consumingBlockNumber: optional(int64('Height of the block that consumed it (P-Chain).')),
  consumingBlockTimestamp: alias(
    optional(unixSeconds('When it was consumed. X and C: consumingTxTimestamp.')),
    'consumingTxTimestamp',
  ),
  platformLocktime: alias(
    optional(uint64('Moment before which it cannot be spent. X and C: locktime.', 'Unix s')),
    'locktime',
  ),
  stakeableLocktime: optional(uint64('Moment before which it can only be staked.', 'Unix s')),
  staked: optional(boolean('Whether it is staked now.')),
  rewardType: optional(text('VALIDATOR, DELEGATOR, VALIDATOR_FEE, or a newer value: what kind of reward it is.')),
  utxoStartTimestamp: lenient(unixSeconds('When it was locked by staking.')),
  utxoEndTimestamp: lenient(unixSeconds('When its staking ends.')),
  utxoBytes: optional(text('Bytes of the UTXO with checksum, hex.')),
  groupId: optional(int64('Minting set of an NFT output (X-Chain).')),
  payload: lenient(text('Data of an NFT output, hex (X-Chain).')),
  credentials: optional(json('Signatures and public keys that consumed it, as JSON (X- and C-Chain).')),
};

/** UTXO inside a transaction: the members about its creation have other names, since the transaction's own columns stand beside them. */
export const transactionUtxo = z.object({
  ...utxo,
  txHash: alias(optional(named('created_tx_hash', text('Transaction that created it, cb58.'))), 'creationTxHash'),
  blockNumber: optional(named('created_block_number', int64('Height of the block that created it (P-Chain).'))),
  blockTimestamp: alias(
    optional(
      named(
        'created_block_timestamp',
        unixSeconds('When it was created; X-Chain: of consumed ones, when that happened.'),
      ),
    ),
    'timestamp',
  ),
});

/** EVM account that a C-Chain export debits or an import credits. */
const evmEnd = {
  ...amountOfAsset,
  credentials: optional(json('Signatures and public keys, as JSON.')),
};
export const evmInput = z.object({ fromAddress: hex('EVM account.'), ...evmEnd });
export const evmOutput = z.object({ toAddress: hex('EVM account.'), ...evmEnd });

/** L1 validator that a transaction registers or changes, as it stood then. */
export const l1Validator = z.object({
  validationId: text('Validation id, cb58.'),
  validationIdHex: optional(text('Validation id, hex.')),
  nodeId: optional(text('Node.')),
  subnetId: optional(text('Subnet, cb58.')),
  weight: optional(uint64('Weight in sampling; 0 when removed.')),
  remainingBalance: optional(amount('Balance left for the continuous fee.', 'nAVAX')),
  balanceChange: optional(amount('Change of the balance by this transaction; negative where it is returned.', 'nAVAX')),
  blsCredentials: optional(json('BLS credentials, as JSON (their form is not documented).')),
});

/** Vertex that holds an X-Chain transaction from before Cortina. */
export const transactionVertex = z.object({
  hash: named('vertex_hash', text('Vertex, cb58.')),
  height: optional(named('vertex_height', int64('Height of the vertex.'))),
  timestamp: optional(named('vertex_timestamp', unixSeconds('When the vertex was accepted.'))),
});

const listOf = <T extends z.ZodType>(item: T) => z.array(item).nullish();
const bls = z
  .object({
    publicKey: optional(text('BLS public key.')),
    proofOfPossession: optional(text('Proof of possession of the BLS key.')),
  })
  .nullish();

/** The members of a transaction that hold amounts, one kind each. */
export const amountKinds = [
  'value',
  'amountBurned',
  'amountStaked',
  'amountL1ValidatorBalanceBurned',
  'amountUnlocked',
  'amountCreated',
] as const;
/** Amounts come as a list, as one amount, or as its digits. */
const amounts = orSingle(z.array(assetAmount)).nullish();

/** Primary Network transaction in its four shapes (P, X linear, X non-linear, C atomic). */
export const primaryTransaction = z.object({
  network: optional(echo('mainnet or fuji.')),
  blockchain: optional(echo('p-chain, x-chain or c-chain.')),
  txHash: text('Transaction id, cb58.'),
  txType: optional(text('AddPermissionlessValidatorTx, BaseTx, ImportTx, ..., or a newer value.')),
  blockTimestamp: alias(unixSeconds('Block time; X and C: timestamp.'), 'timestamp'),
  blockNumber: alias(
    optional(int64('Height of the block; X and C: blockHeight. NULL for X-Chain transactions in vertices.')),
    'blockHeight',
  ),
  blockHash: optional(text('Block id.')),
  chainFormat: optional(text('linear or non-linear (X-Chain).')),
  sourceChain: optional(text('Chain that an import takes from.')),
  destinationChain: optional(text('Chain that an export gives to.')),
  memo: lenient(text('Memo, hex.')),
  startTimestamp: lenient(unixSeconds('Start of the staking period.')),
  endTimestamp: lenient(unixSeconds('End of the staking period.')),
  delegationFeePercent: optional(text('Share of delegation rewards that the validator keeps, exactly as given.')),
  nodeId: optional(text('Node that is staked on.')),
  subnetId: optional(text('Subnet, cb58.')),
  l1ValidatorManagerDetails: z
    .object({
      blockchainId: optional(text("Blockchain of the L1's validator manager, cb58.")),
      contractAddress: optional(hex("Contract of the L1's validator manager.")),
    })
    .nullish(),
  estimatedReward: assetAmount.nullish(),
  rewardTxHash: optional(text('Transaction that ended the staking and rewarded it.')),
  rewardAddresses: optional(texts('Addresses that the reward goes to.')),
  stakingTxHash: optional(text('Staking transaction that a RewardValidatorTx ends.')),
  period: optional(int64('Length of a cycle of an auto-renewed validator, or of the next one.', 's')),
  autoCompoundRewardShares: optional(int64("Millionths of a cycle's reward that it stakes again.")),
  validatorAuthority: optional(json('Who may change or stop it, as JSON.')),
  subnetOwnershipInfo: z
    .object({
      locktime: optional(uint64('Moment before which the owners cannot act.', 'Unix s')),
      threshold: optional(int64('Signatures of owners needed.')),
      addresses: optional(texts('Owners of the subnet.')),
    })
    .nullish(),
  blsCredentials: bls,
  blockchainInfo: z
    .object({
      chainName: lenient(text('Name of the created chain.')),
      vmId: optional(text('Virtual machine of the created chain, cb58.')),
      genesisData: lenient(json('Genesis as JSON: an object for EVM chains, text for others.')),
    })
    .nullish(),
  assetCreated: z
    .object({
      assetId: optional(text('Asset that a CreateAssetTx created, cb58.')),
      name: lenient(text('Name of the created asset.')),
      symbol: lenient(text('Symbol of the created asset.')),
      denomination: lenient(int32('Decimals of the created asset.')),
      type: optional(text('secp256k1, nft, or a newer value.')),
      createdAtTimestamp: optional(unixSeconds('When it was created.')),
      cap: optional(text('fixed, variable, or a newer value.')),
    })
    .nullish(),
  consumedUtxos: listOf(transactionUtxo),
  emittedUtxos: listOf(transactionUtxo),
  value: amounts,
  amountBurned: amounts,
  amountStaked: amounts,
  amountL1ValidatorBalanceBurned: amounts,
  amountUnlocked: amounts,
  amountCreated: amounts,
  l1ValidatorDetails: listOf(l1Validator),
  vertices: listOf(transactionVertex),
  evmInputs: listOf(evmInput),
  evmOutputs: listOf(evmOutput),
});
