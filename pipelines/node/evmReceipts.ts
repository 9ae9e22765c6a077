import {
  FirnError,
  memberOf,
  type RangeRows,
  RawValue,
  type RowColumn,
  type Rows,
  type RpcOutcome,
} from '../../src/index.ts';

/** A block on its way to a record. */
interface Block {
  readonly height: number;
  readonly block: unknown;
  /** Hashes of its transactions. */
  readonly hashes: readonly string[];
}

/**
 * Whether each transaction has its own receipt and trace status, in order and of the same block: seen from the rows, which
 * takes no walk through the answers.
 */
export function receiptsMatch({ own, children }: RangeRows): boolean {
  const [transactions, receipts, statuses] = ['evm_transactions', 'evm_receipts', 'evm_trace_status'].map(
    (name) => children[name] as Rows,
  ) as [Rows, Rows, Rows];
  if (receipts.length !== transactions.length || statuses.length !== transactions.length) return false;
  const [heights, hashes] = [own.named('number'), own.named('hash')];
  const [ofTransaction, hash] = [transactions.named('number'), transactions.named('hash')];
  const [ofReceipt, named, inBlock] = ['number', 'transaction_hash', 'block_hash'].map((name) =>
    receipts.named(name),
  ) as [RowColumn, RowColumn, RowColumn];
  const { heap } = own;
  let block = 0;
  for (let row = 0; row < receipts.length; row++) {
    const height = ofReceipt.numberAt(row);
    while (block < own.length && heights.numberAt(block) !== height) block++;
    const isOwn =
      block < own.length &&
      ofTransaction.numberAt(row) === height &&
      heap.isSame(hash.entries, row, heap, named.entries, row) &&
      heap.isSame(hashes.entries, block, heap, inBlock.entries, row);
    if (!isOwn) return false;
  }
  return true;
}

/**
 * Numbers the logs of a block by their places in it where the node counts them anew in each receipt: all would have the key of
 * others. Seen from the rows, which lie in the order of the receipts.
 *
 * @param from first of the logs that are looked at: a block begins with it
 * @returns whether there was such a block
 * @throws FirnError `contract` when logs of a block share an index in any other way
 */
export function numberLogs({ children }: RangeRows, from = 0): boolean {
  const logs = children['evm_logs'] as Rows;
  const [heights, indexes] = [logs.named('number'), logs.named('log_index')];
  let [first, height] = [0, Number.NaN];
  let isAnew = false;
  for (let row = from; row < logs.length; row++) {
    const at = heights.numberAt(row);
    if (at !== height) [first, height] = [row, at];
    if (indexes.numberAt(row) === row - first) continue;
    let end = row + 1;
    while (end < logs.length && heights.numberAt(end) === height) end++;
    if (countsAnew(logs, first, end)) {
      for (let log = first; log < end; log++) indexes.setInteger(log, log - first);
      isAnew = true;
    } else assertDistinct(indexes, first, end, height);
    row = end - 1;
  }
  return isAnew;
}

/** Whether each of these logs has its place in its receipt for an index. */
function countsAnew(logs: Rows, first: number, end: number): boolean {
  const [indexes, transactions] = [logs.named('log_index'), logs.named('tx_index')];
  let place = 0;
  for (let row = first; row < end; row++) {
    if (row > first && transactions.numberAt(row) !== transactions.numberAt(row - 1)) place = 0;
    if (indexes.numberAt(row) !== place++) return false;
  }
  return true;
}

function assertDistinct(indexes: RowColumn, first: number, end: number, height: number): void {
  const seen = new Set<number>();
  for (let row = first; row < end; row++) {
    const index = indexes.numberAt(row);
    if (!seen.has(index)) seen.add(index);
    else throw sharedIndex(index, height);
  }
}

const sharedIndex = (index: number, height: number) =>
  new FirnError(
    'contract',
    `The node gives several logs of block ${height} the logIndex ${index}, and does not restart the count in each receipt: one would replace the others. ` +
      'What lies before the block is kept. The next run asks again; if this persists, read from another node, and report it to the operator of this one.',
    { context: { lacks: height } },
  );

/** The list of eth_getBlockReceipts, taken on trust; undefined for anything else. */
export const trustedReceipts = (receipts: RpcOutcome | undefined): RawValue | undefined =>
  receipts?.result instanceof RawValue && receipts.result.isList() ? receipts.result : undefined;

/** The list of eth_getBlockReceipts where it holds each transaction of the block; undefined for a null or foreign one. */
export function wholeReceipts(
  { block, hashes }: Block,
  receipts: RpcOutcome | undefined,
): RawValue | readonly unknown[] | undefined {
  if (hashes.length === 0) return [];
  const list = receipts?.result;
  const blockHash = memberOf(block, 'hash');
  if (!(list instanceof RawValue)) {
    const isWhole = Array.isArray(list) && list.length === hashes.length;
    return isWhole && list.every((receipt, i) => belongs(receipt, hashes[i], blockHash)) ? list : undefined;
  }
  const items = list.itemsWith(['transactionHash', 'blockHash']);
  const isWhole = items?.length === hashes.length;
  const isOwn =
    isWhole && items.every(({ members: [hash, ofBlock] }, i) => is(hash, hashes[i]) && is(ofBlock, blockHash));
  return isOwn ? list : undefined;
}

const is = (value: RawValue | undefined, text: unknown) => typeof text === 'string' && value?.isText(text) === true;

const belongs = (receipt: unknown, hash: unknown, blockHash: unknown): boolean =>
  memberOf(receipt, 'blockHash') === blockHash && memberOf(receipt, 'transactionHash') === hash;

/**
 * The receipts of a block that were asked for one by one, in the order of its transactions.
 *
 * @param singles what eth_getTransactionReceipt said
 * @throws FirnError `unavailable` when one is missing or belongs to another block
 */
export function singleReceipts(
  { block, hashes, height }: Block,
  singles: ReadonlyMap<string, RpcOutcome>,
  path: string,
): readonly unknown[] {
  return hashes.map((hash) => {
    const outcome = singles.get(hash);
    const receipt = outcome?.result ?? null;
    if (belongs(receipt, hash, memberOf(block, 'hash'))) return receipt;
    const said = outcome?.error?.message ?? (receipt === null ? 'null' : 'one of another block');
    throw noReceipt(`${path} gives no receipt of transaction ${hash} in block ${height} (${said})`, height);
  });
}

/** @param lacks height of the block */
export const noReceipt = (what: string, lacks: number) =>
  new FirnError('unavailable', `${what}. The next run asks again.`, { retryable: true, context: { lacks } });
