import { z } from 'zod';
import { columnMeta, setColumnMeta } from '../columns/columnSchema.ts';
import { unwrap } from '../columns/unwrap.ts';
import { isObject, memberOf, textIn } from '../json/answerParts.ts';

/** In which other forms an answer may hold what a schema describes. The reader of bytes knows them, and `ownForm` for what it refuses. */
export interface WireForm {
  /** Other names of the member. */
  readonly names?: readonly string[];
  /** The member by which alone an object may come. */
  readonly short?: string;
  /** Whether a list may come as its only item. */
  readonly single?: boolean;
  /** Members of the object around it that may stand in an object, or in both. */
  readonly repeats?: readonly string[];
}

const forms = new WeakMap<object, WireForm>();
const none: WireForm = {};

/** The forms of a schema, as an object or a list declares them. */
export function wireForm(type: z.ZodType): WireForm {
  const { inner } = unwrap(type);
  return inner === type ? (forms.get(type) ?? none) : { ...forms.get(inner), ...forms.get(type) };
}

function inForm<T extends z.ZodType>(schema: T, form: WireForm): T {
  // Schemas are shared values: the one with a form is a clone.
  const own = schema.clone();
  const meta = columnMeta(schema);
  if (meta) setColumnMeta(own, meta);
  forms.set(own, { ...forms.get(schema), ...form });
  return own;
}

/** A member that may come under other names. Where several have a value, the first counts: its own, then these in their order. */
export const alias = <T extends z.ZodType>(schema: T, ...names: readonly string[]): T => inForm(schema, { names });

/** An object that may come as the value of one of its members alone. */
export const orShort = <T extends z.ZodObject>(schema: T, short: string & keyof T['shape']): T =>
  inForm(schema, { short });

/** A list that may come as its only item. */
export const orSingle = <T extends z.ZodArray>(schema: T): T => inForm(schema, { single: true });

/** An object in which members of the object around it may stand, too or instead. */
export const repeating = <T extends z.ZodObject>(schema: T, ...repeats: readonly string[]): T =>
  inForm(schema, { repeats });

type Raw = Record<string, unknown>;

const isNothing = (value: unknown) => value === undefined || value === null;

/** A raw value in the form that its schema describes. A value in none of the forms is left as it is, for the schema to refuse. */
export function ownForm(type: z.ZodType, raw: unknown): unknown {
  const { inner } = unwrap(type);
  if (isNothing(raw)) return raw;
  if (inner instanceof z.ZodArray) {
    const list = Array.isArray(raw) || !wireForm(type).single ? raw : [raw];
    return Array.isArray(list) ? list.map((item) => ownForm(inner.element as z.ZodType, item)) : raw;
  }
  if (!(inner instanceof z.ZodObject)) return raw;
  const { short } = wireForm(type);
  if (!isObject(raw)) return short === undefined || Array.isArray(raw) ? raw : { [short]: raw };
  const own = underOwnNames(inner, raw);
  for (const [name, member] of membersOf(inner)) {
    if (Object.hasOwn(own, name)) own[name] = ownForm(member, own[name]);
    if (isObject(own[name])) own[name] = withoutRepeated(own, own[name], wireForm(member).repeats ?? []);
  }
  return own;
}

const membersOf = ({ shape }: z.ZodObject) => Object.entries(shape) as [string, z.ZodType][];

/**
 * An object with its members in their places under the names of the schema: in the order of places unknown members are kept. It inherits nothing,
 * which zod would take for a member `constructor`.
 */
function underOwnNames(type: z.ZodObject, raw: Raw): Raw {
  const left = new Set<string>();
  const ownName = new Map<string, string>();
  for (const [name, member] of membersOf(type)) {
    const { names = [] } = wireForm(member);
    const [from] = [name, ...names].filter((known) => !isNothing(memberOf(raw, known)));
    if (from !== undefined && from !== name) {
      ownName.set(from, name);
      left.add(name);
    }
    for (const other of names) if (isNothing(memberOf(raw, other))) left.add(other);
  }
  const own: Raw = Object.create(null);
  for (const [name, value] of Object.entries(raw)) if (!left.has(name)) own[ownName.get(name) ?? name] = value;
  return own;
}

/** An object without the members it repeats of the one around it, which gets those that it lacks. Members that contradict each other stay. */
function withoutRepeated(around: Raw, inside: Raw, repeats: readonly string[]): Raw {
  const rest: Raw = Object.assign(Object.create(null), inside);
  for (const name of repeats) {
    if (isNothing(around[name]) && inside[name] !== undefined) around[name] = inside[name];
    if (isNothing(inside[name]) || textIn(inside[name]) === textIn(around[name])) delete rest[name];
  }
  return rest;
}
