/** JSON text exactly as the recorded node sent it; integers above 2^53 are intact only in this form. */
export type Raw = string;

/** One record of `index.getContainerRange`. */
export interface ContainerRecord {
  readonly id: string;
  /** `0x` hex with the 4-byte checksum. */
  readonly bytes: string;
  /** RFC 3339, up to nine fraction digits: when the node accepted the container. */
  readonly timestamp: string;
  readonly encoding: string;
  /** Decimal. */
  readonly index: string;
}

/** One height of an EVM chain. `visibleAt` is when it appears: acceptance time, or block time where no index exists. */
export interface EvmBlockRecord {
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly visibleAt: number;
  /** Header seconds. */
  readonly timestamp: number;
  readonly hash: string;
  readonly container: ContainerRecord | null;
  readonly block: Raw;
  readonly receipts: Raw;
  /** null at genesis, which is not traceable. */
  readonly traces: Raw | null;
  /** Of a block that is executed after it was accepted: up to which height it settles the others. */
  readonly settledHeight?: number;
}

/** One height of the P-Chain or X-Chain. */
export interface LinearBlockRecord {
  readonly height: number;
  readonly visibleAt: number;
  /** Inner block id (cb58), as `getBlock` takes it. */
  readonly id: string;
  readonly container: ContainerRecord | null;
  /** Whole result of getBlockByHeight, encoding json. */
  readonly json: Raw;
  /** Whole result of getBlockByHeight, encoding hex. */
  readonly hex: Raw;
  /** Transaction id -> whole result of getTx, encoding json. */
  readonly txs: ReadonlyMap<string, Raw>;
}

export interface EvmChain {
  /** `C`, or the name of the L1 in the manifest. */
  readonly name: string;
  readonly blockchainId: string;
  readonly subnetId: string | null;
  readonly evmChainId: number;
  /** Ascending by number from 0. */
  readonly blocks: readonly EvmBlockRecord[];
}

export interface LinearChain {
  readonly name: 'P' | 'X';
  readonly blockchainId: string;
  readonly blocks: readonly LinearBlockRecord[];
}

/** One recorded answer taken while the history was made. */
export interface SnapshotAnswer {
  readonly label: string;
  /** Milliseconds since the epoch: chain time of the moment it was taken. */
  readonly takenAt: number;
  readonly path: string;
  readonly method: string;
  readonly params: unknown;
  readonly status: number;
  readonly body: string;
}

/** One recorded answer about the state at the last block. */
export interface StateAnswer {
  readonly chain: string;
  readonly method: string;
  readonly params: unknown;
  readonly result: Raw | null;
  readonly error: Raw | null;
}

/** One recorded request with the whole HTTP answer, taken at the end of the history. */
export interface ExactAnswer {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  /** `headers` is name, value, name, value, ... as received. `body` is cut where `bodyBytes` says more. */
  readonly response: {
    readonly status: number;
    readonly headers: readonly string[];
    readonly body: string;
    readonly bodyBytes: number;
  };
}

/** A whole recorded network, read once and never changed. */
export interface Ledger {
  readonly networkId: number;
  readonly networkName: string;
  readonly nodeId: string;
  readonly c: EvmChain;
  readonly l1s: readonly EvmChain[];
  readonly p: LinearChain;
  readonly x: LinearChain;
  readonly avaxAssetId: string;
  readonly snapshots: readonly SnapshotAnswer[];
  readonly finalState: readonly StateAnswer[];
  readonly exactAnswers: readonly ExactAnswer[];
  /** Staking transaction id -> whole results of platform.getRewardUTXOs (once finished) and platform.getTxStatus. */
  readonly rewards: ReadonlyMap<string, { readonly finished: boolean; readonly result: Raw; readonly status: Raw }>;
  /** C-Chain atomic transactions by id. */
  readonly atomicTxs: ReadonlyMap<string, { readonly number: number; readonly result: Raw; readonly status: Raw }>;
  /** The manifest as recorded, for members not listed above. */
  readonly manifest: Readonly<Record<string, unknown>>;
  /** First and last moment of the history in milliseconds (genesis excluded). */
  readonly firstMoment: number;
  readonly lastMoment: number;
}

/** The moving end of the history: what lies after `now()` does not exist yet in any answer. Milliseconds since the epoch. */
export interface Head {
  now(): number;
}

/** One request as a service handler sees it. `path` is the decoded pathname; header names are lower-case. */
export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** One answer. Without a content-type header it is sent as `application/json`. Bytes are for downloads (gzip, zip). */
export interface ServiceResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}
