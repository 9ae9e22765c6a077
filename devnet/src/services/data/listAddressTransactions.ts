import type { ServiceRequest, ServiceResponse } from '../../types.ts';
import { type AddressEntry, addressIndexOf } from '../evm/addressIndex.ts';
import type { EvmHistory } from '../evm/evmHistory.ts';
import { rowsInRange } from '../evm/rowsInRange.ts';
import { blockRange, paging, sortOrder } from '../http/parameters.ts';
import { queryOf } from '../http/queryOf.ts';
import { servePage } from '../http/servePage.ts';
import type { ServiceContext } from '../serviceContext.ts';
import { addressIn, chainIn } from './pathValues.ts';
import { generatedHeader } from './renderAddress.ts';
import {
  blockMembers,
  renderInternal,
  renderNative,
  renderSubTransactions,
  renderTransfer,
} from './renderTransaction.ts';

interface AddressPath {
  readonly chainId: string;
  readonly address: string;
}

const headers = { [generatedHeader]: 'price, logoUri, metadata' };
const nothing: AddressEntry = { transactions: [], erc721Transfers: [], internals: [] };

const entryOf = (chain: EvmHistory, address: string): AddressEntry =>
  addressIndexOf(chain).byAddress.get(address) ?? nothing;

const readSortedQuery = queryOf({ ...paging(10, 100), ...blockRange(), sortOrder: sortOrder() });

/**
 * GET /v1/chains/{chainId}/addresses/{address}/transactions: what an address took part in, as sender or receiver of the transaction, of a
 * token or inside. The entries below a transaction are only those from or to the address.
 */
export function listAddressTransactions(
  context: ServiceContext,
  request: ServiceRequest,
  path: AddressPath,
): ServiceResponse {
  const query = readSortedQuery(context, request);
  const chain = chainIn(context, path.chainId);
  const address = addressIn(path.address);
  const { transactions } = entryOf(chain, address);
  return servePage(context, request, {
    ...query,
    member: 'transactions',
    rows: (asOf) => rowsInRange(chain, transactions, ({ ordinal }) => ordinal, asOf, query, query.sortOrder === 'asc'),
    render: (transaction) => ({
      nativeTransaction: renderNative(context.ledger, chain, transaction),
      ...renderSubTransactions(context.ledger, chain, transaction, address),
    }),
    headers,
  });
}

const readRangeQuery = queryOf({ ...paging(10, 100), ...blockRange() });

/** GET …/transactions:listErc721: the ERC-721 transfers from or to an address. */
export function listErc721Transfers(
  context: ServiceContext,
  request: ServiceRequest,
  path: AddressPath,
): ServiceResponse {
  const query = readRangeQuery(context, request);
  const chain = chainIn(context, path.chainId);
  const { erc721Transfers } = entryOf(chain, addressIn(path.address));
  return servePage(context, request, {
    ...query,
    member: 'transactions',
    rows: (asOf) => rowsInRange(chain, erc721Transfers, ({ transaction }) => transaction.ordinal, asOf, query),
    render: (transfer) => ({
      ...blockMembers(transfer.transaction.block),
      txHash: transfer.transaction.hash,
      ...renderTransfer(context.ledger, chain, transfer),
    }),
    headers,
  });
}

/** GET …/transactions:listInternals: the internal transactions from or to an address. */
export function listInternals(context: ServiceContext, request: ServiceRequest, path: AddressPath): ServiceResponse {
  const query = readRangeQuery(context, request);
  const chain = chainIn(context, path.chainId);
  const { internals } = entryOf(chain, addressIn(path.address));
  return servePage(context, request, {
    ...query,
    member: 'transactions',
    rows: (asOf) => rowsInRange(chain, internals, ({ transaction }) => transaction.ordinal, asOf, query),
    render: (internal) => ({
      ...blockMembers(internal.transaction.block),
      txHash: internal.transaction.hash,
      ...renderInternal(context.ledger, chain, internal),
    }),
  });
}

/** GET /v1/chains/{chainId}/tokens/{address}/transfers: the transfers of a token contract, each in the shape of its standard. */
export function listTokenTransfers(
  context: ServiceContext,
  request: ServiceRequest,
  path: AddressPath,
): ServiceResponse {
  const query = readRangeQuery(context, request);
  const chain = chainIn(context, path.chainId);
  const transfers = addressIndexOf(chain).byToken.get(addressIn(path.address)) ?? [];
  return servePage(context, request, {
    ...query,
    member: 'transfers',
    rows: (asOf) => rowsInRange(chain, transfers, ({ transaction }) => transaction.ordinal, asOf, query),
    render: (transfer) => ({
      ...blockMembers(transfer.transaction.block),
      txHash: transfer.transaction.hash,
      ...renderTransfer(context.ledger, chain, transfer),
    }),
    headers,
  });
}
