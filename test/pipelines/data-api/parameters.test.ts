import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { timesBetween } from '../../../pipelines/data-api/parameters.ts';
import { catalogue } from '../../../pipelines/index.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import type { Request } from '../../../src/core/requests/request.ts';
import type { NetworkFacts } from '../../../src/core/stream/network.ts';
import { type Partition, partitionKey } from '../../../src/core/stream/partition.ts';
import type { PagedStream, Stream } from '../../../src/core/stream/stream.ts';
import { toBech32 } from '../../../src/decode/bytes/address.ts';
import { drivePages } from '../../run/read/drivePages.ts';

const xId = '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm';
const pId = '11111111111111111111111111111111LpoYY';
const fuji: NetworkFacts = {
  networkId: 5,
  network: 'fuji',
  hrp: 'fuji',
  chains: [
    {
      chainId: '43113',
      name: 'C-Chain',
      blockchainId: 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp',
      alias: 'C',
      vm: 'evm',
      genesisHash: null,
    },
    { chainId: xId, name: 'X-Chain', blockchainId: xId, alias: 'X', vm: 'avm', genesisHash: null },
    { chainId: '99001', name: 'L1', blockchainId: '2GYL1', alias: '2GYL1', vm: 'evm', genesisHash: null },
  ],
};
const mainnet: NetworkFacts = { networkId: 1, network: 'mainnet', hrp: 'avax', chains: [] };
const alice = 'fuji1wdel5tqgak75mznvdjftz95xrmgtx4xzz2jv02';
const bob = 'fuji1utacgpu8arf7sq0vdfh0zk0pukgfk8nyfxsh2k';
const evm = `0x${'a'.repeat(40)}`;

function streamOf(id: string): Stream {
  const stream = catalogue.find((candidate) => candidate.id === id);
  if (!stream) throw new Error(`no stream ${id}`);
  return stream;
}

function partitionsOf(id: string, parameters: object, network = fuji): readonly Partition[] {
  const stream = streamOf(id);
  return stream.partitions((stream.parameters as z.ZodType).parse(parameters) as never, network);
}

/** The first request of a partition; `positions` are what was read of it before. */
function firstRequest(id: string, parameters: object, position: object | null = null, network = fuji): Request {
  const stream = streamOf(id);
  const [partition] = partitionsOf(id, parameters, network);
  if (!partition) throw new Error('no partition');
  if (stream.way === 'lookup') return stream.request('0xabc', partition);
  if (stream.way === 'range') throw new Error('no range here');
  const pages = stream.pages(partition, { position: position as never, now: 0 }, stream.state?.());
  const { value } = pages.next();
  if (!value || value.kind === 'advance' || value.kind === 'read') throw new Error('no request');
  return value;
}

/** What a parameter is refused with, by its schema or by the stream. */
function refusal(id: string, parameters: object, network = fuji): string {
  const stream = streamOf(id);
  const parsed = (stream.parameters as z.ZodType).safeParse(parameters);
  if (!parsed.success)
    return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  try {
    stream.partitions(parsed.data as never, network);
  } catch (error) {
    if (error instanceof FirnError && error.code === 'config') return error.message;
    throw error;
  }
  return 'accepted';
}

describe('rules', () => {
  test.each<[string, object, RegExp]>([
    ['data/chains', { feature: 'flying' }, /nftIndexing/],
    ['data/chains', { network: 'fuji' }, /[Uu]nrecognized/],
    ['data/latest_transactions', {}, /chainIds/],
    ['data/latest_transactions', { chainIds: [] }, /chainIds/],
    ['data/latest_transactions', { chainIds: ['43113'], status: 'maybe' }, /status: .*failed.*success/],
    ['data/latest_transactions', { chainIds: ['43113'], from: 'soon' }, /neither a height, a date/],
    ['data/latest_transactions', { chainIds: ['43113'], pageSize: 0 }, /pageSize: pageSize is 1..100 here/],
    ['data/latest_transactions', { chainIds: ['43113'], pageSize: 101 }, /pageSize is 1..100 here/],
    ['data/latest_transactions', { chainIds: ['43113'], pageSize: 1.5 }, /pageSize/],
    ['data/latest_transactions', { chainIds: ['nowhere'] }, /"nowhere" is neither an EVM chain id/],
    ['data/latest_transactions', { chainIds: ['X'] }, /"X" is neither an EVM chain id/],
    ['data/latest_transactions', { chainIds: ['constructor'] }, /"constructor" is neither an EVM chain id/],
    ['data/primary_transactions', { blockchainIds: ['constructor'] }, /constructor/],
    ['data/address_transactions', { chainIds: ['43113'], addresses: ['0x12'] }, /"0x12" is not an EVM address/],
    ['data/address_transactions', { chainIds: ['43113'], addresses: [alice] }, /is not an EVM address/],
    ['data/address_transactions', { chainIds: ['43113'], addresses: [evm], to: '2026-01-01' }, /to: /],
    ['data/address_erc721_transfers', { chainIds: ['43113'], addresses: [evm], sortOrder: 'asc' }, /sortOrder/],
    ['data/address_internal_transactions', { chainIds: ['43113'], addresses: [evm], sortOrder: 'asc' }, /sortOrder/],
    ['data/token_transfers', { chainIds: ['43113'], addresses: [evm], pageSize: 101 }, /pageSize is 1..100 here/],
    [
      'data/transaction_details',
      { chainIds: ['43113'], txHashes: ['0x12'] },
      /a transaction hash is 0x and 64 hex digits/,
    ],
    ['data/collectible_balances', { chainIds: ['43113'], addresses: [evm], pageSize: 501 }, /pageSize is 1..500 here/],
    [
      'data/collectible_balances',
      { chainIds: ['43113'], addresses: [evm], contractAddress: 'x' },
      /"x" is not an EVM address/,
    ],
    ['data/nft_tokens', { chainIds: ['43113'], addresses: [evm], pageSize: 101 }, /pageSize is 1..100 here/],
    ['data/utxos', {}, /addresses/],
    ['data/utxos', { addresses: ['nobody'] }, /"nobody" is neither a Primary Network address/],
    ['data/utxos', { addresses: [' , '] }, /list of addresses is empty/],
    ['data/utxos', { addresses: [evm] }, /0x addresses have no UTXOs/],
    ['data/pending_rewards', { addresses: [evm] }, /addresses: 0x addresses do not stake/],
    ['data/delegators', { rewardAddresses: [evm] }, /rewardAddresses: 0x addresses do not stake/],
    ['data/utxos', { addresses: [alice], pageSize: 1025 }, /pageSize is 1..1024 here/],
    ['data/utxos', { addresses: [alice], minUtxoAmount: -1 }, /minUtxoAmount is 0 or more/],
    ['data/utxos', { addresses: [alice], minUtxoAmount: '-1' }, /minUtxoAmount is 0 or more/],
    ['data/utxos', { addresses: [alice], sortBy: 'blockIndex' }, /timestamp.*amount/],
    [
      'data/utxos',
      { addresses: [alice], assetId: 'a', blockchainIds: ['p-chain'] },
      /assetId filters on the x-chain only, not on the p-chain/,
    ],
    ['data/utxos', { addresses: [alice], blockchainIds: ['q-chain'] }, /"q-chain" is not a Primary Network chain/],
    ['data/primary_transactions', { txTypes: ['BaseTx'] }, /txTypes needs addresses or l1ValidationId/],
    ['data/primary_transactions', { to: '2026-01-01' }, /to needs addresses or l1ValidationId/],
    ['data/primary_transactions', { addresses: [alice], txTypes: ['BaseTx,ImportTx'] }, /a type is one word/],
    ['data/primary_transactions', { addresses: [alice], from: 5 }, /"from" must be a date or an age here/],
    ['data/primary_transactions', { addresses: [alice], to: '-5d' }, /"to" must be a date here/],
    [
      'data/primary_transactions',
      { l1ValidationId: 'v', blockchainIds: ['x-chain'] },
      /l1ValidationId is known on the p-chain only/,
    ],
    [
      'data/primary_transactions',
      { addresses: [evm], blockchainIds: ['p-chain'] },
      /0x addresses have atomic transactions on the c-chain only/,
    ],
    ['data/primary_transactions', { pageSize: 101 }, /pageSize is 1..100 here/],
    [
      'data/staking_transactions',
      { blockchainIds: ['x-chain'] },
      /x-chain is the x-chain, which this endpoint does not serve; it takes p-chain/,
    ],
    ['data/staking_transactions', { txTypes: ['AddValidatorTx'] }, /need addresses/],
    ['data/staking_transactions', { from: '2026-01-01' }, /need addresses/],
    ['data/staking_transactions', { to: '1970-01-01' }, /need addresses/],
    ['data/staking_transactions', { addresses: [alice], to: '5' }, /"to" must be a date here/],
    ['data/staking_transactions', { addresses: [evm] }, /0x addresses do not stake/],
    ['data/vertices', {}, /to: /],
    ['data/vertices', { to: 5, from: -1 }, /a height is 0 or more/],
    ['data/vertices', { to: 5, blockchainIds: ['p-chain'] }, /it takes x-chain/],
    ['data/validators', { minUptimePerformance: 101 }, /minUptimePerformance is 0..100/],
    ['data/validators', { maxUptimePerformance: -1 }, /maxUptimePerformance is 0..100/],
    ['data/validators', { minFeePercentage: 1 }, /minFeePercentage is 2..100/],
    ['data/validators', { maxFeePercentage: 101 }, /maxFeePercentage is 2..100/],
    ['data/validators', { minTimeRemaining: 2147483648 }, /minTimeRemaining is 0..2147483647/],
    ['data/validators', { maxTimeRemaining: -1 }, /maxTimeRemaining is 0..2147483647/],
    ['data/validators', { minDelegationCapacity: '-1' }, /minDelegationCapacity is 0..720000000000000000 nAVAX/],
    [
      'data/validators',
      { maxDelegationCapacity: '720000000000000001' },
      /maxDelegationCapacity is 0..720000000000000000 nAVAX/,
    ],
    ['data/validators', { validationStatus: 'gone' }, /validationStatus/],
    ['data/validators', { sortBy: 'amount' }, /sortBy/],
    [
      'data/validators',
      { sortBy: 'delegationFee', subnetId: pId },
      /sortBy delegationFee needs mainnet and subnetId 1+LpoYY/,
    ],
    ['data/validators', { nodeIds: ['not a node'] }, /a node id looks like NodeID-/],
    ['data/validator_details', {}, /nodeIds/],
    ['data/validator_details', { nodeIds: ['7Xhw'] }, /a node id looks like NodeID-/],
    ['data/validator_details', { nodeIds: ['NodeID-a,NodeID-b'] }, /a node id looks like NodeID-/],
    ['data/validator_cycles', {}, /nodeIds/],
    ['data/delegators', { delegationStatus: 'removed' }, /delegationStatus/],
    ['data/delegators', { rewardAddresses: ['x'] }, /"x" is neither/],
    ['data/pending_rewards', {}, /by addresses or nodeIds only/],
    ['data/pending_rewards', { nodeIds: ['NodeID-a'], pageSize: 0 }, /pageSize is 1..100 here/],
  ])('%s refuses %j', (id, parameters, rule) => {
    expect(refusal(id, parameters)).toMatch(rule);
  });

  test('delegationFee sorts on mainnet with the Primary Network as subnet only', () => {
    expect(refusal('data/validators', { sortBy: 'delegationFee', subnetId: pId }, mainnet)).toBe('accepted');
    expect(refusal('data/validators', { sortBy: 'delegationFee' }, mainnet)).toMatch(/needs mainnet and subnetId/);
  });
});

describe('first requests', () => {
  const time = Date.UTC(2026, 0, 20) / 1000;

  test.each<[string, object, object | null, object]>([
    ['data/chains', {}, null, { kind: 'get', path: '/v1/chains', query: { network: 'fuji' }, weight: 1 }],
    ['data/chains', { feature: 'teleporter' }, null, { query: { network: 'fuji', feature: 'teleporter' } }],
    [
      'data/latest_transactions',
      { chainIds: ['43113'] },
      null,
      { path: '/v1/chains/43113/transactions', query: { pageSize: 100 }, weight: 20 },
    ],
    [
      'data/latest_transactions',
      { chainIds: ['C'], status: 'failed', pageSize: 7 },
      null,
      { path: '/v1/chains/43113/transactions', query: { status: 'failed', pageSize: 7 } },
    ],
    ['data/latest_transactions', { chainIds: ['2GYL1'] }, null, { path: '/v1/chains/99001/transactions' }],
    [
      'data/address_transactions',
      { chainIds: ['43113'], addresses: [evm.toUpperCase().replace('0X', '0x')] },
      null,
      {
        path: `/v1/chains/43113/addresses/${evm}/transactions`,
        query: { sortOrder: 'asc', pageSize: 100 },
        weight: 20,
      },
    ],
    [
      'data/address_transactions',
      { chainIds: ['43113'], addresses: [evm], from: 5, to: 9 },
      null,
      { query: { startBlock: 5, endBlock: 9, sortOrder: 'asc', pageSize: 100 } },
    ],
    [
      'data/address_transactions',
      { chainIds: ['43113'], addresses: [evm], to: 9 },
      null,
      { query: { endBlock: 9, sortOrder: 'asc', pageSize: 100 } },
    ],
    [
      'data/address_transactions',
      { chainIds: ['43113'], addresses: [evm], from: 5 },
      { next: 8 },
      { query: { startBlock: 8, sortOrder: 'asc', pageSize: 100 } },
    ],
    [
      'data/address_transactions',
      { chainIds: ['43113'], addresses: [evm], from: '2026-01-20' },
      null,
      { query: { sortOrder: 'desc', pageSize: 1 } },
    ],
    [
      'data/address_erc721_transfers',
      { chainIds: ['43113'], addresses: [evm], from: 5, to: 9 },
      null,
      {
        path: `/v1/chains/43113/addresses/${evm}/transactions:listErc721`,
        query: { startBlock: 5, endBlock: 9, pageSize: 100 },
        weight: 20,
      },
    ],
    [
      'data/address_internal_transactions',
      { chainIds: ['43113'], addresses: [evm] },
      { next: 3 },
      {
        path: `/v1/chains/43113/addresses/${evm}/transactions:listInternals`,
        query: { startBlock: 3, pageSize: 100 },
        weight: 20,
      },
    ],
    [
      'data/token_transfers',
      { chainIds: ['43113'], addresses: [evm] },
      null,
      { path: `/v1/chains/43113/tokens/${evm}/transfers`, query: { pageSize: 100 }, weight: 20 },
    ],
    [
      'data/transaction_details',
      { chainIds: ['43113'] },
      null,
      { path: '/v1/chains/43113/transactions/0xabc', weight: 20 },
    ],
    [
      'data/collectible_balances',
      { chainIds: ['43113'], addresses: [evm], contractAddress: evm },
      null,
      {
        path: `/v1/chains/43113/addresses/${evm}/balances:listCollectibles`,
        query: { contractAddress: evm, pageSize: 500 },
        weight: 20,
      },
    ],
    [
      'data/nft_tokens',
      { chainIds: ['43113'], addresses: [evm] },
      null,
      { path: `/v1/chains/43113/nfts/collections/${evm}/tokens`, query: { pageSize: 100 }, weight: 20 },
    ],
    [
      'data/utxos',
      {
        blockchainIds: ['X'],
        addresses: [`X-${alice}`, `P-${bob},${alice}`, evm],
        assetId: 'a',
        minUtxoAmount: 5,
        includeSpent: true,
        sortBy: 'amount',
        sortOrder: 'asc',
      },
      null,
      {
        kind: 'post',
        path: '/v1/networks/fuji/blockchains/x-chain/utxos',
        query: {
          assetId: 'a',
          minUtxoAmount: '5',
          includeSpent: true,
          sortBy: 'amount',
          sortOrder: 'asc',
          pageSize: 1024,
        },
        body: { addresses: `${alice},${bob}` },
        weight: 100,
      },
    ],
    [
      'data/primary_transactions',
      { blockchainIds: [pId] },
      null,
      { path: '/v1/networks/fuji/blockchains/p-chain/transactions', query: { pageSize: 100 }, weight: 100 },
    ],
    [
      'data/primary_transactions',
      {
        blockchainIds: ['c-chain'],
        addresses: [evm, alice],
        txTypes: ['ImportTx', 'ExportTx'],
        from: '2026-01-20',
        to: '2026-01-21',
      },
      null,
      {
        path: '/v1/networks/fuji/blockchains/c-chain/transactions',
        query: {
          addresses: `${evm},${alice}`,
          txTypes: ['ExportTx', 'ImportTx'],
          startTimestamp: time - 1,
          endTimestamp: time + 86400,
          sortOrder: 'asc',
          pageSize: 100,
        },
      },
    ],
    [
      'data/primary_transactions',
      { l1ValidationId: 'v' },
      null,
      {
        path: '/v1/networks/fuji/blockchains/p-chain/transactions',
        query: { l1ValidationId: 'v', sortOrder: 'asc', pageSize: 100 },
      },
    ],
    ['data/primary_transactions', { addresses: [alice], from: '-30d' }, null, { query: { pageSize: 10 } }],
    [
      'data/staking_transactions',
      { addresses: [alice], txTypes: ['AddValidatorTx'], from: '2026-01-20', to: '2026-01-21' },
      null,
      {
        path: '/v1/networks/fuji/blockchains/p-chain/transactions:listStaking',
        query: {
          addresses: alice,
          txTypes: ['AddValidatorTx'],
          startTimestamp: time - 1,
          endTimestamp: time + 86400,
          pageSize: 100,
        },
        weight: 100,
      },
    ],
    [
      'data/vertices',
      { from: 3, to: 5 },
      null,
      {
        path: '/v1/networks/fuji/blockchains/x-chain/vertices:listByHeight',
        query: { vertexHeight: 3, sortOrder: 'asc', pageSize: 100 },
        weight: 20,
      },
    ],
    ['data/vertices', { to: 5 }, { next: 4 }, { query: { vertexHeight: 4, sortOrder: 'asc', pageSize: 100 } }],
    [
      'data/validators',
      {},
      null,
      { path: '/v1/networks/fuji/validators', query: { minUptimePerformance: 0, pageSize: 100 }, weight: 20 },
    ],
    [
      'data/validators',
      {
        nodeIds: ['NodeID-a,NodeID-b'],
        validationStatus: 'active',
        subnetId: pId,
        minDelegationCapacity: 5,
        maxTimeRemaining: 9,
        minFeePercentage: 2,
        sortBy: 'timeRemaining',
        sortOrder: 'desc',
      },
      null,
      {
        query: {
          nodeIds: 'NodeID-a,NodeID-b',
          validationStatus: 'active',
          subnetId: pId,
          minDelegationCapacity: '5',
          maxTimeRemaining: 9,
          minFeePercentage: 2,
          minUptimePerformance: 0,
          sortBy: 'timeRemaining',
          sortOrder: 'desc',
          pageSize: 100,
        },
      },
    ],
    [
      'data/validator_details',
      { nodeIds: ['NodeID-a'], validationStatus: 'completed', sortOrder: 'asc' },
      null,
      {
        path: '/v1/networks/fuji/validators/NodeID-a',
        query: { validationStatus: 'completed', sortOrder: 'asc', pageSize: 100 },
        weight: 20,
      },
    ],
    [
      'data/validator_cycles',
      { nodeIds: ['NodeID-a'], txHash: 'x', sortOrder: 'asc' },
      null,
      {
        path: '/v1/networks/fuji/validators/NodeID-a/cycles',
        query: { txHash: 'x', sortOrder: 'asc', pageSize: 100 },
        weight: 20,
      },
    ],
    [
      'data/delegators',
      { rewardAddresses: [`P-${alice}`], nodeIds: ['NodeID-a'], delegationStatus: 'pending' },
      null,
      {
        path: '/v1/networks/fuji/delegators',
        query: { rewardAddresses: alice, nodeIds: 'NodeID-a', delegationStatus: 'pending', pageSize: 100 },
        weight: 20,
      },
    ],
    [
      'data/pending_rewards',
      { addresses: [alice] },
      null,
      { path: '/v1/networks/fuji/rewards:listPending', query: { addresses: alice, pageSize: 100 }, weight: 100 },
    ],
  ])('%s %j from %j', (id, parameters, position, wanted) => {
    const { keep: _, ...request } = { keep: undefined, ...firstRequest(id, parameters, position) };
    const query =
      'query' in request && request.query
        ? Object.entries(request.query).filter(([, value]) => value !== undefined)
        : [];
    const found: Record<string, unknown> = { ...request, query: Object.fromEntries(query) };
    const shown = Object.fromEntries(Object.keys(wanted).map((member) => [member, found[member]]));
    expect(shown).toEqual(wanted);
  });
});

describe('partitions', () => {
  const keys = (id: string, parameters: object) => partitionsOf(id, parameters).map(partitionKey);

  test('every combination is one, however a chain is named', () => {
    expect(keys('data/latest_transactions', { chainIds: ['C', '99001', 43113] })).toEqual([
      'chain_id=43113',
      'chain_id=99001',
    ]);
    expect(keys('data/primary_transactions', { blockchainIds: ['X', 'x-chain', xId] })).toEqual([
      'blockchain=x-chain,network=fuji',
    ]);
    expect(keys('data/primary_transactions', {})).toHaveLength(3);
    expect(
      keys('data/address_transactions', {
        chainIds: ['43113', '99001'],
        addresses: [evm, `${evm},0x${'b'.repeat(40)}`],
      }),
    ).toHaveLength(4);
  });

  test('filters make another one, the order of addresses and page sizes do not', () => {
    const key = (parameters: object) => keys('data/utxos', { blockchainIds: ['p-chain'], ...parameters })[0];
    expect(key({ addresses: [alice, bob] })).toBe(key({ addresses: [`P-${bob}`, alice.toUpperCase()], pageSize: 5 }));
    expect(key({ addresses: [alice] })).not.toBe(key({ addresses: [bob] }));
    expect(key({ addresses: [alice] })).not.toBe(key({ addresses: [alice], includeSpent: true }));
    const history = (parameters: object) =>
      partitionsOf('data/address_transactions', { chainIds: ['43113'], addresses: [evm], ...parameters })[0];
    expect(history({ to: 9 })?.filters).toEqual({ to: 9 });
    expect(history({ from: 9 })?.filters).toBeUndefined();
    // The first height that is not read may be the first one of all.
    expect(history({ to: 0 })?.settings).toMatchObject({ to: 0 });
  });

  // Rows that another selection does not show would be closed.
  test.each<[string, object, readonly object[], readonly object[]]>([
    [
      'data/utxos',
      { blockchainIds: ['x-chain'], addresses: [alice] },
      [{ sortBy: 'amount' }, { sortOrder: 'asc' }, { pageSize: 5 }],
      [{ addresses: [bob] }, { includeSpent: true }, { assetId: 'a' }, { minUtxoAmount: 0 }, { minUtxoAmount: 7 }],
    ],
    [
      'data/validators',
      { nodeIds: ['NodeID-a', 'NodeID-b'] },
      [{ nodeIds: ['NodeID-b', 'NodeID-a'] }, { sortBy: 'blockIndex' }, { pageSize: 5 }],
      [
        { nodeIds: ['NodeID-a'] },
        { nodeIds: undefined },
        { subnetId: 's' },
        { validationStatus: 'active' },
        { minDelegationCapacity: 1 },
        { maxTimeRemaining: 1 },
        { minFeePercentage: 2 },
        { minUptimePerformance: 90 },
      ],
    ],
    [
      'data/validator_details',
      { nodeIds: ['NodeID-a'] },
      [{ nodeIds: ['NodeID-a', 'NodeID-a'] }, { sortOrder: 'asc' }, { pageSize: 5 }],
      [{ nodeIds: ['NodeID-b'] }, { validationStatus: 'active' }],
    ],
    [
      'data/validator_cycles',
      { nodeIds: ['NodeID-a'] },
      [{ nodeIds: ['NodeID-a', 'NodeID-a'] }, { sortOrder: 'asc' }],
      [{ nodeIds: ['NodeID-b'] }, { txHash: 'x' }],
    ],
    [
      'data/delegators',
      { rewardAddresses: [alice], nodeIds: ['NodeID-a'] },
      [{ sortOrder: 'asc' }, { pageSize: 5 }],
      [
        { rewardAddresses: [bob] },
        { rewardAddresses: undefined },
        { nodeIds: ['NodeID-b'] },
        { nodeIds: undefined },
        { delegationStatus: 'active' },
      ],
    ],
    [
      'data/staking_transactions',
      { addresses: [alice, bob], txTypes: ['BaseTx', 'ImportTx'] },
      [{ addresses: [bob, alice] }, { txTypes: ['ImportTx', 'BaseTx'] }, { sortOrder: 'asc' }, { pageSize: 5 }],
      [
        { addresses: [bob] },
        { txTypes: ['BaseTx'] },
        { txTypes: undefined },
        { from: '2026-01-01' },
        { to: '1970-01-01' },
      ],
    ],
    [
      'data/collectible_balances',
      { chainIds: ['43113'], addresses: [evm] },
      [{ chainIds: ['C'] }, { pageSize: 5 }],
      [{ chainIds: ['99001'] }, { addresses: [`0x${'b'.repeat(40)}`] }, { contractAddress: evm }],
    ],
    ['data/vertices', { to: 9 }, [{ to: 5 }, { pageSize: 5 }], [{ from: 3 }]],
    [
      'data/pending_rewards',
      { addresses: [alice], nodeIds: ['NodeID-a'] },
      [{ sortOrder: 'asc' }, { pageSize: 5 }],
      [{ addresses: [bob] }, { addresses: undefined }, { nodeIds: ['NodeID-b'] }, { nodeIds: undefined }],
    ],
  ])('%s of %j is another one where it shows something else', (id, given, alike, others) => {
    const key = (changes: object = {}) => keys(id, { ...given, ...changes }).join();
    expect(alike.map(key)).toEqual(alike.map(() => key()));
    expect(new Set([key(), ...others.map(key)]).size).toBe(others.length + 1);
  });

  test.each<[string, object, readonly string[]]>([
    ['data/utxos', { addresses: [alice] }, ['addresses']],
    ['data/validators', { nodeIds: ['NodeID-a'] }, ['nodeIds']],
    ['data/delegators', {}, ['rewardAddresses', 'nodeIds']],
    ['data/pending_rewards', { addresses: [alice] }, ['addresses', 'nodeIds']],
    ['data/staking_transactions', { addresses: [alice] }, ['addresses']],
    ['node/platform_validators', {}, ['nodeIds']],
    ['node/l1_validators', { blockchainIds: ['C'] }, ['nodeIds']],
  ])('%s of %j says which filters are lists: where one grew, its rows stay', (id, given, lists) => {
    expect(partitionsOf(id, given)[0]?.lists).toEqual(lists);
  });

  test('UTXOs of an asset are those of the X-Chain', () => {
    const [key, ...others] = keys('data/utxos', { addresses: [alice], assetId: 'a' });
    expect([key, others]).toEqual([expect.stringContaining('blockchain=x-chain'), []]);
  });

  test('an address history keeps one checkpoint for all addresses, so that a new one is read alone', () => {
    const key = (addresses: string[]) =>
      keys('data/primary_transactions', { blockchainIds: ['p-chain'], addresses })[0];
    expect(key([alice])).toBe(key([alice, bob]));
    expect(key([alice])).not.toBe(keys('data/primary_transactions', { blockchainIds: ['p-chain'] })[0]);
    const ending = { blockchainIds: ['p-chain'], addresses: [alice], to: '2026-01-20' };
    expect(keys('data/primary_transactions', ending)[0]).not.toBe(key([alice]));
  });

  test.each<[object, string | undefined]>([
    [{}, '-24h'],
    [{ from: 7 }, '7'],
    [{ addresses: [alice] }, undefined],
    [{ addresses: [alice], from: '-30d' }, '-30d'],
  ])('transactions of %j begin at %s', (given, begin) => {
    const [partition] = partitionsOf('data/primary_transactions', { blockchainIds: ['p-chain'], ...given });
    expect(partition?.from).toBe(begin);
  });

  test('0x addresses are asked for on the C-Chain alone', () => {
    expect(keys('data/primary_transactions', { addresses: [evm] })).toEqual([
      'blockchain=c-chain,by=addresses,network=fuji',
    ]);
  });

  test('lists that the limits split are noted for plan', () => {
    const many = Array.from({ length: 70 }, (_, i) => toBech32(new Uint8Array(20).fill(i), 'fuji'));
    const [split] = partitionsOf('data/primary_transactions', { blockchainIds: ['p-chain'], addresses: many });
    expect(split?.notes).toEqual(['70 addresses take 2 requests (at most 64 addresses each)']);
    expect(partitionsOf('data/staking_transactions', { addresses: many })[0]?.notes).toEqual(split?.notes);
    const [whole] = partitionsOf('data/utxos', { blockchainIds: ['p-chain'], addresses: many });
    expect(whole?.notes).toEqual([]);
    const nodeIds = Array.from({ length: 70 }, (_, i) => `NodeID-${i}`);
    const nodes = '70 node ids take 2 requests (at most 64 node ids each)';
    expect(partitionsOf('data/validators', { nodeIds })[0]?.notes).toEqual([nodes]);
    expect(partitionsOf('data/pending_rewards', { addresses: many, nodeIds: ['NodeID-a'] })[0]?.notes).toEqual(
      split?.notes,
    );
    expect(partitionsOf('data/pending_rewards', { addresses: [...many, evm], nodeIds })[0]?.notes).toEqual([
      split?.notes?.[0],
      nodes,
      'each list of addresses is asked for with each list of node ids: 4 requests',
    ]);
  });

  const addresses = Array.from({ length: 1100 }, (_, i) => toBech32(Buffer.from(String(i).padStart(20)), 'fuji'));
  const nodeIds = Array.from({ length: 70 }, (_, i) => `NodeID-${i}`);
  test.each<[string, { [name: string]: readonly string[] }]>([
    ['data/validators', { nodeIds }],
    ['data/delegators', { rewardAddresses: addresses.slice(0, 70), nodeIds }],
    ['data/pending_rewards', { addresses: addresses.slice(0, 70), nodeIds }],
    ['data/staking_transactions', { addresses: addresses.slice(0, 70) }],
    ['data/utxos', { blockchainIds: ['p-chain'], addresses }],
  ])('%s asks for all of a list that the limits split, with all of the other', async (id, parameters) => {
    const stream = streamOf(id) as PagedStream;
    const [partition] = partitionsOf(id, parameters) as [Partition];
    const asked: string[] = [];
    const empty = { validators: [], delegators: [], pendingRewards: [], transactions: [], utxos: [] };
    await drivePages(
      stream,
      partition,
      stream.pages(partition, { position: null, now: 0 }, undefined),
      async (request) => {
        const { addresses, rewardAddresses, nodeIds } = {
          ...('query' in request && request.query),
          ...('body' in request && (request.body as object)),
        } as Partial<Record<string, string>>;
        for (const owner of (addresses ?? rewardAddresses ?? 'all').split(','))
          for (const node of (nodeIds ?? 'all').split(',')) asked.push(`${owner} ${node}`);
        return { body: empty, fetchedAt: 0, bytes: 0 };
      },
    );
    const owners = parameters['addresses'] ?? parameters['rewardAddresses'] ?? ['all'];
    const nodes = parameters['nodeIds'] ?? ['all'];
    expect(asked.toSorted()).toEqual(owners.flatMap((owner) => nodes.map((node) => `${owner} ${node}`)).toSorted());
  });
});

test.each([
  [undefined, undefined, {}],
  [-5, null, {}],
  [0, 0, { endTimestamp: 0 }],
  [1, 2, { startTimestamp: 0, endTimestamp: 2 }],
])('the times from %s to %s are asked for by times that there are', (start, end, wanted) => {
  expect(timesBetween(start, end)).toEqual(wanted);
});
