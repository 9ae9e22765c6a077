import { jsonText, memberOf, type Part, RawValue, textIn } from '../../src/index.ts';

/** Hashes of a block's transactions. */
export function hashesOf(block: unknown): readonly string[] {
  if (block instanceof RawValue) {
    const items = block.member('transactions')?.itemsWith(['hash']) ?? [];
    return items.map(({ members: [hash] }) => textIn(hash?.parse()));
  }
  const list = memberOf(block, 'transactions');
  return Array.isArray(list) ? list.map((tx) => textIn(memberOf(tx, 'hash'))) : [];
}

/** A member that each transaction has once. */
const ofTransaction = Buffer.from('"hash":"');

/**
 * How many transactions a block seems to have: a search takes a tenth of the time of the walk to their hashes. Callers must
 * compare the number with the rows.
 */
export function estimateTransactions(block: RawValue): number {
  const list = block.member('transactions');
  const bytes = list ? block.bytes.subarray(list.from, block.to) : Buffer.alloc(0);
  let count = 0;
  for (let at = bytes.indexOf(ofTransaction); at >= 0; at = bytes.indexOf(ofTransaction, at + 1)) count++;
  return count;
}

/** A member of a block that came parsed, or in parts. */
export function partOf(value: unknown): Part {
  if (value === null || value instanceof RawValue || typeof value === 'number' || typeof value === 'boolean')
    return value;
  if (isRaw(value)) return value;
  if (!Array.isArray(value)) return RawValue.of([jsonText(value)])[0] as RawValue;
  const made = RawValue.of(value.map((item) => (item instanceof RawValue ? '' : jsonText(item))));
  return value.map((item, i) => (item instanceof RawValue ? item : (made[i] as RawValue)));
}

const isRaw = (value: unknown): value is readonly RawValue[] =>
  Array.isArray(value) && value.every((item) => item instanceof RawValue);
