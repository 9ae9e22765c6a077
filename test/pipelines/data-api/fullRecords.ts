// One answer of every endpoint in which every documented member has a value: first the members of the specification, then
// those that only the real service has (its published schemas). Made up, in the services' own shapes.

const hash = (digit: string) => `0x${digit.repeat(64)}`;
const account = (digit: string) => `0x${digit.repeat(40)}`;

const party = (digit: string) => ({
  name: 'Router',
  symbol: 'RTR',
  decimals: 18,
  logoUri: 'https://example.invalid/logo.png',
  address: account(digit),
});

const located = {
  blockNumber: '7',
  blockTimestamp: 1_700_000_000,
  blockTimestampMilliseconds: 1_700_000_000_250,
  blockHash: hash('b'),
  txHash: hash('c'),
};

const native = {
  ...located,
  chainId: '43114',
  blockIndex: 3,
  txStatus: '1',
  txType: 2,
  gasLimit: '21000',
  gasUsed: '21000',
  gasPrice: '25000000000',
  nonce: '9',
  blockMinDelayExcess: 7_970_124,
  from: party('1'),
  to: party('2'),
  method: { callType: 'CONTRACT_CALL', methodHash: '0xa9059cbb', methodName: 'transfer(address,uint256)' },
  value: '1000000000000000000',
};

const price = { currencyCode: 'usd', value: '42.42' };
const metadata = {
  indexStatus: 'indexed',
  metadataLastUpdatedTimestamp: 1_700_000_001,
  name: 'n',
  symbol: 's',
  imageUri: 'i',
  description: 'd',
  animationUri: 'a',
  externalUrl: 'e',
  background: 'b',
  attributes: '[]',
};
const metadata1155 = (({ attributes: _, ...rest }) => ({ ...rest, decimals: 0, properties: '{}' }))(metadata);

const erc20Token = { ...party('3'), ercType: 'ERC-20', price };
const erc721Token = {
  address: account('4'),
  name: 'Cats',
  symbol: 'CAT',
  ercType: 'ERC-721',
  tokenId: '340282366920938463463374607431768211456',
  tokenUri: 'ipfs://1',
  metadata,
  ownerAddress: account('5'),
};
const erc1155Token = {
  address: account('6'),
  ercType: 'ERC-1155',
  tokenId: '6',
  tokenUri: 'ipfs://6',
  metadata: metadata1155,
};

const erc20 = { from: party('1'), to: party('2'), logIndex: 1, value: '5', erc20Token };
const erc721 = { from: party('1'), to: party('2'), logIndex: 2, erc721Token };
const erc1155 = { from: party('1'), to: party('2'), logIndex: 3, value: '6', erc1155Token };
const internal = {
  from: party('1'),
  to: party('2'),
  internalTxType: 'CALL',
  value: '10',
  isReverted: false,
  gasUsed: '5',
  gasLimit: '6',
};
const transfers = {
  erc20Transfers: [erc20],
  erc721Transfers: [erc721],
  erc1155Transfers: [erc1155],
  internalTransactions: [internal],
};

const asset = {
  assetId: 'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z',
  name: 'Avalanche',
  symbol: 'AVAX',
  denomination: 9,
  type: 'secp256k1',
  amount: '5001000',
};
const owner = 'fuji19zfygxaf59stehzedhxjesads0p5jdvf4tfzns';
const pChain = '11111111111111111111111111111111LpoYY';

const pUtxo = {
  addresses: [owner],
  asset,
  consumedOnChainId: pChain,
  consumingTxHash: 'tx2',
  createdOnChainId: pChain,
  utxoId: 'utxo1',
  utxoBytes: '0x0000',
  amount: '5001000',
  assetId: asset.assetId,
  blockNumber: '8',
  blockTimestamp: 1_700_000_002,
  consumingBlockNumber: '9',
  consumingBlockTimestamp: 1_700_000_003,
  platformLocktime: 1_700_000_004,
  outputIndex: 1,
  rewardType: 'VALIDATOR',
  stakeableLocktime: 1_700_000_005,
  staked: true,
  threshold: 1,
  txHash: 'tx1',
  utxoEndTimestamp: 1_700_000_006,
  utxoStartTimestamp: 1_700_000_007,
  utxoType: 'STAKE',
};
const xUtxo = {
  addresses: [owner],
  asset,
  consumedOnChainId: 'x',
  consumingTxHash: 'tx2',
  createdOnChainId: 'x',
  utxoId: 'utxo2',
  utxoBytes: '0x0001',
  consumingTxTimestamp: 1_700_000_003,
  creationTxHash: 'tx1',
  credentials: [{ signature: 'c2ln', publicKey: 'a2V5' }],
  groupId: 2,
  locktime: 1_700_000_004,
  outputIndex: '1',
  payload: '0xff',
  threshold: 1,
  timestamp: 1_700_000_002,
  utxoType: 'mint',
};

const blsCredentials = { publicKey: '0x01', proofOfPossession: '0x02' };
const autoRenew = {
  state: 'exited',
  nextPeriodSeconds: 0,
  autoCompoundSharePercent: 25.5,
  compoundedWeight: '5028049283',
  accruedValidationRewards: '28049283',
  accruedDelegateeRewards: '5',
  validationRewardAddresses: [owner],
  delegationRewardAddresses: [owner],
  exitReason: 'graceful',
  endedAtTimestamp: 1_786_771_046,
};
const pTransaction = {
  txHash: 'tx1',
  txType: 'AddPermissionlessValidatorTx',
  blockTimestamp: 1_700_000_000,
  blockNumber: '7',
  blockHash: 'block1',
  consumedUtxos: [pUtxo],
  emittedUtxos: [{ ...pUtxo, utxoId: 'utxo3' }],
  sourceChain: 'x',
  destinationChain: 'p',
  value: [asset],
  amountBurned: [asset],
  amountStaked: [asset],
  amountL1ValidatorBalanceBurned: [asset],
  startTimestamp: 1_700_000_010,
  endTimestamp: 1_700_000_011,
  delegationFeePercent: '2.0000',
  nodeId: 'NodeID-a',
  subnetId: pChain,
  l1ValidatorManagerDetails: { blockchainId: 'bc', contractAddress: account('7') },
  l1ValidatorDetails: [
    {
      validationId: 'v',
      validationIdHex: '0x0a',
      nodeId: 'NodeID-b',
      subnetId: 'subnet',
      weight: 18446744073709551615n,
      remainingBalance: 100,
      balanceChange: -5,
      blsCredentials: { any: 'thing' },
    },
  ],
  estimatedReward: asset,
  rewardTxHash: 'tx3',
  rewardAddresses: [owner],
  memo: '0x',
  stakingTxHash: 'tx4',
  period: 172_800,
  autoCompoundRewardShares: 500_000,
  validatorAuthority: ['fuji1a'],
  subnetOwnershipInfo: { locktime: 0, threshold: 1, addresses: [owner] },
  blsCredentials,
  blockchainInfo: { chainName: 'my chain', vmId: 'vm', genesisData: { config: { chainId: 1 }, alloc: {} } },
};
const xTransaction = {
  txHash: 'tx5',
  chainFormat: 'non-linear',
  timestamp: 1_600_000_000,
  txType: 'CreateAssetTx',
  memo: '0x',
  consumedUtxos: [xUtxo],
  emittedUtxos: [{ ...xUtxo, utxoId: 'utxo4' }],
  amountUnlocked: [asset],
  amountCreated: [asset],
  sourceChain: 'x',
  destinationChain: 'p',
  assetCreated: {
    assetId: 'a',
    name: 'Coin',
    symbol: 'COIN',
    denomination: 2,
    type: 'secp256k1',
    createdAtTimestamp: 1_600_000_000,
    cap: 'fixed',
  },
  vertices: [{ hash: 'vertex1', height: 5, timestamp: 1_600_000_000 }],
  blockHeight: 12,
  blockHash: 'block2',
};
const cTransaction = {
  txHash: 'tx6',
  blockHeight: 20,
  blockHash: hash('d'),
  timestamp: 1_700_000_020,
  memo: '0x',
  amountUnlocked: [asset],
  amountCreated: [asset],
  sourceChain: 'c',
  destinationChain: 'p',
  txType: 'ExportTx',
  evmInputs: [{ fromAddress: account('8'), asset, credentials: [{ signature: 'c2ln', publicKey: 'a2V5' }] }],
  evmOutputs: [{ toAddress: account('9'), asset }],
  emittedUtxos: [{ ...xUtxo, utxoId: 'utxo5' }],
};

const rewards = {
  validationRewardAmount: '1',
  delegationRewardAmount: '2',
  rewardAddresses: [owner],
  rewardTxHash: 'tx7',
};
const validator = {
  txHash: 'tx8',
  nodeId: 'NodeID-a',
  subnetId: pChain,
  amountStaked: '2000000000000',
  amountDelegated: '3',
  delegationFee: '2.0000000000000000',
  startTimestamp: 1_700_000_000,
  endTimestamp: 1_800_000_000,
  blsCredentials,
  delegatorCount: 4,
  rewards,
  stakingType: 'autoRenewed',
  autoRenew,
  validationStatus: 'active',
  stakePercentage: 0.01,
  uptimePerformance: 99.5,
  avalancheGoVersion: 'avalanchego/1.14.0',
  delegationCapacity: '5',
  potentialRewards: rewards,
  validatorHealth: {
    reachabilityPercent: 100,
    benchedPChainRequestsPercent: 0,
    benchedXChainRequestsPercent: 1,
    benchedCChainRequestsPercent: 2,
  },
  geolocation: { city: 'Zürich', country: 'Switzerland', countryCode: 'CH', latitude: 47.37, longitude: 8.54 },
  removeTxHash: 'tx9',
  removeTimestamp: 1_750_000_000,
};

const cycle = {
  stakingTxHash: 'tx10',
  startTimestamp: 1_700_000_000,
  endTimestamp: 1_701_209_600,
  weightAtCycleStart: '2000000000000',
  autoCompoundSharePercent: 25,
  delegatorCount: 1,
  amountDelegated: '25000000000',
};
const settledCycle = {
  ...cycle,
  cycleIndex: 1,
  rewardTxHash: 'tx11',
  grossValidationReward: '1274832',
  withdrawnValidationReward: '956124',
  compoundedValidationReward: '318708',
  grossDelegateeReward: '4',
  withdrawnDelegateeReward: '3',
  compoundedDelegateeReward: '1',
  outcome: 'renewed',
};
const runningCycle = {
  ...cycle,
  cycleIndex: 2,
  projectedValidationReward: '1275238',
  accruedDelegateeReward: '0',
  state: 'renewing',
};

const chainInfo = (chainName: string) => ({ chainName, network: 'testnet' });
const token = { name: 'Avalanche', symbol: 'AVAX', decimals: 18, logoUri: 'l', description: 'd' };

/** Answers by stream, and the parameters of the partition they belong to. */
export const fullAnswers: Readonly<Record<string, readonly { parameters: object; body: object }[]>> = {
  'data/chains': [
    {
      parameters: {},
      body: {
        chains: [
          {
            chainId: '43114',
            status: 'OK',
            chainName: 'C-Chain',
            description: 'd',
            platformChainId: 'bc',
            subnetId: pChain,
            vmId: 'vm',
            vmName: 'EVM',
            explorerUrl: 'e',
            rpcUrl: 'r',
            wsUrl: 'w',
            isTestnet: false,
            utilityAddresses: { multicall: account('a') },
            networkToken: token,
            chainLogoUri: 'c',
            private: false,
            enabledFeatures: ['nftIndexing'],
          },
        ],
      },
    },
  ],
  'data/latest_transactions': [{ parameters: { chainIds: ['43114'] }, body: { transactions: [native] } }],
  'data/primary_transactions': [
    {
      parameters: { blockchainIds: ['p-chain'] },
      body: { transactions: [pTransaction], chainInfo: chainInfo('p-chain') },
    },
    {
      parameters: { blockchainIds: ['x-chain'] },
      body: { transactions: [xTransaction], chainInfo: chainInfo('x-chain') },
    },
    {
      parameters: { blockchainIds: ['c-chain'] },
      body: { transactions: [cTransaction], chainInfo: chainInfo('c-chain') },
    },
  ],
  'data/address_transactions': [
    {
      parameters: { chainIds: ['43114'], addresses: [account('1')] },
      body: { transactions: [{ nativeTransaction: native, ...transfers }] },
    },
  ],
  'data/address_erc721_transfers': [
    {
      parameters: { chainIds: ['43114'], addresses: [account('1')] },
      body: { transactions: [{ ...located, ...erc721 }] },
    },
  ],
  'data/address_internal_transactions': [
    {
      parameters: { chainIds: ['43114'], addresses: [account('1')] },
      body: { transactions: [{ ...located, ...internal }] },
    },
  ],
  'data/token_transfers': [
    {
      parameters: { chainIds: ['43114'], addresses: [account('3')] },
      body: {
        transfers: [
          { ...located, ...erc20 },
          { ...located, ...erc721 },
          { ...located, ...erc1155 },
        ],
      },
    },
  ],
  'data/transaction_details': [
    {
      parameters: { chainIds: ['43114'] },
      body: {
        nativeTransaction: {
          ...native,
          input: '0xa9059cbb',
          baseFeePerGas: '25000000000',
          maxFeePerGas: '30000000000',
          maxPriorityFeePerGas: '1',
        },
        networkTokenDetails: { networkToken: token, currentPrice: price, historicalPrice: { ...price, value: 41.5 } },
        ...transfers,
        teleporterMessageInfo: {
          teleporterMessageId: 'm',
          direction: 'SOURCE_TRANSACTION',
          sourceChainId: '43114',
          destinationChainId: '1',
        },
      },
    },
  ],
  'data/collectible_balances': [
    {
      parameters: { chainIds: ['43114'], addresses: [account('5')] },
      body: {
        collectibleBalances: [
          { ...erc721Token, chainId: '43114' },
          { ...erc1155Token, chainId: '43114', balance: '3' },
        ],
      },
    },
  ],
  'data/nft_tokens': [
    { parameters: { chainIds: ['43114'], addresses: [account('4')] }, body: { tokens: [erc721Token] } },
    { parameters: { chainIds: ['43114'], addresses: [account('6')] }, body: { tokens: [erc1155Token] } },
  ],
  'data/utxos': [
    {
      parameters: { blockchainIds: ['p-chain'], addresses: [owner] },
      body: { utxos: [pUtxo], chainInfo: chainInfo('p-chain') },
    },
    {
      parameters: { blockchainIds: ['x-chain'], addresses: [owner] },
      body: { utxos: [xUtxo], chainInfo: chainInfo('x-chain') },
    },
  ],
  'data/staking_transactions': [
    { parameters: {}, body: { transactions: [{ ...pTransaction, autoRenew }], chainInfo: chainInfo('p-chain') } },
  ],
  'data/vertices': [
    {
      parameters: { to: 10 },
      body: {
        vertices: [
          {
            vertexHash: 'v1',
            parentHashes: ['v0'],
            vertexHeight: 5,
            vertexIndex: 6,
            vertexTimestamp: 1_600_000_000,
            txCount: 1,
            transactions: ['tx1'],
            vertexSizeBytes: 300,
          },
        ],
        chainInfo: chainInfo('x-chain'),
      },
    },
  ],
  'data/validators': [{ parameters: {}, body: { validators: [validator] } }],
  'data/validator_details': [{ parameters: { nodeIds: ['NodeID-a'] }, body: { validators: [validator] } }],
  'data/validator_cycles': [
    { parameters: { nodeIds: ['NodeID-a'] }, body: { cycles: [settledCycle], currentCycle: runningCycle } },
  ],
  'data/delegators': [
    {
      parameters: {},
      body: {
        delegators: [
          {
            txHash: 'tx1',
            nodeId: 'NodeID-a',
            rewardAddresses: [owner],
            amountDelegated: '25',
            delegationFee: '2',
            startTimestamp: 1_700_000_000,
            endTimestamp: 1_800_000_000,
            grossReward: '4',
            netReward: '3',
            delegationStatus: 'completed',
            estimatedGrossReward: '5',
            estimatedNetReward: '4',
          },
        ],
      },
    },
  ],
  'data/pending_rewards': [
    {
      parameters: { nodeIds: ['NodeID-a'] },
      body: {
        pendingRewards: [
          {
            addresses: [owner],
            txHash: 'tx1',
            nodeId: 'NodeID-a',
            amountStaked: '25',
            startTimestamp: 1_700_000_000,
            endTimestamp: 1_800_000_000,
            rewardType: 'VALIDATOR_FEE',
            stakingType: 'autoRenewed',
            progress: 0.5,
            estimatedReward: asset,
          },
        ],
      },
    },
  ],
};
