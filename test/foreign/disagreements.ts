/**
 * What others and the embedded network say differently, and why both stay as they are. Tests fail on a disagreement that is missing here, and on
 * one that does not exist any more; docs/trust.md is written from it.
 */
type Disagreements = Readonly<Record<string, string>>;

/** Members that the SDKs drop. */
export const untyped: Disagreements = {
  'l1ValidatorDetails.blsCredentials.publicKey':
    'the specification has an object here and no members of it; firn keeps it as JSON',
};

/** Members that avacloud-sdk 0.13, which chainkit has replaced, does not know. */
export const newer: Disagreements = {
  blockTimestampMilliseconds: 'served since Granite; chainkit knows it',
  blockMinDelayExcess: 'served since Granite; chainkit knows it',
  utxoBytes: 'chainkit knows it',
};

/** What avacloud-sdk 0.13 refuses to read or to ask. */
export const refused: Disagreements = {
  'transactions of the p-chain':
    'genesisData of a chain that is no EVM is text, as chainkit has it; avacloud-sdk wants an object',
  'metric contracts': 'a metric that is younger than avacloud-sdk',
  'metric deployers': 'a metric that is younger than avacloud-sdk',
};

/** Members of the EVM RPC that Ethereum's specification does not have: Avalanche's nodes send them. */
export const avalancheMembers: Disagreements = {
  blockExtraData: 'atomic transactions of the C-Chain',
  blockGasCost: 'price of a block, before Granite',
  extDataGasUsed: 'gas of the atomic transactions',
  extDataHash: 'hash of the atomic transactions',
  minDelayExcess: 'since Granite',
  timestampMilliseconds: 'since Granite',
  totalDifficulty: 'of the time before the merge; these nodes still send it',
};

/** Errors in place of what the specification has. */
export const answeredOtherwise: Disagreements = {
  'cannot query unfinalized data':
    'a block above the accepted ones is an error to Avalanche’s nodes (recorded), null to the specification; firn never asks above the head',
};

const notRecorded = 'nothing was recorded that could answer, and firn never asks';
const ofServers = 'state that a node keeps for a client, which firn never asks for';
/** Methods of the specification that the embedded node answers with -32601. */
export const notOffered: Disagreements = {
  eth_coinbase: 'Avalanche’s nodes mine nothing',
  eth_estimateGas: 'the embedded node executes nothing',
  eth_feeHistory: notRecorded,
  eth_getFilterChanges: ofServers,
  eth_getFilterLogs: ofServers,
  eth_getProof: notRecorded,
  eth_newBlockFilter: ofServers,
  eth_newFilter: ofServers,
  eth_newPendingTransactionFilter: ofServers,
  eth_sendRawTransaction: 'the embedded network is a recording',
  eth_subscribe: 'not over HTTP (recorded)',
  eth_uninstallFilter: ofServers,
  eth_unsubscribe: 'not over HTTP',
};
