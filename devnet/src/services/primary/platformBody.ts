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
  readonly input: { readonly amount?: Uint; readonly input?: { readonly amount?: Uint } };
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
