import { badRequest, notFound } from '../../problem.ts';
import type { ServiceRequest, ServiceResponse } from '../../types.ts';
import { ok } from '../http/jsonText.ts';
import { commaList, paging, sortOrder, text, timeRange, withinTime, words } from '../http/parameters.ts';
import { noQuery, queryOf } from '../http/queryOf.ts';
import { servePage } from '../http/servePage.ts';
import { generatedTransactions } from '../primary/generatedVertices.ts';
import { type PrimaryHistory, primaryHistoryOf } from '../primary/primaryHistory.ts';
import { primaryIndexOf } from '../primary/primaryIndex.ts';
import type { PrimaryChain, PrimaryTx, Utxo } from '../primary/primaryTypes.ts';
import type { ServiceContext } from '../serviceContext.ts';
import { primaryAddresses, primaryPath } from './primaryPath.ts';
import { primaryTxTypes } from './primaryTxTypes.ts';
import { renderAtomicTx, renderExchangeTx } from './renderExchangeTx.ts';
import { renderPlatformTx } from './renderPlatformTx.ts';

interface Path {
  readonly network: string;
  readonly blockchainId: string;
}

const mostAddresses = 64;

const table = () => ({
  ...paging(10, 100),
  ...timeRange(),
  addresses: commaList(),
  txTypes: words(primaryTxTypes),
  sortOrder: sortOrder(),
});

const readTransactionsQuery = queryOf({ ...table(), l1ValidationId: text() });

/** GET …/transactions: the transactions of a chain, or those of some addresses or of one L1 validation. */
export function listPrimaryTransactions(context: ServiceContext, request: ServiceRequest, path: Path): ServiceResponse {
  const query = readTransactionsQuery(context, request);
  const primary = primaryPath(context, path);
  if (query.l1ValidationId !== undefined && primary.chain !== 'P')
    throw badRequest('l1ValidationId is only applicable to the P-Chain');
  const addresses = query.addresses && primaryAddresses(query.addresses, mostAddresses);
  requireSubject(query, addresses !== undefined || query.l1ValidationId !== undefined);
  const history = primaryHistoryOf(context.ledger);
  const ofSubject = (asOf: number): readonly PrimaryTx[] => {
    const found =
      addresses === undefined ? history.transactions[primary.chain] : touching(history, primary.chain, addresses);
    const visible = history.visibleTransactions(primary.chain, asOf);
    return found
      .filter(({ ordinal }) => ordinal < visible)
      .filter(
        ({ l1 }) => query.l1ValidationId === undefined || l1.some((one) => one.validationId === query.l1ValidationId),
      );
  };
  return answer(context, request, primary, query, ofSubject, addresses);
}

/** GET …/transactions/{txHash}: one transaction of a chain. */
export function getPrimaryTransaction(
  context: ServiceContext,
  request: ServiceRequest,
  path: Path & { readonly txHash: string },
): ServiceResponse {
  noQuery(context, request);
  const primary = primaryPath(context, path);
  const history = primaryHistoryOf(context.ledger);
  const asOf = context.head.now();
  const tx = primary.isMainnet ? undefined : history.transactions[primary.chain].find(({ id }) => id === path.txHash);
  if (tx === undefined || tx.ordinal >= history.visibleTransactions(primary.chain, asOf))
    throw notFound(`transaction ${path.txHash} was not found`);
  return ok(renderTx(context, primary.chain, tx, asOf));
}

const stakingTypes: ReadonlySet<string> = new Set([
  'AddValidatorTx',
  'AddSubnetValidatorTx',
  'AddDelegatorTx',
  'AddPermissionlessValidatorTx',
  'AddPermissionlessDelegatorTx',
]);

const readStakingQuery = queryOf(table());

/** GET …/transactions:listStaking: the transactions whose stake is bound at present. */
export function listStaking(context: ServiceContext, request: ServiceRequest, path: Path): ServiceResponse {
  const query = readStakingQuery(context, request);
  const primary = primaryPath(context, path, 'P');
  const addresses = query.addresses && primaryAddresses(query.addresses, mostAddresses);
  requireSubject(query, addresses !== undefined);
  const history = primaryHistoryOf(context.ledger);
  const ofSubject = (asOf: number): readonly PrimaryTx[] => {
    const found = addresses === undefined ? history.transactions.P : touching(history, 'P', addresses);
    const visible = history.visibleTransactions('P', asOf);
    return found.filter((tx) => tx.ordinal < visible && stakingTypes.has(tx.type) && isBound(tx, asOf));
  };
  return answer(context, request, primary, query, ofSubject, addresses);
}

function isBound({ staking }: PrimaryTx, asOf: number): boolean {
  if (staking === null) return false;
  const gone = [staking.endedBy, staking.removedBy].some((tx) => tx !== null && tx.visibleAt <= asOf);
  // Permissioned validators leave without a reward transaction.
  return !gone && (staking.potentialReward !== null || staking.end * 1000 > asOf);
}

interface Query {
  readonly pageToken: string | undefined;
  readonly pageSize: number;
  readonly txTypes: readonly string[] | undefined;
  readonly startTimestamp: number | undefined;
  readonly endTimestamp: number | undefined;
  readonly sortOrder: 'asc' | 'desc';
}

/** The service filters what it finds by address only. */
function requireSubject({ txTypes, startTimestamp, endTimestamp }: Query, hasSubject: boolean): void {
  if (hasSubject) return;
  const given = Object.entries({ txTypes, startTimestamp, endTimestamp }).filter(([, value]) => value !== undefined);
  if (given.length > 0)
    throw badRequest(...given.map(([name]) => `${name} filter is only supported together with addresses`));
}

function touching(history: PrimaryHistory, chain: PrimaryChain, addresses: readonly string[]): PrimaryTx[] {
  const { transactions } = primaryIndexOf(history, chain);
  const found = new Set(addresses.flatMap((address) => transactions.get(address) ?? []));
  return [...found].sort((a, b) => a.ordinal - b.ordinal);
}

function answer(
  context: ServiceContext,
  request: ServiceRequest,
  { chain, isMainnet, chainInfo }: ReturnType<typeof primaryPath>,
  query: Query,
  ofSubject: (asOf: number) => readonly PrimaryTx[],
  addresses: readonly string[] | undefined,
): ServiceResponse {
  const { ledger, options } = context;
  const history = primaryHistoryOf(ledger);
  const keeps = withinTime(options, query);
  const generated =
    chain === 'X' && addresses === undefined && options.nonLinearTransactions
      ? generatedTransactions(ledger, history)
      : [];
  const shows = (utxo: Utxo): boolean =>
    addresses === undefined || utxo.addresses.some((address) => addresses.includes(address));
  return servePage<PrimaryTx | { readonly generated: object }>(context, request, {
    ...query,
    member: 'transactions',
    rows: (asOf) => {
      if (isMainnet) return [];
      const rows = ofSubject(asOf).filter(({ time, type }) => keeps(time) && (query.txTypes?.includes(type) ?? true));
      const all = [...generated, ...rows];
      return query.sortOrder === 'asc' ? all : all.reverse();
    },
    render: (row, asOf) => ('generated' in row ? row.generated : renderTx(context, chain, row, asOf, shows)),
    extra: { chainInfo },
    threshold: {
      weigh: (row) => ('generated' in row ? 1 : row.consumed.length + row.emitted.length),
      limit: options.utxosPerPage,
    },
  });
}

function renderTx(
  { ledger }: ServiceContext,
  chain: PrimaryChain,
  tx: PrimaryTx,
  asOf: number,
  shows: (utxo: Utxo) => boolean = () => true,
): object {
  const history = primaryHistoryOf(ledger);
  if (chain === 'P') return renderPlatformTx(ledger, history, tx, asOf);
  return chain === 'X' ? renderExchangeTx(ledger, history, tx, asOf, shows) : renderAtomicTx(ledger, history, tx, asOf);
}
