import { z } from 'zod';
import { FirnError } from './firnError.ts';
import { type ObjectSchema, unwrap } from './unwrap.ts';
import { Verbatim } from './verbatim.ts';

/** A member that a schema does not know. */
export interface UnknownMember {
  readonly path: string;
  readonly value: unknown;
}

/** What a schema says of a member. What every object inherits (`constructor`) is not one of its members. */
const memberOf = ({ shape }: ObjectSchema, member: string) =>
  Object.hasOwn(shape, member) ? shape[member] : undefined;

/** An object that inherits nothing: a member `__proto__` is kept like any other. */
const noMembers = () => Object.create(null) as Record<string, unknown>;

/**
 * Members of a raw record that its schema does not know, nested as in the record; undefined where there is none.
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
    const { inner } = unwrap(type as z.ZodType);
    if (inner instanceof z.ZodObject) yield* unknownPaths(inner as ObjectSchema, value, `${path}.`);
    const element = inner instanceof z.ZodArray ? unwrap(inner.element as z.ZodType).inner : undefined;
    if (!(element instanceof z.ZodObject) || !Array.isArray(value)) continue;
    for (const item of value) yield* unknownPaths(element as ObjectSchema, item, `${path}[].`);
  }
}
