import { numberIn, rawOf } from '../../src/index.ts';

export { listOf, rawOf } from '../../src/index.ts';

/** A member of a raw record as a number: JSON number or decimal text. NaN for anything else. */
export const numberOf = (record: unknown, member: string): number => numberIn(rawOf(record)[member]);
