import type { PlatformBody } from './platformBody.ts';

/** The three chains of the Primary Network. */
export type PrimaryChain = 'P' | 'X' | 'C';

/** What kind of thing an output holds, in the service's words. */
export type OutputKind = 'transfer' | 'mint' | 'nft_transfer' | 'nft_mint' | 'property' | 'property_mint';

/** An output as it is written, before it has an id. */
export interface Output {
  readonly assetId: string;
  readonly kind: OutputKind;
  /** 0 where the kind has none. */
  readonly amount: bigint;
  /** Bare addresses. */
  readonly addresses: readonly string[];
  readonly threshold: number;
  readonly locktime: bigint;
  /** Until then it may only be staked; 0 for none. */
  readonly stakeableLocktime: bigint;
  readonly groupId: number;
  /** `0x` hex. */
  readonly payload: string;
}

export type RewardKind = 'VALIDATOR' | 'DELEGATOR' | 'VALIDATOR_FEE';

/** An output with its place and its fate. */
export interface Utxo extends Output {
  readonly id: string;
  /** The transaction in its id; for a reward that is the staking transaction. */
  readonly txId: string;
  readonly outputIndex: number;
  readonly createdOn: PrimaryChain;
  /** The chain on which it can be spent. */
  readonly consumableOn: PrimaryChain;
  /** null for an output of genesis. */
  readonly createdBy: PrimaryTx | null;
  consumedBy: PrimaryTx | null;
  /** Which credential of the consuming transaction unlocked it. */
  credential: number;
  /** The staking whose principal it is. */
  readonly staking: Staking | null;
  readonly rewardType: RewardKind | null;
}

/** An account of the C-Chain in an atomic transaction. */
export interface EvmEnd {
  readonly address: string;
  readonly amount: bigint;
  readonly assetId: string;
}

export interface PrimaryTx {
  readonly chain: PrimaryChain;
  readonly id: string;
  /** As the service names it: BaseTx, AddPermissionlessValidatorTx, … */
  readonly type: string;
  /** Position on its chain, ascending. */
  ordinal: number;
  readonly height: number;
  readonly blockId: string;
  /** Seconds: the block's time. */
  readonly time: number;
  /** Milliseconds: when it came into being. */
  visibleAt: number;
  /** `0x` hex. */
  readonly memo: string;
  /** Blockchain ids. */
  readonly sourceChain: string | null;
  readonly destinationChain: string | null;
  readonly consumed: Utxo[];
  readonly emitted: Utxo[];
  readonly evmInputs: readonly EvmEnd[];
  readonly evmOutputs: readonly EvmEnd[];
  /** Signatures of each credential, `0x` hex. */
  readonly credentials: readonly (readonly string[])[];
  /** The bytes that were signed, found when asked for. */
  readonly unsigned: () => Uint8Array | null;
  /** Members of the unsigned transaction as the node shows them. */
  readonly body: PlatformBody;
  /** What the transaction stakes. */
  staking: Staking | null;
  /** For a RewardValidatorTx: the staking it ends. */
  ends: Staking | null;
  /** L1 validators it registers or changes. */
  readonly l1: L1Change[];
}

/** A validation or delegation, from the transaction that starts it to the one that ends it. */
export interface Staking {
  /** null for a validator of genesis. */
  readonly tx: PrimaryTx | null;
  readonly txId: string;
  readonly role: 'validator' | 'delegator';
  readonly nodeId: string;
  readonly subnetId: string;
  readonly weight: bigint;
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  /** Share of delegators' rewards that goes to the validator, in millionths; null where nobody can delegate. */
  readonly shares: number | null;
  readonly rewardAddresses: readonly string[];
  readonly feeAddresses: readonly string[];
  readonly signer: { readonly publicKey: string; readonly proofOfPossession: string } | null;
  /** What it will earn, as far as known. */
  potentialReward: bigint | null;
  endedBy: PrimaryTx | null;
  /** Whether the reward was granted. */
  granted: boolean;
  readonly rewards: Utxo[];
  removedBy: PrimaryTx | null;
}

/** What a transaction does to one L1 validator. */
export interface L1Change {
  readonly validationId: string;
  /** 32 bytes, `0x` hex. */
  readonly validationIdHex: string;
  readonly nodeId: string;
  readonly subnetId: string;
  readonly weight: bigint;
  /** After the transaction. */
  readonly remainingBalance: bigint;
  readonly balanceChange: bigint | null;
  readonly blsPublicKey: string | null;
}
