// The HTTP specification as one table: every endpoint with its parameters, their bounds, words and defaults, and the members
// of its records. specification.test.ts holds both sides against it: what firn asks and refuses, and what the embedded
// network serves and refuses.

export type Value = string | number | boolean;
type Given = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly in: 'path' | 'query' | 'body';
  /** An array: sent as the parameter repeated; the values here join its items with commas, which is refused on the wire. */
  readonly repeated?: true;
  readonly required?: true;
  /** What the service takes where the parameter is left out. */
  readonly default?: Value;
  /** Values within the rule: both ends of a range, every word of a closed set. */
  readonly takes: readonly Value[];
  readonly refuses: readonly Value[];
  /** What firn is configured with, so that it asks for this value; null where nothing makes it ask for it. */
  readonly give: (value: Value) => Given | null;
  /** The value as firn sends it, where it is another. */
  readonly sends?: (value: Value) => Value;
  /** The parameter that firn sends instead, where this one is deprecated. */
  readonly sentAs?: string;
  /** When firn sends it, where a plain read has no cause to. */
  readonly when?: 'pages are short' | 'days are read again';
  /** What the service needs beside this parameter: query parameters, and values of the path. */
  readonly wire?: Readonly<Record<string, string>>;
  readonly path_?: Readonly<Record<string, string>>;
}

export interface Endpoint {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The stream or command that reads it. */
  readonly by: string;
  /** What firn is configured with in any case. */
  readonly base: Given;
  /** What the service needs in any case: query parameters, and members of the body. */
  readonly wire?: Readonly<Record<string, string>>;
  readonly body?: Given;
  /** Values of the path. */
  readonly path_: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, Parameter>>;
}

/** What there is on the network that is asked. */
export interface Names {
  readonly chainId: string;
  readonly blockchainId: string;
  readonly account: string;
  readonly token: string;
  readonly holder: string;
  readonly collection: string;
  readonly txHash: string;
  readonly owner: string;
  readonly nodeId: string;
  /** A node that renews itself. */
  readonly renewing: string;
  readonly l1ValidationId: string;
  readonly l1TxHash: string;
  readonly operationId: string;
  readonly assetId: string;
}

const primaryNetwork = '11111111111111111111111111111111LpoYY';
/** Blockchain ids that the service takes on any network: P, X of mainnet and fuji, C of mainnet and fuji. */
const chainIdsOf = {
  p: [primaryNetwork],
  x: ['2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM', '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm'],
  c: ['2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5', 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp'],
};
const aliasOf = (id: Value) =>
  Object.entries(chainIdsOf)
    .find(([, ids]) => ids.includes(String(id)))?.[0]
    .concat('-chain') ?? id;

type Rules = Omit<Parameter, 'in' | 'takes' | 'refuses' | 'give'> & { readonly give?: Parameter['give'] };
const named = (name: string) => (value: Value) => ({ [name]: value });

/** A number within bounds. */
const between = (name: string, low: number, high: number | null, rules: Rules = {}): Parameter => ({
  in: 'query',
  takes: high === null ? [low, 5] : [low, high],
  refuses: high === null ? [low - 1, 'many'] : [low - 1, high + 1, 'many'],
  give: named(name),
  ...rules,
});

/** One word of a closed set. */
const oneOf = (name: string, words: readonly string[], rules: Rules = {}): Parameter => ({
  in: 'query',
  takes: words,
  refuses: ['somethingElse'],
  give: named(name),
  ...rules,
});

/** Text of which only an example can be given. */
const text = (
  name: string,
  examples: readonly Value[],
  rules: Rules & { refuses?: readonly Value[] } = {},
): Parameter => ({
  in: 'query',
  takes: examples,
  refuses: [],
  give: named(name),
  ...rules,
});

/** Items that one text joins with commas. */
const commaList = (
  name: string,
  examples: readonly string[],
  rules: Rules & { refuses?: readonly Value[] } = {},
): Parameter => text(name, examples, { give: (value) => ({ [name]: String(value).split(',') }), ...rules });

const pageToken: Parameter = text('pageToken', ['next'], { give: () => ({ pageSize: 1 }), refuses: [] });
const pageSize = (largest: number, standard = 10) => between('pageSize', 1, largest, { default: standard });
const sortOrder = oneOf('sortOrder', ['asc', 'desc']);
/** Where firn reads in order, and says itself in which. */
const ascending: Parameter = {
  ...sortOrder,
  refuses: ['somethingElse'],
  give: (value) => (value === 'asc' ? {} : null),
};
const lowerCase = (value: Value) => String(value).toLowerCase();
const iso = (seconds: Value) =>
  Number(seconds) < 0 ? String(seconds) : new Date(Number(seconds) * 1000).toISOString();

/** Block numbers: the start belongs to the range, the end does not. */
const blocks = {
  startBlock: text('from', [5], { refuses: [-1, 'soon'] }),
  endBlock: text('to', [9], { refuses: [-1, 'soon'] }),
};

const network: Parameter = {
  in: 'path',
  takes: ['mainnet', 'fuji', 'testnet'],
  refuses: ['localnet'],
  // The network belongs to the source; what firn makes of it is tested by itself.
  give: (value) => (value === 'fuji' ? {} : null),
};

const path = (name: string, examples: readonly string[], refuses: readonly string[], rules: Rules = {}): Parameter => ({
  in: 'path',
  takes: examples,
  refuses,
  give: (value) => ({ [`${name}s`]: [value] }),
  ...rules,
});

/** Every endpoint of part 4, and every parameter of it. */
export function specification(names: Names): readonly Endpoint[] {
  const chainId = path('chainId', [names.chainId, names.blockchainId], ['nowhere'], { sends: () => names.chainId });
  const address = (of: string) =>
    path('address', [of], ['0x12'], { give: (value) => ({ addresses: [value] }), sends: lowerCase });
  const blockchainId = (chains: readonly ('p' | 'x' | 'c')[], refuses: readonly string[]): Parameter =>
    path(
      'blockchainId',
      chains.flatMap((one) => [`${one}-chain`, ...chainIdsOf[one]]),
      refuses,
      { sends: aliasOf },
    );
  const evm = { chainIds: [names.chainId] };
  const onChain = { chainId: names.chainId };
  const fuji = { network: 'fuji' };
  const history = (
    suffix: string,
    by: string,
    address_: string,
    more: Readonly<Record<string, Parameter>> = {},
  ): Endpoint => ({
    method: 'GET',
    path: `/v1/chains/{chainId}/${suffix}`,
    by,
    base: { ...evm, addresses: [address_] },
    path_: { ...onChain, address: address_ },
    parameters: { chainId, address: address(address_), pageToken, pageSize: pageSize(100), ...blocks, ...more },
  });
  const addresses = (more: Rules = {}) =>
    commaList('addresses', [names.owner, `P-${names.owner}`], {
      refuses: ['nobody'],
      sends: () => names.owner,
      ...more,
    });
  /** Filters on the transactions of addresses. One second is added to the range, since its ends are in doubt. */
  const filters = () => {
    const wire = { addresses: names.owner };
    const of = { addresses: [names.owner] };
    return {
      txTypes: text('txTypes', ['ImportTx', 'AddValidatorTx,ExportTx'], {
        wire,
        repeated: true,
        refuses: ['not a type'],
        give: (value) => ({ ...of, txTypes: String(value).split(',') }),
      }),
      startTimestamp: between('from', 0, null, {
        wire,
        give: (value) => (value === 0 ? null : { ...of, from: typeof value === 'number' ? iso(value) : value }),
        sends: (value) => Number(value) - 1,
      }),
      endTimestamp: between('to', 0, null, {
        wire,
        give: (value) => (value === 0 ? null : { ...of, to: typeof value === 'number' ? iso(value) : value }),
      }),
    };
  };
  const primary = (
    suffix: string,
    by: string,
    chain: string,
    base: Given,
    parameters: Readonly<Record<string, Parameter>>,
    wire: Readonly<Record<string, string>> = {},
  ): Endpoint => ({
    method: 'GET',
    wire,
    path: `/v1/networks/{network}/blockchains/{blockchainId}/${suffix}`,
    by,
    base,
    path_: { ...fuji, blockchainId: chain },
    parameters: { network, pageToken, ...parameters },
  });
  const nodeIds = commaList('nodeIds', [names.nodeId, `${names.nodeId},NodeID-another`], {
    give: (value) => ({ nodeIds: [value] }),
  });
  const status = (name: string, words: readonly string[]) => oneOf(name, words);
  const ofNetwork = (
    suffix: string,
    by: string,
    base: Given,
    parameters: Readonly<Record<string, Parameter>>,
  ): Endpoint => ({
    method: 'GET',
    path: `/v1/networks/{network}/${suffix}`,
    by,
    base,
    path_: fuji,
    parameters: { network, pageToken, pageSize: pageSize(100), sortOrder, ...parameters },
  });
  const inBody = (
    name: string,
    examples: readonly Value[],
    refuses: readonly Value[],
    rules: Rules = {},
  ): Parameter => ({
    in: 'body',
    takes: examples,
    refuses,
    give: named(name),
    ...rules,
  });

  return [
    {
      method: 'POST',
      path: '/v1/signatureAggregator/{network}/aggregateSignatures',
      by: 'firn sign message',
      base: { message: '0x01' },
      body: { message: '0x01' },
      path_: fuji,
      parameters: {
        network,
        message: inBody('message', ['0x0102', '0102'], ['0x1', 'xyz']),
        justification: inBody('justification', ['0x0102', '0102'], ['0x1', 'xyz']),
        signingSubnetId: inBody('signingSubnetId', [primaryNetwork, `0x${'0'.repeat(64)}`], ['nowhere']),
        quorumPercentage: inBody('quorumPercentage', [0, 100], [-1, 101, 1.5], { default: 67 }),
        quorumPercentageBuffer: inBody('quorumPercentageBuffer', [0, 33], [-1, 101, 34], { default: 0 }),
        pChainHeight: inBody('pChainHeight', [0, 7], [-1, 1.5], { default: 0 }),
      },
    },
    {
      method: 'GET',
      path: '/v1/signatureAggregator/{network}/aggregateSignatures/{txHash}',
      by: 'firn sign tx',
      base: { txHash: names.l1TxHash },
      path_: { ...fuji, txHash: names.l1TxHash },
      parameters: { network, txHash: path('txHash', [names.l1TxHash], ['nothing'], { give: named('txHash') }) },
    },
    {
      method: 'GET',
      path: '/v1/chains',
      by: 'data/chains',
      base: {},
      path_: {},
      parameters: {
        network: { ...network, in: 'query' },
        feature: oneOf('feature', ['nftIndexing', 'webhooks', 'teleporter']),
      },
    },
    history('addresses/{address}/transactions', 'data/address_transactions', names.account, { sortOrder: ascending }),
    history('addresses/{address}/transactions:listErc721', 'data/address_erc721_transfers', names.holder),
    history('addresses/{address}/transactions:listInternals', 'data/address_internal_transactions', names.account),
    history('tokens/{address}/transfers', 'data/token_transfers', names.token),
    {
      method: 'GET',
      path: '/v1/chains/{chainId}/transactions',
      by: 'data/latest_transactions',
      base: evm,
      path_: onChain,
      parameters: { chainId, pageToken, pageSize: pageSize(100), status: oneOf('status', ['failed', 'success']) },
    },
    {
      method: 'GET',
      path: '/v1/chains/{chainId}/transactions/{txHash}',
      by: 'data/transaction_details',
      base: { ...evm, txHashes: [names.txHash] },
      path_: { ...onChain, txHash: names.txHash },
      parameters: {
        chainId,
        txHash: path('txHash', [names.txHash], ['0x12'], { give: (value) => ({ txHashes: [value] }) }),
      },
    },
    {
      method: 'GET',
      path: '/v1/chains/{chainId}/addresses/{address}/balances:listCollectibles',
      by: 'data/collectible_balances',
      base: { ...evm, addresses: [names.holder] },
      path_: { ...onChain, address: names.holder },
      parameters: {
        chainId,
        address: address(names.holder),
        pageToken,
        pageSize: pageSize(500),
        contractAddress: text('contractAddress', [names.collection], { refuses: ['0x12'], sends: lowerCase }),
      },
    },
    {
      method: 'GET',
      path: '/v1/chains/{chainId}/nfts/collections/{address}/tokens',
      by: 'data/nft_tokens',
      base: { ...evm, addresses: [names.collection] },
      path_: { ...onChain, address: names.collection },
      parameters: { chainId, address: address(names.collection), pageToken, pageSize: pageSize(100) },
    },
    {
      ...primary(
        'utxos',
        'data/utxos',
        'p-chain',
        { blockchainIds: ['p-chain'], addresses: [names.owner] },
        {
          blockchainId: blockchainId(['p', 'x', 'c'], ['q-chain']),
          pageSize: pageSize(1024),
          assetId: text('assetId', [names.assetId], {
            give: (value) => ({ blockchainIds: ['x-chain'], assetId: value }),
            path_: { blockchainId: 'x-chain' },
          }),
          minUtxoAmount: between('minUtxoAmount', 0, null, { default: 0 }),
          includeSpent: text('includeSpent', [true, false], { refuses: ['maybe'] }),
          sortBy: oneOf('sortBy', ['timestamp', 'amount']),
          sortOrder,
          addresses: { ...addresses(), in: 'body', required: true },
        },
      ),
      method: 'POST',
      body: { addresses: names.owner },
    },
    primary(
      'transactions',
      'data/primary_transactions',
      'p-chain',
      { blockchainIds: ['p-chain'], from: 0 },
      {
        blockchainId: blockchainId(['p', 'x', 'c'], ['q-chain']),
        pageSize: pageSize(100),
        sortOrder: {
          ...ascending,
          give: (value) => (value === 'asc' ? { addresses: [names.owner], from: '1970-01-01' } : null),
        },
        addresses: addresses({ give: (value) => ({ addresses: [value], from: '1970-01-01' }) }),
        l1ValidationId: text('l1ValidationId', [names.l1ValidationId], {
          give: (value) => ({ l1ValidationId: value, from: '1970-01-01' }),
        }),
        ...Object.fromEntries(
          Object.entries(filters()).map(([name, rule]) => [
            name,
            {
              ...rule,
              give: (value: Value) => {
                const given = rule.give(value);
                return given && { from: '1970-01-01', ...given };
              },
            },
          ]),
        ),
      },
    ),
    primary(
      'transactions:listStaking',
      'data/staking_transactions',
      'p-chain',
      {},
      {
        blockchainId: blockchainId(['p'], ['x-chain', 'c-chain', ...chainIdsOf.x]),
        pageSize: pageSize(100),
        sortOrder,
        addresses: addresses(),
        ...filters(),
      },
    ),
    primary(
      'vertices:listByHeight',
      'data/vertices',
      'x-chain',
      { to: 3 },
      {
        blockchainId: blockchainId(['x'], ['p-chain', 'c-chain', ...chainIdsOf.p]),
        vertexHeight: {
          ...between('from', 0, null, { required: true }),
          give: (value) => ({ from: value, to: typeof value === 'number' ? value + 1 : value }),
        },
        pageSize: pageSize(100),
        sortOrder: ascending,
      },
      { vertexHeight: '1' },
    ),
    ofNetwork(
      'validators',
      'data/validators',
      {},
      {
        nodeIds,
        sortBy: oneOf('sortBy', ['blockIndex', 'delegationCapacity', 'timeRemaining', 'uptimePerformance']),
        validationStatus: status('validationStatus', ['completed', 'active', 'pending', 'removed']),
        minDelegationCapacity: text('minDelegationCapacity', ['0', '720000000000000000'], {
          refuses: ['-1', '720000000000000001'],
        }),
        maxDelegationCapacity: text('maxDelegationCapacity', ['0', '720000000000000000'], {
          refuses: ['-1', '720000000000000001'],
        }),
        minTimeRemaining: between('minTimeRemaining', 0, 2147483647),
        maxTimeRemaining: between('maxTimeRemaining', 0, 2147483647),
        // Any fee filter hides the validators of subnets, so that the defaults 2 and 100 show more than the same said aloud.
        minFeePercentage: between('minFeePercentage', 2, 100),
        maxFeePercentage: between('maxFeePercentage', 2, 100),
        minUptimePerformance: between('minUptimePerformance', 0, 100, { default: 90 }),
        maxUptimePerformance: between('maxUptimePerformance', 0, 100, { default: 100 }),
        subnetId: text('subnetId', [primaryNetwork]),
      },
    ),
    {
      ...ofNetwork(
        'validators/{nodeId}',
        'data/validator_details',
        { nodeIds: [names.nodeId] },
        {
          nodeId: path('nodeId', [names.nodeId], ['not a node']),
          validationStatus: status('validationStatus', ['completed', 'active', 'pending', 'removed']),
        },
      ),
      path_: { ...fuji, nodeId: names.nodeId },
    },
    {
      ...ofNetwork(
        'validators/{nodeId}/cycles',
        'data/validator_cycles',
        { nodeIds: [names.renewing] },
        { nodeId: path('nodeId', [names.renewing], ['not a node']), txHash: text('txHash', ['tx10']) },
      ),
      path_: { ...fuji, nodeId: names.renewing },
    },
    ofNetwork(
      'delegators',
      'data/delegators',
      {},
      {
        rewardAddresses: commaList('rewardAddresses', [names.owner, `P-${names.owner}`], {
          refuses: ['nobody'],
          sends: () => names.owner,
        }),
        delegationStatus: status('delegationStatus', ['completed', 'active', 'pending']),
        nodeIds,
      },
    ),
    {
      ...ofNetwork(
        'rewards:listPending',
        'data/pending_rewards',
        { nodeIds: [names.nodeId] },
        {
          addresses: addresses(),
          nodeIds,
        },
      ),
      wire: { nodeIds: names.nodeId },
    },
    {
      method: 'GET',
      path: '/v2/chains/{chainId}/metrics/{metric}',
      by: 'metrics/chain_metrics',
      base: { chainIds: [names.chainId], metrics: ['activeAddresses'], from: '2020-01-01' },
      path_: { ...onChain, metric: 'activeAddresses' },
      parameters: {
        chainId: path('chainId', [names.chainId, 'total', 'mainnet', 'testnet'], ['nowhere'], {
          give: (value) => (value === 'nowhere' ? null : { chainIds: [value] }),
        }),
        metric: path('metric', metrics, ['gasBurned']),
        timeInterval: oneOf('timeInterval', intervals, { give: (value) => ({ timeIntervals: [value] }) }),
        startTimestamp: between('from', 0, null, {
          give: (value) =>
            value === 5
              ? { timeIntervals: ['day'], from: '2026-01-20' }
              : typeof value === 'number' && value >= 0
                ? null
                : { from: String(value) },
          sends: () => Date.UTC(2026, 0, 20) / 1000 - 1,
        }),
        endTimestamp: between('to', 0, null, {
          when: 'days are read again',
          give: (value) => (value === 5 ? { timeIntervals: ['day'] } : null),
          sends: () => dayAgain.to,
        }),
        pageToken: { ...pageToken, when: 'pages are short', give: () => ({ timeIntervals: ['day'] }) },
        // Always the largest: a bucket is small.
        pageSize: { ...pageSize(2160, 100), give: (value) => (value === 2160 ? {} : null) },
      },
    },
    {
      method: 'POST',
      path: '/v1/operations/transactions:export',
      by: 'firn export start',
      base: { type: 'evm', addresses: [names.account], chains: [names.chainId] },
      body: { type: 'TRANSACTION_EXPORT_EVM', options: { addresses: [names.account], includeChains: [names.chainId] } },
      path_: {},
      parameters: {
        type: inBody('type', ['TRANSACTION_EXPORT_EVM'], ['TRANSACTION_EXPORT_ALL'], { required: true }),
        firstDate: inBody('firstDate', ['2026-01-20'], ['2026-13-01', 'soon']),
        lastDate: inBody('lastDate', ['2026-01-20'], ['2026-13-01', 'soon']),
        // Deprecated names: what is given under them is sent under the new ones.
        startDate: inBody('startDate', ['2026-01-20'], ['2026-13-01', 'soon'], { sentAs: 'firstDate' }),
        endDate: inBody('endDate', ['2026-01-20'], ['2026-13-01', 'soon'], { sentAs: 'lastDate' }),
        'options.addresses': inBody('addresses', [names.account], ['0x12'], {
          required: true,
          give: (value) => ({ addresses: [value] }),
          sends: lowerCase,
        }),
        'options.includeChains': inBody('chains', [names.chainId], [''], {
          required: true,
          give: (value) => ({ chains: value === '' ? [] : [value] }),
        }),
      },
    },
    {
      method: 'GET',
      path: '/v1/operations/{operationId}',
      by: 'firn export status',
      base: { operationId: names.operationId },
      path_: { operationId: names.operationId },
      parameters: { operationId: path('operationId', [names.operationId], [], { give: named('operationId') }) },
    },
  ];
}

/** The day that is read again where a parameter is sent only then, in Unix seconds. */
export const dayAgain = { from: Date.UTC(2026, 0, 20) / 1000, to: Date.UTC(2026, 0, 21) / 1000 };

export const intervals = ['hour', 'day', 'week', 'month'] as const;
/** Metrics that have every interval; all others have days only. */
export const everyInterval = ['activeAddresses', 'activeSenders', 'gasUsed', 'txCount'] as const;
export const metrics = [
  'activeAddresses',
  'activeSenders',
  'cumulativeTxCount',
  'cumulativeAddresses',
  'cumulativeContracts',
  'cumulativeDeployers',
  'contracts',
  'deployers',
  'gasUsed',
  'txCount',
  'avgGps',
  'maxGps',
  'avgTps',
  'maxTps',
  'avgGasPrice',
  'maxGasPrice',
  'feesPaid',
] as const;

/** Endpoints that the real service has beside the specification, and the embedded network too. */
export const beyond = [
  'GET /v1/chains/{chainId}',
  'GET /v1/networks/{network}/blockchains/{blockchainId}/utxos',
  'GET /v1/networks/{network}/blockchains/{blockchainId}/transactions/{txHash}',
  'GET /exports/{file}',
  'GET /v2/chains',
  'GET /v2/chains/{chainId}',
];
