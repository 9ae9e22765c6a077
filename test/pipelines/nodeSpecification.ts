// The node's specification as one table: every method with its parameters, and the members of its results.

export interface Call {
  readonly params: object;
  /** What the node says where it refuses; left out where it answers. */
  readonly refused?: RegExp;
}

export interface NodeMethod {
  readonly path: string;
  readonly method: string;
  /** Names of the parameters, or how many there are in order. */
  readonly parameters: readonly string[] | number;
  /** The stream that asks it; null where firn has no use for it and only the embedded network answers. */
  readonly by: string | null;
  /** Requests with every parameter, given and left out, and outside their bounds. */
  readonly calls: readonly Call[];
  /** Members of the result, dotted; `[]` is every item of a list. */
  readonly result: readonly string[];
}

/** What there is on the network that is asked. */
export interface NodeNames {
  readonly l1: string;
  readonly containerId: string;
  readonly last: number;
  readonly blockId: string;
  readonly height: number;
  readonly address: string;
  readonly nodeId: string;
  readonly l1NodeId: string;
  readonly xTxId: string;
  readonly blockHash: string;
  readonly blockTime: number;
}

const container = ['id', 'bytes', 'timestamp', 'encoding', 'index'];
const under = (prefix: string, members: readonly string[]) => members.map((member) => `${prefix}.${member}`);

/** Every method of part 4. */
export function nodeSpecification(names: NodeNames): readonly NodeMethod[] {
  const platform = (method: string): Pick<NodeMethod, 'path' | 'method'> => ({
    path: '/ext/bc/P',
    method: `platform.${method}`,
  });
  const evm = (method: string): Pick<NodeMethod, 'path' | 'method'> => ({ path: `/ext/bc/${names.l1}/rpc`, method });
  const index = (
    method: string,
    by: string | null,
    parameters: readonly string[],
    calls: readonly Call[],
    result: readonly string[],
  ): NodeMethod => ({
    path: '/ext/index/P/block',
    method: `index.${method}`,
    parameters: [...parameters, 'encoding'],
    by,
    calls: [
      ...calls,
      ...calls.map((call) => ({ ...call, params: { ...call.params, encoding: 'hex' } })),
      // Answers without bytes do not look at it.
      ...(result === container
        ? [{ params: { ...calls[0]?.params, encoding: 'cb58' }, refused: /encoding|unmarshal/ }]
        : []),
    ],
    result,
  });
  const forks = [
    'homesteadBlock',
    'eip150Block',
    'eip155Block',
    'eip158Block',
    'byzantiumBlock',
    'constantinopleBlock',
    'petersburgBlock',
    'istanbulBlock',
    'muirGlacierBlock',
  ];
  return [
    {
      ...platform('getBalance'),
      parameters: ['addresses'],
      by: 'node/platform_balances',
      calls: [
        { params: { addresses: [`P-${names.address}`] } },
        { params: { addresses: ['nobody'] }, refused: /address/ },
      ],
      result: [
        'balances',
        'unlockeds',
        'lockedStakeables',
        'lockedNotStakeables',
        'utxoIDs[].txID',
        'utxoIDs[].outputIndex',
        'balance',
        'unlocked',
        'lockedStakeable',
        'lockedNotStakeable',
      ],
    },
    {
      ...platform('getBlock'),
      parameters: ['blockID', 'encoding'],
      by: 'node/platform_blocks',
      calls: [
        { params: { blockID: names.blockId } },
        { params: { blockID: names.blockId, encoding: 'hex' } },
        { params: { blockID: names.blockId, encoding: 'json' } },
      ],
      result: ['block', 'encoding'],
    },
    {
      ...platform('getBlockByHeight'),
      parameters: ['height', 'encoding'],
      by: 'node/platform_blocks',
      calls: [
        { params: { height: names.height } },
        { params: { height: String(names.height), encoding: 'hex' } },
        { params: { height: names.height, encoding: 'json' } },
        { params: { height: 1e9 }, refused: /not found/ },
      ],
      result: ['block', 'encoding'],
    },
    {
      ...platform('getBlockchains'),
      parameters: [],
      by: 'node/platform_blockchains',
      calls: [{ params: {} }],
      result: under('blockchains[]', ['id', 'name', 'subnetID', 'vmID']),
    },
    {
      ...platform('getBlockchainStatus'),
      parameters: ['blockchainID'],
      by: 'node/platform_blockchain_status',
      calls: [{ params: { blockchainID: 'X' } }, { params: { blockchainID: names.l1 } }],
      result: ['status'],
    },
    {
      ...platform('getCurrentSupply'),
      parameters: ['subnetID'],
      by: 'node/platform_supply',
      calls: [{ params: {} }, { params: { subnetID: '11111111111111111111111111111111LpoYY' } }],
      result: ['supply'],
    },
    {
      ...platform('getCurrentValidators'),
      parameters: ['subnetID', 'nodeIDs'],
      by: 'node/platform_validators',
      calls: [
        { params: {} },
        { params: { subnetID: '11111111111111111111111111111111LpoYY', nodeIDs: [names.nodeId] } },
        // Nodes that do not validate are left out, and are no error.
        { params: { nodeIDs: ['NodeID-111111111111111111116DBWJs'] } },
      ],
      result: under('validators[]', [
        'txID',
        'startTime',
        'endTime',
        'nodeID',
        'weight',
        'potentialReward',
        'delegationFee',
        'uptime',
        'delegatorCount',
        'delegatorWeight',
        'connected',
        ...under('validationRewardOwner', ['locktime', 'threshold', 'addresses']),
        ...under('delegationRewardOwner', ['locktime', 'threshold', 'addresses']),
        'signer.publicKey',
      ]),
    },
    {
      ...evm('eth_feeConfig'),
      parameters: 1,
      by: 'node/evm_fee_config',
      calls: [{ params: [] }, { params: ['latest'] }, { params: ['0x1'] }, { params: [names.blockHash] }],
      result: [
        ...under('feeConfig', [
          'gasLimit',
          'targetBlockRate',
          'minBaseFee',
          'targetGas',
          'baseFeeChangeDenominator',
          'minBlockGasCost',
          'maxBlockGasCost',
          'blockGasCostStep',
        ]),
        'lastChangedAt',
      ],
    },
    {
      ...evm('eth_getChainConfig'),
      parameters: 0,
      by: 'node/evm_chain_config',
      calls: [{ params: [] }],
      result: ['chainId', 'feeConfig', ...forks],
    },
    {
      ...evm('eth_getActivePrecompilesAt'),
      parameters: 1,
      by: 'node/evm_active_precompiles',
      calls: [{ params: [] }, { params: [names.blockTime] }],
      result: [],
    },
    {
      ...evm('eth_getActiveRulesAt'),
      parameters: 1,
      by: 'node/evm_active_rules',
      calls: [{ params: [] }, { params: [names.blockTime] }],
      result: [
        ...under('ethRules', [
          'IsHomestead',
          'IsEIP150',
          'IsEIP155',
          'IsEIP158',
          'IsByzantium',
          'IsConstantinople',
          'IsPetersburg',
          'IsIstanbul',
          'IsCancun',
        ]),
        'precompiles',
      ],
    },
    {
      path: `/ext/bc/${names.l1}/validators`,
      method: 'validators.getCurrentValidators',
      parameters: ['nodeIDs'],
      by: 'node/l1_validators',
      calls: [{ params: {} }, { params: { nodeIDs: [names.l1NodeId] } }],
      result: under('validators[]', [
        'validationID',
        'nodeID',
        'weight',
        'startTimestamp',
        'isActive',
        'isL1Validator',
        'isConnected',
        'uptimeSeconds',
        'uptimePercentage',
      ]),
    },
    index('getContainerByID', null, ['id'], [{ params: { id: names.containerId } }], container),
    index(
      'getContainerByIndex',
      'node/containers',
      ['index'],
      [{ params: { index: 0 } }, { params: { index: '1' } }],
      container,
    ),
    {
      ...index(
        'getContainerRange',
        'node/containers',
        ['startIndex', 'numToFetch'],
        [{ params: { startIndex: 0, numToFetch: 1 } }, { params: { startIndex: '1', numToFetch: '1024' } }],
        under('containers[]', container),
      ),
    },
    index('getIndex', 'node/containers', ['id'], [{ params: { id: names.containerId } }], ['index']),
    index('getLastAccepted', 'node/containers', [], [{ params: {} }], container),
    index('isAccepted', null, ['id'], [{ params: { id: names.containerId } }], ['isAccepted']),
    {
      path: '/ext/bc/X',
      method: 'avm.getTx',
      parameters: ['txID', 'encoding'],
      by: 'node/avm_transactions',
      calls: [{ params: { txID: names.xTxId, encoding: 'json' } }],
      result: under('tx.unsignedTx', ['networkID', 'blockchainID', 'outputs', 'inputs']),
    },
  ];
}

/** Answers outside the bounds of `index.getContainerRange`, real and as the specification says. */
export const rangeBounds = (last: number): readonly (Call & { readonly seed?: unknown })[] => [
  { params: { startIndex: 0, numToFetch: 1025 }, refused: /numToFetch must be in \[1,1024\] but is 1025/ },
  { params: { startIndex: last + 1, numToFetch: 1 }, refused: /start index \(\d+\) > last accepted index \(\d+\)/ },
  { params: { startIndex: 0, numToFetch: 0 }, refused: /numToFetch must be in \[1,1024\] but is 0/, seed: null },
];
