import { bounds, jsonText, RawValue, type RpcOutcome, rawOf, textIn } from '../../src/index.ts';

/** A member of an object that may have come unparsed. */
export const memberOf = (value: unknown, name: string): unknown =>
  value instanceof RawValue ? value.member(name)?.parse() : rawOf(value)[name];

/** Hashes of a block's transactions. */
export function hashesOf(block: unknown): readonly string[] {
  if (block instanceof RawValue) {
    const items = block.member('transactions')?.itemsWith(['hash']) ?? [];
    return items.map(({ members: [hash] }) => textIn(hash?.parse()));
  }
  const list = memberOf(block, 'transactions');
  return Array.isArray(list) ? list.map((tx) => textIn(memberOf(tx, 'hash'))) : [];
}

/** What tracing gave, parsed to the depth of calls. */
export const parsedTraces = <Outcome extends RpcOutcome | undefined>(outcome: Outcome): Outcome | RpcOutcome =>
  outcome && 'result' in outcome && outcome.result instanceof RawValue
    ? { result: outcome.result.parse({ bounds: bounds.traces }) }
    : outcome;

/** Values of which some came parsed, and some in parts, as JSON. */
export function rawValues(values: readonly unknown[]): readonly RawValue[] {
  const made = RawValue.of(values.map((value) => (value instanceof RawValue ? '' : textOf(value))));
  return values.map((value, i) => (value instanceof RawValue ? value : (made[i] as RawValue)));
}

const textOf = (value: unknown): string =>
  value instanceof RawValue
    ? value.text()
    : Array.isArray(value)
      ? `[${value.map(textOf).join(',')}]`
      : jsonText(value);
