import { z } from 'zod';
import {
  amount,
  boolean,
  echo,
  hex,
  int32,
  int64,
  json,
  named,
  optional,
  rawOf,
  text,
  textIn,
  texts,
  uint64,
  unixSeconds,
} from '../../src/index.ts';

const assetUnit = 'smallest unit of the asset';

/** An amount of an asset. */
const assetAmount = {
  amount: optional(amount('Amount.', assetUnit)),
  assetId: optional(text('Asset, cb58.')),
  assetName: optional(text('Name of the asset.')),
  assetSymbol: optional(text('Symbol of the asset.')),
  assetDenomination: optional(int32('Decimals of the asset.')),
  assetType: optional(text('secp256k1, nft, or a newer value.')),
};

/** UTXO of the P-Chain, and of the X- and C-Chain with its members renamed by `flatUtxo`. */
export const utxo = {
  utxoId: text('UTXO id: cb58 of the hash of output index and transaction id.'),
  addresses: optional(texts('Owners, bech32 without chain prefix.')),
  threshold: optional(int64('Signatures of owners needed to spend it.')),
  ...assetAmount,
  utxoType: optional(text('STAKE or TRANSFER on the P-Chain; transfer, mint, ... on the X- and C-Chain.')),
  txHash: optional(text('Transaction that created it, cb58. X and C: creationTxHash.')),
  outputIndex: optional(int64('Place among the outputs of that transaction.')),
  blockNumber: optional(int64('Height of the block that created it (P-Chain).')),
  blockTimestamp: optional(
    unixSeconds(
      'When it was created. X and C: timestamp, which inside consuming transactions is that of the consumption.',
    ),
  ),
  createdOnChainId: optional(text('Blockchain that created it, cb58.')),
  consumedOnChainId: optional(text('Blockchain on which it can be or was consumed, cb58.')),
  consumingTxHash: optional(text('Transaction that consumed it, cb58; NULL while unspent.')),
  consumingBlockNumber: optional(int64('Height of the block that consumed it (P-Chain).')),
  consumingBlockTimestamp: optional(unixSeconds('When it was consumed. X and C: consumingTxTimestamp.')),
  platformLocktime: optional(uint64('Moment before which it cannot be spent. X and C: locktime.', 'Unix s')),
  stakeableLocktime: optional(uint64('Moment before which it can only be staked.', 'Unix s')),
  staked: optional(boolean('Whether it is staked now.')),
  rewardType: optional(text('VALIDATOR, DELEGATOR, VALIDATOR_FEE, or a newer value: what kind of reward it is.')),
  utxoStartTimestamp: optional(unixSeconds('When it was locked by staking.')),
  utxoEndTimestamp: optional(unixSeconds('When its staking ends.')),
  utxoBytes: optional(text('Bytes of the UTXO with checksum, hex.')),
  groupId: optional(int64('Minting set of an NFT output (X-Chain).')),
  payload: optional(text('Data of an NFT output, hex (X-Chain).')),
  credentials: optional(json('Signatures and public keys that consumed it, as JSON (X- and C-Chain).')),
};

/** UTXO inside a transaction: what created it has other names, since the transaction's own columns stand beside it. */
export const transactionUtxo = z.object({
  ...utxo,
  txHash: optional(named('created_tx_hash', text('Transaction that created it, cb58.'))),
  blockNumber: optional(named('created_block_number', int64('Height of the block that created it (P-Chain).'))),
  blockTimestamp: optional(
    named(
      'created_block_timestamp',
      unixSeconds('When it was created; X-Chain: of consumed ones, when that happened.'),
    ),
  ),
});

/** One amount of a transaction. */
export const transactionAmount = z.object({
  kind: text(
    'The member of the answer: value, amountBurned, amountStaked, amountL1ValidatorBalanceBurned, amountUnlocked, amountCreated.',
  ),
  ...assetAmount,
});

/** EVM account that a C-Chain export takes from or an import gives to. */
const evmEnd = (address: string) => ({
  address: named(address, hex('EVM account.')),
  ...assetAmount,
  credentials: optional(json('Signatures and public keys, as JSON.')),
});
export const evmInput = z.object(evmEnd('from_address'));
export const evmOutput = z.object(evmEnd('to_address'));

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

/** Primary Network transaction in its four shapes (P, X linear, X non-linear, C atomic), as `flatTransaction` leaves it. */
export const primaryTransaction = z.object({
  network: optional(echo('mainnet or fuji.')),
  blockchain: optional(echo('p-chain, x-chain or c-chain.')),
  txHash: text('Transaction id, cb58.'),
  txType: optional(text('AddPermissionlessValidatorTx, BaseTx, ImportTx, ..., or a newer value.')),
  blockTimestamp: unixSeconds('Block time; X and C: timestamp.'),
  blockNumber: optional(int64('Height of the block; X and C: blockHeight. NULL for X-Chain transactions in vertices.')),
  blockHash: optional(text('Block id.')),
  chainFormat: optional(text('linear or non-linear (X-Chain).')),
  sourceChain: optional(text('Chain that an import takes from.')),
  destinationChain: optional(text('Chain that an export gives to.')),
  memo: optional(text('Memo, hex.')),
  startTimestamp: optional(unixSeconds('Start of the staking period.')),
  endTimestamp: optional(unixSeconds('End of the staking period.')),
  delegationFeePercent: optional(text('Share of delegation rewards that the validator keeps, exactly as given.')),
  nodeId: optional(text('Node that is staked on.')),
  subnetId: optional(text('Subnet, cb58.')),
  l1ValidatorManagerDetails: z
    .object({
      blockchainId: optional(text("Blockchain of the L1's validator manager, cb58.")),
      contractAddress: optional(hex("Contract of the L1's validator manager.")),
    })
    .nullish(),
  estimatedReward: z.object(assetAmount).nullish(),
  rewardTxHash: optional(text('Transaction that ended the staking and rewarded it.')),
  rewardAddresses: optional(texts('Addresses that the reward goes to.')),
  stakingTxHash: optional(text('Staking transaction that a RewardValidatorTx ends.')),
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
      chainName: optional(text('Name of the created chain.')),
      vmId: optional(text('Virtual machine of the created chain, cb58.')),
      genesisData: optional(json('Genesis as JSON: an object for EVM chains, text for others.')),
    })
    .nullish(),
  assetCreated: z
    .object({
      assetId: optional(text('Asset that a CreateAssetTx created, cb58.')),
      name: optional(text('Name of the created asset.')),
      symbol: optional(text('Symbol of the created asset.')),
      denomination: optional(int32('Decimals of the created asset.')),
      type: optional(text('secp256k1, nft, or a newer value.')),
      createdAtTimestamp: optional(unixSeconds('When it was created.')),
      cap: optional(text('fixed, variable, or a newer value.')),
    })
    .nullish(),
  consumedUtxos: listOf(transactionUtxo),
  emittedUtxos: listOf(transactionUtxo),
  value: listOf(z.object(assetAmount)),
  amountBurned: listOf(z.object(assetAmount)),
  amountStaked: listOf(z.object(assetAmount)),
  amountL1ValidatorBalanceBurned: listOf(z.object(assetAmount)),
  amountUnlocked: listOf(z.object(assetAmount)),
  amountCreated: listOf(z.object(assetAmount)),
  l1ValidatorDetails: listOf(l1Validator),
  vertices: listOf(transactionVertex),
  evmInputs: listOf(evmInput),
  evmOutputs: listOf(evmOutput),
});

type Raw = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Raw => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Gives members their common name where the record does not have one of that name already. */
function renamed(raw: Raw, names: Readonly<Record<string, string>>): Raw {
  const entries = Object.entries(raw).map(([member, value]) => {
    const name = names[member];
    return [name !== undefined && raw[name] === undefined ? name : member, value];
  });
  return Object.fromEntries(entries);
}

/** `name`, `symbol`, `denomination`, `type` of an asset under names that say so. */
const assetNames = { name: 'assetName', symbol: 'assetSymbol', denomination: 'assetDenomination', type: 'assetType' };

/** Lifts the members of `asset` into the record itself; the P-Chain repeats two of them there. */
function liftedAsset(raw: Raw): Raw {
  const { asset, ...rest } = raw;
  if (!isObject(asset)) return raw;
  const { name, symbol, denomination, type, ...others } = asset;
  const lifted = { assetName: name, assetSymbol: symbol, assetDenomination: denomination, assetType: type };
  const repeated = Object.fromEntries(
    ['assetId', 'amount'].map((member) => [member, rest[member] ?? others[member]] as const),
  );
  // What is unknown, or says another thing than the record beside it, is kept as it is.
  const odd = Object.entries(others).filter(
    ([member, value]) => !(member in repeated) || (value !== null && textIn(value) !== textIn(repeated[member])),
  );
  return { ...lifted, ...rest, ...repeated, ...(odd.length > 0 && { asset: Object.fromEntries(odd) }) };
}

/** A UTXO of any chain in the P-Chain's names. Anything that is no object is left as it is, for the schema to refuse. */
export function flatUtxo(record: unknown): unknown {
  if (!isObject(record)) return record;
  return renamed(liftedAsset(record), {
    creationTxHash: 'txHash',
    timestamp: 'blockTimestamp',
    consumingTxTimestamp: 'consumingBlockTimestamp',
    locktime: 'platformLocktime',
  });
}

/** Amounts come as a list, as one amount, or as its digits. */
function amountsOf(value: unknown): unknown {
  if (value === null || value === undefined) return value;
  const list = Array.isArray(value) ? value : [value];
  return list.map((item) => (isObject(item) ? renamed(item, assetNames) : { amount: item }));
}

const mapped = (list: unknown, change: (item: unknown) => unknown) => (Array.isArray(list) ? list.map(change) : list);

/** The members of a transaction that hold amounts, one kind each. */
export const amountKinds = [
  'value',
  'amountBurned',
  'amountStaked',
  'amountL1ValidatorBalanceBurned',
  'amountUnlocked',
  'amountCreated',
] as const;

/** A transaction of any chain in the P-Chain's names, its assets lifted. */
export function flatTransaction(record: unknown): unknown {
  if (!isObject(record)) return record;
  const raw = renamed(record, { timestamp: 'blockTimestamp', blockHeight: 'blockNumber' });
  const end = (address: string) => (item: unknown) =>
    isObject(item) ? renamed(liftedAsset(item), { [address]: 'address' }) : item;
  const changed: Record<string, unknown> = {
    consumedUtxos: mapped(raw['consumedUtxos'], flatUtxo),
    emittedUtxos: mapped(raw['emittedUtxos'], flatUtxo),
    evmInputs: mapped(raw['evmInputs'], end('fromAddress')),
    evmOutputs: mapped(raw['evmOutputs'], end('toAddress')),
    estimatedReward: (amountsOf(raw['estimatedReward']) as unknown[] | null | undefined)?.[0],
    ...Object.fromEntries(amountKinds.map((kind) => [kind, amountsOf(raw[kind])])),
  };
  const present = Object.entries(changed).filter(([member]) => raw[member] !== undefined);
  return { ...raw, ...Object.fromEntries(present) };
}

/** Every amount of a transaction with its kind, in the order of the kinds. */
export function allAmounts(record: unknown): readonly unknown[] {
  const raw = rawOf(record);
  return amountKinds.flatMap((kind) => {
    const list = raw[kind];
    return Array.isArray(list) ? list.map((item) => ({ ...rawOf(item), kind })) : [];
  });
}
