import { z } from 'zod';
import { defineStream, FirnError, type NetworkFacts, parseBound } from '../../src/index.ts';
import {
  addressDigest,
  addressGroups,
  commaLists,
  primaryAddresses,
  splitNotes,
  urlLimits,
  withoutEvm,
} from './addresses.ts';
import { autoRenew } from './autoRenew.ts';
import { listPages } from './listPages.ts';
import { pageSize, repeated, sortOrder, timesBetween, txTypes } from './parameters.ts';
import { chainColumns, chainInfo, chainPath, primaryChains } from './primaryChain.ts';
import { primaryTransaction } from './primaryShapes.ts';
import { data, weights } from './source.ts';
import { transactionChildren } from './transactionChildren.ts';

const parameters = z.strictObject({
  blockchainIds: z
    .array(z.string())
    .min(1)
    .default(['p-chain'])
    .describe('p-chain or its id: staking is on the P-Chain only.'),
  addresses: primaryAddresses.optional(),
  txTypes: txTypes.optional().describe('Only these types; needs addresses.'),
  from: z.string().optional().describe('Only transactions from this date on; needs addresses.'),
  to: z.string().optional().describe('Only transactions before this date; needs addresses.'),
  sortOrder,
  pageSize: pageSize(100),
});

/** Staking that is active now. */
export const stakingTransactions = defineStream(data, {
  name: 'staking_transactions',
  description: 'Staking transactions that are active, with their history: one that ends leaves the list.',
  endpoint: 'GET /v1/networks/{network}/blockchains/{blockchainId}/transactions:listStaking',
  parameters,
  partitionColumns: chainColumns('p-chain'),
  partitions: partitionsOf,
  // Members that only transactions of the X- and C-Chain have.
  schema: primaryTransaction.omit({ vertices: true, evmInputs: true, evmOutputs: true }).extend({ autoRenew }),
  key: ['network', 'blockchain', 'tx_hash'],
  children: transactionChildren('staking_transactions', ', with their history'),
  way: 'snapshot',
  *pages({ values, filters, settings }) {
    const { groups, query } = settings;
    const { txTypes, startTimestamp: start, endTimestamp: end } = filters;
    const path = `${chainPath(values)}/transactions:listStaking`;
    for (const addresses of commaLists(groups.length > 0 ? groups : undefined)) {
      const asked = { addresses, txTypes: repeated(txTypes), ...timesBetween(start, end), ...query };
      yield* listPages(path, asked, weights.extraLarge, (page) => page.within('block_timestamp', start, end));
    }
  },
  records: { at: 'transactions', each: 'item', says: chainInfo },
});

function partitionsOf(given: z.infer<typeof parameters>, network: NetworkFacts) {
  const { txTypes, sortOrder, pageSize } = given;
  const groups = given.addresses ? withoutEvm(addressGroups(given.addresses, network)) : [];
  const [startTimestamp, endTimestamp] = [timeOf('from', given.from), timeOf('to', given.to)];
  if (given.addresses && groups.length === 0) throw wrong('0x addresses do not stake. Write P-Chain addresses.');
  if (groups.length === 0 && (txTypes || startTimestamp !== undefined || endTimestamp !== undefined))
    throw wrong('txTypes, from and to need addresses: the service filters only their transactions.');
  const settings = { groups, query: { sortOrder, pageSize } };
  return primaryChains(network, given.blockchainIds, ['p-chain']).map((blockchain) => ({
    values: { network: network.network, blockchain },
    filters: {
      ...(groups.length > 0 && { addresses: addressDigest(groups) }),
      ...(txTypes && { txTypes: [...txTypes].sort().join(',') }),
      ...(startTimestamp !== undefined && { startTimestamp }),
      ...(endTimestamp !== undefined && { endTimestamp }),
    },
    lists: ['addresses'],
    settings,
    notes: splitNotes(groups, urlLimits),
  }));
}

function timeOf(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const bound = parseBound(value);
  if ('time' in bound) return bound.time;
  throw wrong(`"${name}" must be a date here, such as 2026-01-20.`);
}

const wrong = (rule: string) => new FirnError('config', `data/staking_transactions: ${rule}`);
