import { FirnError, type RawValue, type RpcOutcome } from '../../src/index.ts';
import { itemsOf, memberOf } from './rawParts.ts';

/** A block on its way to a record, with what eth_getBlockReceipts said. */
interface Receipted {
  readonly height: number;
  readonly block: unknown;
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
): readonly unknown[] | RawValue {
  const whole = wholeList(asked);
  if (whole) return whole;
  return asked.hashes.map((hash) => {
    const outcome = singles.get(hash);
    const receipt = outcome && 'result' in outcome ? outcome.result : null;
    if (belongs(receipt, hash, memberOf(asked.block, 'hash'))) return receipt;
    const said =
      outcome && 'error' in outcome ? outcome.error.message : receipt === null ? 'null' : 'one of another block';
    throw new FirnError(
      'unavailable',
      `${path} gives no receipt of transaction ${hash} in block ${asked.height} (${said}). The next run asks again.`,
      { retryable: true },
    );
  });
}

/** The list of eth_getBlockReceipts where it holds each transaction of the block; a null or foreign list is none. */
function wholeList({ block, hashes, receipts }: Receipted): readonly unknown[] | RawValue | undefined {
  if (hashes.length === 0) return [];
  const list = receipts && 'result' in receipts ? receipts.result : undefined;
  const items = itemsOf(list);
  if (items?.length !== hashes.length) return undefined;
  const blockHash = memberOf(block, 'hash');
  return items.every((receipt, i) => belongs(receipt, hashes[i] ?? '', blockHash)) ? (list as RawValue) : undefined;
}

const belongs = (receipt: unknown, hash: string, blockHash: unknown): boolean =>
  memberOf(receipt, 'blockHash') === blockHash && memberOf(receipt, 'transactionHash') === hash;
