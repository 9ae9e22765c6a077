import { badRequest } from '../../problem.ts';
import type { ServiceRequest, ServiceResponse } from '../../types.ts';
import { commaList, decimal, flag, oneOf, paging, sortOrder, text } from '../http/parameters.ts';
import { queryOf } from '../http/queryOf.ts';
import { servePage } from '../http/servePage.ts';
import { primaryHistoryOf } from '../primary/primaryHistory.ts';
import { primaryIndexOf } from '../primary/primaryIndex.ts';
import type { Utxo } from '../primary/primaryTypes.ts';
import type { ServiceContext } from '../serviceContext.ts';
import { type PrimaryPath, primaryAddresses, primaryPath } from './primaryPath.ts';
import { readBody } from './readBody.ts';
import { consumerAt, existsAt, renderExchangeUtxo, renderPlatformUtxo } from './renderUtxo.ts';

interface Path {
  readonly network: string;
  readonly blockchainId: string;
}

const filters = () => ({
  assetId: text(),
  minUtxoAmount: decimal({ min: 0 }, 0),
  includeSpent: flag(),
  sortBy: oneOf(['timestamp', 'amount'] as const, 'timestamp'),
  sortOrder: sortOrder(),
});

/** Most addresses where they stand in the URL. */
const mostInUrl = 64;

const readPostQuery = queryOf({ ...paging(10, 1024), ...filters() });

/** POST …/utxos: outputs that the addresses of the body own. */
export function postUtxos(context: ServiceContext, request: ServiceRequest, path: Path): ServiceResponse {
  const query = readPostQuery(context, request);
  const primary = primaryPath(context, path);
  const { addresses } = readBody(request);
  if (typeof addresses !== 'string') throw badRequest('addresses must be a string');
  const given = addresses.split(',').flatMap((address) => address.trim() || []);
  if (given.length === 0) throw badRequest('addresses should not be empty');
  return answer(context, request, primary, query, primaryAddresses(given, context.options.maxAddresses));
}

const readGetQuery = queryOf({ ...paging(10, 100), ...filters(), addresses: commaList() });

/** GET …/utxos: the older form, with the addresses in the URL and smaller pages. */
export function getUtxos(context: ServiceContext, request: ServiceRequest, path: Path): ServiceResponse {
  const query = readGetQuery(context, request);
  if (query.addresses === undefined || query.addresses.length === 0) throw badRequest('addresses should not be empty');
  return answer(context, request, primaryPath(context, path), query, primaryAddresses(query.addresses, mostInUrl));
}

interface Query {
  readonly pageToken: string | undefined;
  readonly pageSize: number;
  readonly assetId: string | undefined;
  readonly minUtxoAmount: number;
  readonly includeSpent: boolean;
  readonly sortBy: 'timestamp' | 'amount';
  readonly sortOrder: 'asc' | 'desc';
}

function answer(
  context: ServiceContext,
  request: ServiceRequest,
  { chain, isMainnet, chainInfo }: PrimaryPath,
  query: Query,
  addresses: readonly string[],
): ServiceResponse {
  if (query.assetId !== undefined && chain !== 'X') throw badRequest('assetId is only applicable to the X-Chain');
  const { ledger } = context;
  const history = primaryHistoryOf(ledger);
  const least = BigInt(Math.ceil(query.minUtxoAmount));
  const asked = new Set(addresses);
  return servePage(context, request, {
    ...query,
    member: 'utxos',
    rows: (asOf) => {
      if (isMainnet) return [];
      const { utxos } = primaryIndexOf(history, chain);
      const owned = new Set(addresses.flatMap((address) => utxos.get(address) ?? []));
      return (
        [...owned]
          .filter((utxo) => existsAt(utxo, asOf) && (query.includeSpent || consumerAt(utxo, asOf) === null))
          .filter((utxo) => query.assetId === undefined || utxo.assetId === query.assetId)
          .filter((utxo) => utxo.amount >= least)
          // An output of several owners is shown only to those who could spend it.
          .filter((utxo) => utxo.addresses.filter((address) => asked.has(address)).length >= utxo.threshold)
          .sort(inOrder(query, asOf))
      );
    },
    render: (utxo, asOf) =>
      (chain === 'P' ? renderPlatformUtxo : renderExchangeUtxo)(utxo, { ledger, history, asOf, within: null }),
    extra: { chainInfo },
  });
}

/** Unspent before spent, then by time or amount, then by id in the same direction. */
function inOrder({ sortBy, sortOrder: order }: Query, asOf: number): (a: Utxo, b: Utxo) => number {
  const direction = order === 'asc' ? 1 : -1;
  const by = (a: Utxo, b: Utxo): number =>
    sortBy === 'amount'
      ? Number(a.amount > b.amount) - Number(a.amount < b.amount)
      : (a.createdBy?.time ?? 0) - (b.createdBy?.time ?? 0);
  const spent = (utxo: Utxo): number => (consumerAt(utxo, asOf) === null ? 0 : 1);
  return (a, b) => spent(a) - spent(b) || direction * by(a, b) || direction * (a.id < b.id ? -1 : 1);
}
