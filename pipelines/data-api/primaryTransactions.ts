import { z } from 'zod';
import {
  type Between,
  type BetweenPosition,
  type Bound,
  backfilled,
  defineStream,
  FirnError,
  type Looking,
  type LooksBack,
  look,
  looksBackBy,
  looksBackBySets,
  type NetworkFacts,
  type NewestFirst,
  type NewestFirstPosition,
  type Pages,
  type Partition,
  type PartitionWith,
  type Position,
  parseBound,
  type Request,
  readAscending,
  readBetween,
  readNewestFirst,
  readSets,
  type SetsPosition,
  setsBegun,
  type Window,
  wrongAnswer,
} from '../../src/index.ts';
import {
  type AddressGroup,
  addressGroups,
  packGroups,
  primaryAddresses,
  splitNotes,
  urlLimits,
  withoutEvm,
} from './addresses.ts';
import { primaryRows } from './chainsOfRows.ts';
import { bound, pageSize, repeated, timesBetween, txTypes } from './parameters.ts';
import { allPrimaryChains, chainColumns, chainInfo, chainPath, primaryChains } from './primaryChain.ts';
import { primaryTransaction } from './primaryShapes.ts';
import { data, weights } from './source.ts';
import { otherChildren, transactionChildren } from './transactionChildren.ts';

const parameters = z.strictObject({
  blockchainIds: z
    .array(z.string())
    .min(1)
    .optional()
    .describe('p-chain, x-chain, c-chain or their ids; all three if omitted (the P-Chain with l1ValidationId).'),
  addresses: primaryAddresses
    .optional()
    .describe('Addresses with or without X- or P- in front, 0x for the C-Chain; "a,b" keeps a and b in one request.'),
  l1ValidationId: z.string().min(1).optional().describe('All transactions of one L1 validation (P-Chain only).'),
  txTypes: txTypes.optional().describe('Only these types, such as AddValidatorTx; needs addresses or l1ValidationId.'),
  from: bound(
    'Where history begins. With addresses or l1ValidationId: a date or an age, the beginning if omitted. ' +
      'Without: where the first read stops, also a height; -24h if omitted.',
  ).optional(),
  to: bound('First moment that is not read, a date; needs addresses or l1ValidationId.').optional(),
  pageSize: pageSize(100),
});

interface Settings {
  readonly from: Bound;
  readonly to: number | null;
  readonly pageSize: number;
  readonly groups: readonly AddressGroup[] | null;
}

type ChainPartition = PartitionWith<Settings>;

const path = ({ values }: Partition) => `${chainPath(values)}/transactions`;
/** Column by which the history of addresses is read. */
const time = 'block_timestamp';

const latestBack = looksBackBy<NewestFirstPosition & SetsPosition>(time, 'cursor');
const setsBack = looksBackBySets(time);
/** The latest have one cursor, histories one for each set of addresses. */
const looksBack: LooksBack<NewestFirstPosition & SetsPosition> = {
  cursor: time,
  moved: (position, to) => setsBack.moved(latestBack.moved(position, to), to),
  notBelow: (reached, checkpoint) => (checkpoint.sets ? setsBack : latestBack).notBelow(reached, checkpoint),
};

/** Primary Network transactions: the latest of a chain, or the whole history of addresses or of an L1 validation. */
export const primaryTransactions = defineStream(data, {
  name: 'primary_transactions',
  description:
    'Transactions of the P-, X- and C-Chain (atomic ones), latest or by address, as they stood when they were read: ' +
    'what becomes of their outputs is in utxos.',
  endpoint: 'GET /v1/networks/{network}/blockchains/{blockchainId}/transactions',
  parameters,
  partitionColumns: chainColumns('p-chain, x-chain or c-chain'),
  partitions: partitionsOf,
  schema: primaryTransaction,
  key: ['network', 'blockchain', 'tx_hash'],
  range: 'block_timestamp',
  files: { chain: 'blockchain', time: 'block_timestamp' },
  children: { ...transactionChildren('primary_transactions'), ...otherChildren },
  way: 'newestFirst',
  chainOfRows: primaryRows,
  pages: (partition, window: Window<NewestFirstPosition & SetsPosition>): Pages => {
    const { groups, from } = partition.settings;
    return groups ? byAddress(partition, groups, window) : readNewestFirst({ ...latest(partition, window), from });
  },
  between: (partition, bounds, window: Window<BetweenPosition & BesideSets>): Pages => {
    const { groups } = partition.settings;
    return groups
      ? addressesBetween(partition, groups, bounds, window)
      : readBetween(latest(partition, window), bounds);
  },
  // Rows that come before a `from` that is ahead of the service are read, too: a backfill has come only to those there were.
  backfilled: (position, done: BesideSets & BetweenPosition, { settings: { groups } }) =>
    groups ? setsBegun(position, members(groups), Math.max(0, done.start ?? 0)) : backfilled(position, done),
  looksBack,
  records: { at: 'transactions', each: 'item', says: chainInfo },
});

function partitionsOf(given: z.infer<typeof parameters>, network: NetworkFacts): readonly ChainPartition[] {
  const { l1ValidationId, txTypes, addresses, pageSize } = given;
  const { begin, from, to, isFiltered } = boundsOf(given);
  const names = given.blockchainIds ?? (l1ValidationId ? ['p-chain'] : allPrimaryChains);
  const configured = addresses && addressGroups(addresses, network);
  return primaryChains(network, names).flatMap((blockchain) => {
    if (l1ValidationId && blockchain !== 'p-chain')
      throw wrong(`l1ValidationId is known on the p-chain only, not on the ${blockchain}.`);
    const groups = configured && (blockchain === 'c-chain' ? configured : withoutEvm(configured));
    if (groups?.length === 0 && given.blockchainIds)
      throw wrong(`0x addresses have atomic transactions on the c-chain only, not on the ${blockchain}.`);
    if (groups?.length === 0) return [];
    return {
      values: { network: network.network, blockchain },
      filters: {
        ...(groups && { by: 'addresses' }),
        ...(l1ValidationId && { l1ValidationId }),
        ...(txTypes && { txTypes: [...txTypes].sort().join(',') }),
        ...(to !== null && { to }),
      },
      settings: { from, to, pageSize, groups: isFiltered ? (groups ?? [[]]) : null },
      ...(begin !== undefined && { from: String(begin) }),
      notes: splitNotes(groups, urlLimits),
    };
  });
}

/** What is read of the lists: the service filters only those of addresses and of a validation. */
function boundsOf({ addresses, l1ValidationId, txTypes, ...given }: z.infer<typeof parameters>) {
  const isFiltered = addresses !== undefined || l1ValidationId !== undefined;
  if (!isFiltered && (txTypes || given.to !== undefined))
    throw wrong(
      `${txTypes ? 'txTypes' : 'to'} needs addresses or l1ValidationId: the service filters only their transactions.`,
    );
  const begin = given.from ?? (isFiltered ? undefined : '-24h');
  const from = parseBound(begin ?? '1970-01-01');
  if (isFiltered && 'height' in from)
    throw wrong('"from" must be a date or an age here: the service filters addresses by time, not by height.');
  const to = given.to === undefined ? undefined : parseBound(given.to);
  if (to && !('time' in to)) throw wrong('"to" must be a date here, such as 2026-01-20.');
  return { begin, from, to: to?.time ?? null, isFiltered };
}

const wrong = (rule: string) => new FirnError('config', `data/primary_transactions: ${rule}`);

/** Without a filter the service lists newest first, and offers no bounds. */
function latest<At extends Position>(partition: ChainPartition, window: Window<At>): NewestFirst<At> {
  const { pageSize } = partition.settings;
  return {
    window,
    request: (pageToken) => ({
      kind: 'get',
      path: path(partition),
      query: { pageSize, pageToken },
      weight: weights.extraLarge,
    }),
    cursor: time,
    time,
    height: 'block_number',
  };
}

/** The history of addresses, or of one validation where the only group is empty. */
function byAddress(partition: ChainPartition, groups: readonly AddressGroup[], window: Window<SetsPosition>): Pages {
  const { from, to } = partition.settings;
  return readSets({
    window,
    groups: members(groups),
    pack: (some) => packGroups(some, urlLimits),
    from: 'age' in from ? from : { cursor: 'time' in from ? from.time : 0 },
    to,
    head: () => newestTime(partition),
    request: (asked, start, end, token) => addressRequest(partition, asked, { start, end }, token),
    cursor: time,
  });
}

/** A validation without addresses is a group of one member without a name. */
const members = (groups: readonly AddressGroup[]) => groups.map((group) => (group.length > 0 ? group : ['']));

/**
 * Time of the newest transaction that can be read, of a few; null where there is none at all. This only looks: the transactions come again with
 * their page.
 */
function* newestTime(partition: Partition): Looking<number | null> {
  const { page } = yield* look((pageToken) => ({
    kind: 'get',
    path: path(partition),
    query: { pageSize: 10, pageToken },
    weight: weights.extraLarge,
  }));
  const newest = page.newest(time);
  page.drop();
  if (page.length === 0) return null;
  if (newest === undefined) throw wrongAnswer(page.body, 'time of a transaction');
  return newest;
}

function addressRequest(
  partition: ChainPartition,
  asked: readonly string[],
  { start, end }: { readonly start: number; readonly end: number | null },
  pageToken: string | undefined,
): Request {
  const { l1ValidationId, txTypes } = partition.filters ?? {};
  const { pageSize } = partition.settings;
  return {
    kind: 'get',
    path: path(partition),
    query: {
      addresses: asked.join(',') || undefined,
      l1ValidationId,
      txTypes: repeated(txTypes),
      ...timesBetween(start, end),
      sortOrder: 'asc',
      pageSize,
      pageToken,
    },
    weight: weights.extraLarge,
  };
}

/** How far a backfill of addresses has come: the lists of addresses that were read to their end, and the place in the one that is being read. */
type BesideSets = {
  readonly start?: number;
  readonly read?: readonly string[];
  readonly at?: { readonly list: string; readonly next: number };
};

/** The transactions of addresses between two times, list after list. */
function* addressesBetween(
  partition: ChainPartition,
  groups: readonly AddressGroup[],
  { from, to }: Between,
  { position }: Window<BesideSets>,
): Pages<BesideSets> {
  const { settings } = partition;
  if ('height' in from && from.height > 0)
    throw wrong('addresses are read by time: write a date, an age, or 0 for the beginning, not a height.');
  const newest = 'age' in from && !position ? yield* newestTime(partition) : 0;
  const given = 'age' in from ? (newest ?? 0) - from.age : 'time' in from ? from.time : 0;
  const start = position?.start ?? given;
  const until = to && 'time' in to ? to.time : settings.to;
  const end = until !== null && settings.to !== null ? Math.min(until, settings.to) : until;
  const begin = Math.max(0, start);
  const read = [...(position?.read ?? [])];
  for (const asked of packGroups(members(groups), urlLimits)) {
    const list = asked.join();
    if (read.includes(list)) continue;
    yield* readAscending<BesideSets>({
      from: position?.at?.list === list ? position.at.next : begin,
      to: end,
      request: (from, token) => addressRequest(partition, asked, { start: from, end }, token),
      cursor: time,
      position: (next) => ({ start, read: [...read], at: { list, next } }),
    });
    read.push(list);
    yield { kind: 'advance', position: { start, read: [...read] } };
  }
}
