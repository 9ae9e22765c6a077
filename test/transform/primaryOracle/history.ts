import type { Buffer } from 'node:buffer';

export type Chain = 'P' | 'X' | 'C';
export type Index = 'P/block' | 'X/block' | 'X/tx' | 'X/vtx' | 'C/block';

/** Who may spend an output, from when on (Unix seconds). */
export interface Owner {
  readonly locktime: bigint;
  readonly threshold: number;
  readonly addresses: readonly Buffer[];
}

/** What a transaction makes, or genesis or a reward made. Ids are cb58. */
export interface Coin {
  readonly id: string;
  readonly txId: Buffer;
  readonly index: number;
  readonly asset: Buffer;
  /** Type on the wire. */
  readonly type: string;
  /** null of what has none, such as an NFT. */
  readonly amount: bigint | null;
  readonly owner: Owner;
  /** Unix seconds until when it may only be staked. */
  readonly stakeable: bigint | null;
  /** Minting set and payload of an NFT. */
  readonly group: number;
  /** Chain that holds it. */
  readonly holder: Chain;
}

export interface Taken {
  readonly coin: Coin;
  readonly source: 'input' | 'imported' | 'operation';
  /** Whether the input says that the coin was locked. */
  readonly asLocked: boolean;
}

export interface Given {
  readonly coin: Coin;
  readonly destination: 'output' | 'exported' | 'stake' | 'initial_state' | 'operation';
}

/** An amount of an EVM account. */
export interface Evm {
  readonly amount: bigint;
  readonly asset: Buffer;
}

/** A staking as its transaction says it: times are Unix seconds, null where it says none. */
export interface Staking {
  readonly role: 'validator' | 'delegator';
  readonly node: string;
  readonly subnet: string;
  readonly start: number | null;
  readonly end: number | null;
  readonly weight: bigint;
  readonly stakeAsset: string | null;
  readonly shares: number | null;
  readonly rewardOwner: Owner | null;
}

/** What a transaction does to a validator of an L1. */
export interface L1Event {
  readonly event: 'converted' | 'registered' | 'weight_set' | 'balance_increased' | 'disabled';
  readonly validation: string;
  readonly subnet: string | null;
  readonly node: string | null;
  readonly weight: bigint | null;
  readonly balance: bigint | null;
  /** Who gets what is left of the balance. */
  readonly owner: Owner | null;
}

/** What a transaction does to a subnet. */
export interface SubnetEvent {
  readonly event: 'created' | 'transferred' | 'transformed' | 'converted';
  /** null of a new one, whose id is the transaction's. */
  readonly subnet: string | null;
  readonly owner: Owner | null;
  readonly asset: string | null;
  readonly manager: string | null;
}

export interface Tx {
  readonly id: string;
  readonly chain: Chain;
  readonly type: string;
  readonly isProposal: boolean;
  readonly taken: readonly Taken[];
  readonly debited: readonly Evm[];
  readonly given: readonly Given[];
  readonly credited: readonly Evm[];
  readonly from: Chain | null;
  readonly to: Chain | null;
  readonly subnet: string | null;
  readonly node: string | null;
  /** Staking that it ends or configures. */
  readonly about: string | null;
  /** Chain time that it proposes, Unix seconds. */
  readonly chainTime: number | null;
  /** Seconds of the next cycles of an auto-renewed validator; 0 ends it with the running one. */
  readonly period: bigint | null;
  readonly memo: string | null;
  readonly staking: Staking | null;
  readonly l1: readonly L1Event[];
  readonly subnetEvent: SubnetEvent | null;
  /** Whether it creates an asset, and with what name. */
  readonly assetName: string | null;
}

/** What a transaction is of which nothing is told. */
export const emptyTx: Omit<Tx, 'id' | 'chain' | 'type'> = {
  isProposal: false,
  taken: [],
  debited: [],
  given: [],
  credited: [],
  from: null,
  to: null,
  subnet: null,
  node: null,
  about: null,
  chainTime: null,
  period: null,
  memo: null,
  staking: null,
  l1: [],
  subnetEvent: null,
  assetName: null,
};

/** A container of an index, in the order in which its node accepted it. */
export interface Container {
  readonly index: Index;
  readonly place: number;
  readonly id: string;
  readonly bytes: Buffer;
  /** null of what is in no block. */
  readonly height: number | null;
  readonly kind: string;
  /** Unix seconds; null where it carries none. */
  readonly time: number | null;
  readonly txs: readonly Tx[];
  /** What the node says when it has accepted this one. */
  readonly node: NodeView;
}

/** A validator or delegator on the node's list; of a permissioned subnet without owners. */
export interface Listed {
  readonly txId: string;
  readonly role: 'validator' | 'delegator';
  readonly node: string;
  readonly subnet: string;
  readonly start: number;
  readonly end: number;
  readonly weight: bigint;
  readonly reward: bigint;
  readonly owner: Owner;
  /** Seconds of the next cycle of one that renews itself. */
  readonly nextPeriod: bigint | null;
}

/** A cycle of a validator that renews itself, as the data service lists it; one that runs has no outcome. */
export interface Cycle {
  readonly staking: string;
  readonly node: string;
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly weight: bigint;
  readonly outcome: 'renewed' | 'exited' | 'aborted' | null;
  readonly rewardTx: string | null;
  /** What was earned by validating, and from delegations; what of both was staked again. */
  readonly earned: readonly [own: bigint, fees: bigint];
  readonly again: readonly [own: bigint, fees: bigint];
}

/** What a node's API says of its P-Chain. */
export interface NodeView {
  readonly height: number;
  /** Unix seconds. */
  readonly time: number;
  readonly supply: bigint;
  readonly listed: readonly Listed[];
  readonly cycles: readonly Cycle[];
  /** Reward UTXOs by the transaction about which they are asked for. */
  readonly rewards: ReadonlyMap<string, readonly Coin[]>;
  /** UTXOs of the P-Chain, without those that are staked or exported. */
  readonly coins: readonly Coin[];
}
