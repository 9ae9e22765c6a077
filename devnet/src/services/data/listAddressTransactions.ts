import type { Ledger, ServiceRequest, ServiceResponse } from '../../types.ts';
import { type AddressEntry, addressIndexOf } from '../evm/addressIndex.ts';
import type { EvmHistory, EvmTransaction } from '../evm/evmHistory.ts';
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

/** What differs between the lists of parts of transactions. */
interface PartList<Part> {
  readonly member: string;
  of(chain: EvmHistory, address: string): readonly Part[];
  readonly render: (ledger: Ledger, chain: EvmHistory, part: Part) => object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Lists parts of transactions in a range of blocks, each with its block and transaction. */
const listParts =
  <Part extends { readonly transaction: EvmTransaction }>({ member, of, render, headers }: PartList<Part>) =>
  (context: ServiceContext, request: ServiceRequest, path: AddressPath): ServiceResponse => {
    const query = readRangeQuery(context, request);
    const chain = chainIn(context, path.chainId);
    const parts = of(chain, addressIn(path.address));
    return servePage(context, request, {
      ...query,
      member,
      rows: (asOf) => rowsInRange(chain, parts, ({ transaction }) => transaction.ordinal, asOf, query),
      render: (part) => ({
        ...blockMembers(part.transaction.block),
        txHash: part.transaction.hash,
        ...render(context.ledger, chain, part),
      }),
      ...(headers && { headers }),
    });
  };

/** GET …/transactions:listErc721: the ERC-721 transfers from or to an address. */
export const listErc721Transfers = listParts({
  member: 'transactions',
  of: (chain, address) => entryOf(chain, address).erc721Transfers,
  render: renderTransfer,
  headers,
});

/** GET …/transactions:listInternals: the internal transactions from or to an address. */
export const listInternals = listParts({
  member: 'transactions',
  of: (chain, address) => entryOf(chain, address).internals,
  render: renderInternal,
});

/** GET /v1/chains/{chainId}/tokens/{address}/transfers: the transfers of a token contract, each in the shape of its standard. */
export const listTokenTransfers = listParts({
  member: 'transfers',
  of: (chain, address) => addressIndexOf(chain).byToken.get(address) ?? [],
  render: renderTransfer,
  headers,
});
