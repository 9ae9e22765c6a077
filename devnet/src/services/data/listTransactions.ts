import { once } from '../../once.ts';
import { badRequest, notFound } from '../../problem.ts';
import type { ServiceRequest, ServiceResponse } from '../../types.ts';
import type { EvmHistory } from '../evm/evmHistory.ts';
import { rowsInRange } from '../evm/rowsInRange.ts';
import { ok } from '../http/jsonText.ts';
import { oneOf, paging } from '../http/parameters.ts';
import { noQuery, queryOf } from '../http/queryOf.ts';
import { servePage } from '../http/servePage.ts';
import type { ServiceContext } from '../serviceContext.ts';
import { networkTokenOf } from './listChains.ts';
import { chainIn } from './pathValues.ts';
import { generatedHeader } from './renderAddress.ts';
import { renderNative, renderSubTransactions } from './renderTransaction.ts';

const everything = { startBlock: undefined, endBlock: undefined };

const readQuery = queryOf({ ...paging(10, 100), status: oneOf(['failed', 'success'] as const, undefined) });

/** GET /v1/chains/{chainId}/transactions: the latest transactions of a chain. */
export function listTransactions(
  context: ServiceContext,
  request: ServiceRequest,
  path: { readonly chainId: string },
): ServiceResponse {
  const query = readQuery(context, request);
  const chain = chainIn(context, path.chainId);
  const rows = query.status === undefined ? chain.transactions : byOutcome(chain)[query.status];
  return servePage(context, request, {
    ...query,
    member: 'transactions',
    rows: (asOf) => rowsInRange(chain, rows, ({ ordinal }) => ordinal, asOf, everything),
    render: (transaction) => renderNative(context.ledger, chain, transaction),
  });
}

const byOutcome = once(({ transactions }: EvmHistory) => ({
  failed: transactions.filter(({ succeeded }) => !succeeded),
  success: transactions.filter(({ succeeded }) => succeeded),
}));

const byHash = once(({ transactions }: EvmHistory) => new Map(transactions.map((one) => [one.hash, one])));

/** GET /v1/chains/{chainId}/transactions/{txHash}: the complete view of one transaction. */
export function getTransaction(
  context: ServiceContext,
  request: ServiceRequest,
  path: { readonly chainId: string; readonly txHash: string },
): ServiceResponse {
  noQuery(context, request);
  if (!/^0x[0-9a-fA-F]{64}$/.test(path.txHash)) throw badRequest('txHash must be a transaction hash');
  const { ledger } = context;
  const chain = chainIn(context, path.chainId);
  const transaction = byHash(chain).get(path.txHash.toLowerCase());
  if (transaction === undefined || transaction.ordinal >= chain.visibleTransactions(context.head.now())) {
    throw notFound(`transaction ${path.txHash} was not found`);
  }
  const { input, maxFeePerGas, maxPriorityFeePerGas, block } = transaction;
  return ok(
    {
      nativeTransaction: {
        ...renderNative(ledger, chain, transaction),
        input,
        baseFeePerGas: String(block.baseFee),
        ...(maxFeePerGas === null ? {} : { maxFeePerGas: String(maxFeePerGas) }),
        ...(maxPriorityFeePerGas === null ? {} : { maxPriorityFeePerGas: String(maxPriorityFeePerGas) }),
      },
      networkTokenDetails: { networkToken: networkTokenOf(chain) },
      ...renderSubTransactions(ledger, chain, transaction),
    },
    { [generatedHeader]: 'price, logoUri, metadata' },
  );
}
