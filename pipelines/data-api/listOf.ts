import { numberIn, RawValue, rawOf } from '../../src/index.ts';

export { listOf, rawOf } from '../../src/index.ts';

/** A member of a raw record as a number: JSON number or decimal text. NaN for anything else. */
export const numberOf = (record: unknown, member: string): number =>
  record instanceof RawValue ? record.number(member) : numberIn(rawOf(record)[member]);
