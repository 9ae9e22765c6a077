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

/** A JSON value of the node whose large integers may be strings. */
type Uint = string | number;

export interface JsonOwner {
  readonly addresses: readonly string[];
  readonly threshold: number;
  readonly locktime?: Uint;
}

export interface JsonOutput {
  readonly assetID: string;
  readonly fxID?: string;
  readonly output: JsonOutputValue;
}

/** A transfer output, or one inside a time lock. */
export interface JsonOutputValue {
  readonly addresses?: readonly string[];
  readonly amount?: Uint;
  readonly locktime?: Uint;
  readonly threshold?: number;
  readonly groupID?: number;
  readonly payload?: string;
  readonly output?: JsonOutputValue;
}

export interface JsonInput {
  readonly txID: string;
  readonly outputIndex: number;
  readonly assetID: string;
  readonly input: { readonly amount?: Uint; readonly locktime?: Uint; readonly input?: { readonly amount?: Uint } };
}

/** Members of P-Chain and X-Chain transactions that are read. */
export interface PlatformBody {
  readonly outputs?: readonly JsonOutput[] | null;
  readonly inputs?: readonly JsonInput[] | null;
  readonly memo?: string;
  readonly sourceChain?: string;
  readonly importedInputs?: readonly JsonInput[] | null;
  readonly destinationChain?: string;
  readonly exportedOutputs?: readonly JsonOutput[] | null;
  readonly validator?: {
    readonly nodeID: string;
    readonly start: Uint;
    readonly end: Uint;
    readonly weight: Uint;
    readonly subnetID?: string;
  };
  readonly stake?: readonly JsonOutput[] | null;
  readonly rewardsOwner?: JsonOwner;
  readonly validationRewardsOwner?: JsonOwner;
  readonly delegationRewardsOwner?: JsonOwner;
  readonly shares?: number;
  readonly signer?: { readonly publicKey?: string; readonly proofOfPossession?: string };
  readonly subnetID?: string;
  readonly nodeID?: string;
  readonly chainName?: string;
  readonly vmID?: string;
  readonly genesisData?: string;
  readonly owner?: JsonOwner;
  readonly newOwner?: JsonOwner;
  readonly time?: Uint;
  readonly txID?: string;
  readonly chainID?: string;
  readonly address?: string;
  readonly validators?: readonly {
    readonly nodeID: string;
    readonly weight: Uint;
    readonly balance: Uint;
    readonly signer: { readonly publicKey: string };
    readonly remainingBalanceOwner: JsonOwner;
  }[];
  readonly validationID?: string;
  readonly balance?: Uint;
  readonly proofOfPossession?: readonly number[] | string;
  readonly message?: string;
  readonly disableAuthorization?: unknown;
  readonly initialSupply?: Uint;
  readonly subnetAuthorization?: unknown;
  readonly name?: string;
  readonly symbol?: string;
  readonly denomination?: number;
  readonly initialStates?: readonly { readonly fxIndex: number; readonly outputs: readonly JsonOutputValue[] | null }[];
  readonly operations?: readonly {
    readonly assetID: string;
    readonly inputIDs: readonly { readonly txID: string; readonly outputIndex: number }[];
    readonly fxID?: string;
    readonly operation: JsonOperation;
  }[];
}

export interface JsonOperation {
  readonly mintOutput?: JsonOutputValue;
  readonly transferOutput?: JsonOutputValue;
  readonly ownedOutput?: JsonOutputValue;
  readonly groupID?: number;
  readonly payload?: string;
  readonly outputs?: readonly JsonOutputValue[];
  readonly output?: JsonOutputValue;
}
