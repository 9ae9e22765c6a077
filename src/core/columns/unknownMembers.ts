import { z } from 'zod';
import { FirnError } from '../firnError.ts';
import { flatJsonText, jsonText } from '../json/jsonText.ts';
import { Verbatim } from '../json/verbatim.ts';
import { type ObjectSchema, unwrap } from './unwrap.ts';

/** A member that a schema does not know, or a value that a lenient one does not take. */
export interface UnknownMember {
  readonly path: string;
  readonly value: unknown;
}

/** What a schema says of a member. What every object inherits (`constructor`) is not one of its members. */
const memberOf = ({ shape }: ObjectSchema, member: string) =>
  Object.hasOwn(shape, member) ? shape[member] : undefined;

/** Whether a schema takes a value; one that is not lenient was asked before. */
export const takes = (type: z.ZodType, value: unknown): boolean =>
  !(type instanceof z.ZodCatch) ||
  // To zod, what is kept verbatim is an object.
  (!(value instanceof Verbatim && unwrap(type).inner instanceof z.ZodObject) &&
    (type.unwrap() as z.ZodType).safeParse(value).success);

/** A value as it came; as text where it is nested too deep. */
const asCame = (value: unknown) => (flatJsonText(value) === null ? jsonText(value) : value);

/** An object that inherits nothing: a member `__proto__` is kept like any other. */
const noMembers = () => Object.create(null) as Record<string, unknown>;

/**
 * Members of a raw record that its schema does not know, or does not take a value of, nested as in the record; undefined where there is none.
 *
 * @throws FirnError `decode` when an object is none
 */
export function unknownMembers(schema: ObjectSchema, raw: unknown): Record<string, unknown> | undefined {
  if (raw === null || typeof raw !== 'object') return undefined;
  // An object to zod; an empty one where all its members are optional.
  if (raw instanceof Verbatim) throw new FirnError('decode', `expected an object, got ${String(raw).slice(0, 80)}`);
  let extra: Record<string, unknown> | undefined;
  for (const member in raw) {
    const value = (raw as Record<string, unknown>)[member];
    const type = memberOf(schema, member);
    if (type === undefined) {
      extra ??= noMembers();
      extra[member] = value;
    } else if (!takes(type as z.ZodType, value)) {
      extra ??= noMembers();
      extra[member] = asCame(value);
    } else if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      const { inner } = unwrap(type as z.ZodType);
      const nested = inner instanceof z.ZodObject ? unknownMembers(inner as ObjectSchema, value) : undefined;
      if (nested) {
        extra ??= noMembers();
        extra[member] = nested;
      }
    }
  }
  return extra;
}

/** The same members with their paths, of listed records too. */
export function* unknownPaths(schema: ObjectSchema, raw: unknown, prefix: string): Generator<UnknownMember> {
  if (raw === null || typeof raw !== 'object') return;
  for (const [member, value] of Object.entries(raw)) {
    const type = memberOf(schema, member);
    const path = prefix + member;
    if (type === undefined) {
      yield { path, value };
      continue;
    }
    if (!takes(type as z.ZodType, value)) {
      // By another name than a column's: a member of that name moves into it when a version knows it.
      yield { path: `${path} (not taken)`, value };
      continue;
    }
    const { inner } = unwrap(type as z.ZodType);
    if (inner instanceof z.ZodObject) yield* unknownPaths(inner as ObjectSchema, value, `${path}.`);
    const element = inner instanceof z.ZodArray ? unwrap(inner.element as z.ZodType).inner : undefined;
    if (!(element instanceof z.ZodObject) || !Array.isArray(value)) continue;
    for (const item of value) yield* unknownPaths(element as ObjectSchema, item, `${path}[].`);
  }
}
