import { type ChainOfRows, memberOf, type Partition } from '../../src/index.ts';
import { isTransaction } from './isTransaction.ts';
import { chainPath } from './primaryChain.ts';
import { weights } from './source.ts';

const columns = { height: 'block_number', block: 'block_hash', transaction: 'tx_hash' };

/** Asks for a transaction by its id. */
function* blockIn(path: string, transaction: string): ReturnType<ChainOfRows['blockOf']> {
  const { body } = yield {
    kind: 'get',
    path: `${path}/transactions/${encodeURIComponent(transaction.toWellFormed())}`,
    weight: weights.medium,
    check: isTransaction(transaction),
  };
  // Of an EVM chain beside its transfers, of the others alone.
  const block = memberOf(memberOf(body, 'nativeTransaction') ?? body, 'blockHash');
  return typeof block === 'string' ? block : null;
}

/** Transactions of EVM chains. */
export const evmRows: ChainOfRows = {
  ...columns,
  by: ['chain_id'],
  blocksTell: true,
  blockOf: ({ values }: Partition, transaction) => blockIn(`/v1/chains/${values['chain_id']}`, transaction),
};

/** Transactions of the Primary Network's chains. */
export const primaryRows: ChainOfRows = {
  ...columns,
  by: ['network', 'blockchain'],
  blocksTell: false,
  blockOf: ({ values }: Partition, transaction) => blockIn(chainPath(values), transaction),
};
