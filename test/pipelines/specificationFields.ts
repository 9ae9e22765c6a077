// Every member of part 2 of the HTTP specification, by the stream whose rows keep it. `[]` stands for every item of a list.

const under = (prefix: string, members: readonly string[]) => members.map((member) => `${prefix}.${member}`);

const party = ['name', 'symbol', 'decimals', 'logoUri', 'address'];
const parties = [...under('from', party), ...under('to', party)];
const amount = ['assetId', 'name', 'symbol', 'denomination', 'type', 'amount'];
const native = [
  'blockNumber',
  'blockTimestamp',
  'blockHash',
  'chainId',
  'blockIndex',
  'txHash',
  'txStatus',
  'txType',
  'gasLimit',
  'gasUsed',
  'gasPrice',
  'nonce',
  ...parties,
  ...under('method', ['callType', 'methodHash', 'methodName']),
  'value',
];
const metadata = [
  'indexStatus',
  'metadataLastUpdatedTimestamp',
  'name',
  'symbol',
  'imageUri',
  'description',
  'animationUri',
  'externalUrl',
  'background',
];
const nft = [
  'address',
  'name',
  'symbol',
  'ercType',
  'tokenId',
  'tokenUri',
  ...under('metadata', [...metadata, 'attributes']),
  'ownerAddress',
];
const erc20 = [
  ...parties,
  'logIndex',
  'value',
  ...under('erc20Token', [...party, 'ercType', 'price.currencyCode', 'price.value']),
];
const erc721 = [...parties, 'logIndex', ...under('erc721Token', nft)];
const erc1155 = [
  ...parties,
  'logIndex',
  'value',
  ...under('erc1155Token', [
    'address',
    'ercType',
    'tokenId',
    'tokenUri',
    ...under('metadata', [...metadata, 'decimals', 'properties']),
  ]),
];
const internal = [...parties, 'internalTxType', 'value', 'isReverted', 'gasUsed', 'gasLimit'];
/** What an item has of its block and transaction where it stands by itself. */
const located = ['blockNumber', 'blockTimestamp', 'blockHash', 'txHash'];
const subTransactions = [
  ...under('erc20Transfers[]', erc20),
  ...under('erc721Transfers[]', erc721),
  ...under('erc1155Transfers[]', erc1155),
  ...under('internalTransactions[]', internal),
];
const utxo = [
  'addresses',
  ...under('asset', amount),
  'consumedOnChainId',
  'consumingTxHash',
  'createdOnChainId',
  'utxoId',
  'utxoBytes',
  'amount',
  'assetId',
  'blockNumber',
  'blockTimestamp',
  'consumingBlockNumber',
  'consumingBlockTimestamp',
  'platformLocktime',
  'outputIndex',
  'rewardType',
  'stakeableLocktime',
  'staked',
  'threshold',
  'txHash',
  'utxoEndTimestamp',
  'utxoStartTimestamp',
  'utxoType',
];
const bls = ['publicKey', 'proofOfPossession'];
const primaryTransaction = [
  'txHash',
  'txType',
  'blockTimestamp',
  'blockNumber',
  'blockHash',
  ...under('consumedUtxos[]', utxo),
  ...under('emittedUtxos[]', utxo),
  'sourceChain',
  'destinationChain',
  ...['value', 'amountBurned', 'amountStaked', 'amountL1ValidatorBalanceBurned'].flatMap((list) =>
    under(`${list}[]`, amount),
  ),
  'startTimestamp',
  'endTimestamp',
  'delegationFeePercent',
  'nodeId',
  'subnetId',
  ...under('l1ValidatorManagerDetails', ['blockchainId', 'contractAddress']),
  ...under('l1ValidatorDetails[]', [
    'validationId',
    'validationIdHex',
    'nodeId',
    'subnetId',
    'weight',
    'remainingBalance',
    'balanceChange',
    'blsCredentials',
  ]),
  'estimatedReward',
  ...under('estimatedReward', amount),
  'rewardTxHash',
  'rewardAddresses',
  'memo',
  'stakingTxHash',
  ...under('subnetOwnershipInfo', ['locktime', 'threshold', 'addresses']),
  ...under('blsCredentials', bls),
  ...under('blockchainInfo', ['chainName', 'vmId', 'genesisData']),
];
const validator = [
  'txHash',
  'nodeId',
  'subnetId',
  'amountStaked',
  'amountDelegated',
  'delegationFee',
  'startTimestamp',
  'endTimestamp',
  ...under('blsCredentials', bls),
  'delegatorCount',
  ...under('rewards', ['validationRewardAmount', 'delegationRewardAmount', 'rewardAddresses', 'rewardTxHash']),
  'validationStatus',
];

/** Members of the answer, from its top, by the stream that reads it. */
export const documentedMembers: Readonly<Record<string, readonly string[]>> = {
  'data/latest_transactions': under('transactions[]', native),
  'data/address_transactions': under('transactions[]', [...under('nativeTransaction', native), ...subTransactions]),
  'data/address_erc721_transfers': under('transactions[]', [...erc721, ...located]),
  'data/address_internal_transactions': under('transactions[]', [...internal, ...located]),
  'data/token_transfers': under('transfers[]', [...erc20, ...erc721, ...erc1155, ...located]),
  'data/transaction_details': [...under('nativeTransaction', native), ...subTransactions],
  'data/collectible_balances': under('collectibleBalances[]', [...nft, 'chainId']),
  'data/nft_tokens': under('tokens[]', nft),
  'data/utxos': [...under('utxos[]', utxo), ...under('chainInfo', ['chainName', 'network'])],
  'data/primary_transactions': [
    ...under('transactions[]', primaryTransaction),
    ...under('chainInfo', ['chainName', 'network']),
  ],
  'data/staking_transactions': [
    ...under('transactions[]', primaryTransaction),
    ...under('chainInfo', ['chainName', 'network']),
  ],
  'data/vertices': [
    ...under('vertices[]', [
      'vertexHash',
      'parentHashes',
      'vertexHeight',
      'vertexIndex',
      'vertexTimestamp',
      'txCount',
      'transactions',
      'vertexSizeBytes',
    ]),
    ...under('chainInfo', ['chainName', 'network']),
  ],
  'data/validators': under('validators[]', validator),
  'data/validator_details': under('validators[]', validator),
  'data/delegators': under('delegators[]', [
    'txHash',
    'nodeId',
    'rewardAddresses',
    'amountDelegated',
    'delegationFee',
    'startTimestamp',
    'endTimestamp',
    'grossReward',
    'netReward',
    'delegationStatus',
  ]),
  'data/pending_rewards': under('pendingRewards[]', [
    'addresses',
    'txHash',
    'nodeId',
    'amountStaked',
    'startTimestamp',
    'endTimestamp',
    'rewardType',
    'progress',
    ...under('estimatedReward', amount),
  ]),
  'metrics/chain_metrics': under('results[]', ['value', 'timestamp']),
  'data/operations': [
    'operationId',
    'operationType',
    'operationStatus',
    'message',
    ...under('metadata', ['code', 'downloadUrl', 'nextDate']),
    'createdAtTimestamp',
    'updatedAtTimestamp',
  ],
  'data/signed_messages': ['signedMessage'],
};
