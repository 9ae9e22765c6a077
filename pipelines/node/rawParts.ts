import { jsonText, RawValue, type RpcOutcome } from '../../src/index.ts';

/** A member of an object that may have come unparsed. */
export const memberOf = (value: unknown, name: string): unknown =>
  value instanceof RawValue ? value.member(name)?.parse() : (value as Readonly<Record<string, unknown>> | null)?.[name];

/** Hashes of a block's transactions. */
export function hashesOf(block: unknown): readonly string[] {
  if (block instanceof RawValue) {
    const items = block.member('transactions')?.itemsWith(['hash']) ?? [];
    return items.map(({ members: [hash] }) => String(hash?.parse()));
  }
  const list = memberOf(block, 'transactions');
  return Array.isArray(list) ? list.map((tx) => String(memberOf(tx, 'hash'))) : [];
}

/** What a call gave, parsed. */
export const parsedOutcome = <Outcome extends RpcOutcome | undefined>(outcome: Outcome): Outcome | RpcOutcome =>
  outcome && 'result' in outcome && outcome.result instanceof RawValue ? { result: outcome.result.parse() } : outcome;

/** JSON of a value of which parts may have come unparsed. */
export const rawJson = (value: unknown): RawValue | string =>
  value instanceof RawValue
    ? value
    : Array.isArray(value)
      ? `[${value.map((item) => (item instanceof RawValue ? item.text() : jsonText(item))).join(',')}]`
      : jsonText(value);
