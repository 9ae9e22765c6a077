import { RawValue } from '../../src/index.ts';

export { listOf } from '../../src/index.ts';

/** A raw record as an object; an empty one where something else came, which the schema then refuses. */
export function rawOf(given: unknown): Readonly<Record<string, unknown>> {
  const record = given instanceof RawValue ? given.parse() : given;
  return record !== null && typeof record === 'object' ? (record as Record<string, unknown>) : {};
}

/** A member of a raw record as a number: JSON number or decimal text. NaN for anything else. */
export function numberOf(record: unknown, member: string): number {
  if (record instanceof RawValue) return record.number(member);
  const value = rawOf(record)[member];
  return value === null || value === undefined || value === '' ? Number.NaN : Number(value);
}
