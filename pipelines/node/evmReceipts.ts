import { FirnError, type RpcOutcome } from '../../src/index.ts';

/** A block on its way to a record, with what eth_getBlockReceipts said. */
interface Receipted {
  readonly block: Readonly<Record<string, unknown>>;
  readonly hashes: readonly string[];
  readonly receipts: RpcOutcome | undefined;
}

/** Transactions whose receipts must be asked for one by one: of a block without a whole list of its own receipts. */
export function missingReceipts(asked: Receipted): readonly string[] {
  return wholeList(asked) ? [] : asked.hashes;
}

/**
 * The receipts of a block, in the order of its transactions.
 *
 * @param singles what eth_getTransactionReceipt said of the transactions of `missingReceipts`
 * @throws FirnError `unavailable` when one is missing or belongs to another block
 */
export function ownReceipts(
  asked: Receipted,
  singles: ReadonlyMap<string, RpcOutcome>,
  path: string,
): readonly unknown[] {
  const whole = wholeList(asked);
  if (whole) return whole;
  return asked.hashes.map((hash) => {
    const outcome = singles.get(hash);
    const receipt = outcome && 'result' in outcome ? outcome.result : null;
    if (belongs(receipt, hash, asked.block)) return receipt;
    const said =
      outcome && 'error' in outcome ? outcome.error.message : receipt === null ? 'null' : 'one of another block';
    throw new FirnError(
      'unavailable',
      `${path} gives no receipt of transaction ${hash} in block ${Number(asked.block['number'])} (${said}). The next run asks again.`,
      { retryable: true },
    );
  });
}

/** The list of eth_getBlockReceipts where it holds each transaction of the block; a null or foreign list is none. */
function wholeList({ block, hashes, receipts }: Receipted): readonly unknown[] | undefined {
  const list = receipts && 'result' in receipts ? receipts.result : undefined;
  if (!Array.isArray(list) || list.length !== hashes.length) return hashes.length === 0 ? [] : undefined;
  return list.every((receipt, i) => belongs(receipt, hashes[i] ?? '', block)) ? list : undefined;
}

function belongs(receipt: unknown, hash: string, block: Receipted['block']): boolean {
  const { transactionHash, blockHash } = (receipt ?? {}) as { transactionHash?: string; blockHash?: string };
  return transactionHash === hash && blockHash === block['hash'];
}
