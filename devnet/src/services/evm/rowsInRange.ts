import { countUpTo } from '../../countUpTo.ts';
import type { Listing } from '../http/servePage.ts';
import type { EvmHistory } from './evmHistory.ts';

export interface BlockRange {
  /** Inclusive. */
  readonly startBlock: number | undefined;
  /** Exclusive. */
  readonly endBlock: number | undefined;
}

/**
 * The rows that exist at a moment and lie in a block range, newest first unless `ascending`.
 * `rows` ascend by the ordinal of their transaction; nothing is copied but the page asked for.
 */
export function rowsInRange<T>(
  history: EvmHistory,
  rows: readonly T[],
  ordinalOf: (row: T) => number,
  asOf: number,
  range: BlockRange,
  ascending = false,
): Listing<T> {
  const before = (ordinal: number): number => countUpTo(rows, ordinal - 1, ordinalOf);
  const low = range.startBlock === undefined ? 0 : before(firstOrdinalFrom(history, range.startBlock));
  const visible = before(history.visibleTransactions(asOf));
  const high =
    range.endBlock === undefined ? visible : Math.min(visible, before(firstOrdinalFrom(history, range.endBlock)));
  const length = Math.max(0, high - low);
  return {
    length,
    slice(from, to) {
      if (ascending) return rows.slice(low + Math.min(from, length), low + Math.min(to, length));
      return rows.slice(high - Math.min(to, length), high - Math.min(from, length)).reverse();
    },
  };
}

/** Ordinal of the first transaction in a block of that number or above. */
function firstOrdinalFrom(history: EvmHistory, number: number): number {
  const at = countUpTo(history.blocks, Math.ceil(number) - 1, (block) => block.number);
  return history.blocks[at]?.first ?? history.transactions.length;
}
