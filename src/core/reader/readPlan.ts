import { z } from 'zod';
import { columnMeta, type WireKind } from '../columns.ts';
import { contentOf } from '../rowSet.ts';
import type { Child } from '../stream.ts';
import { snakeCase, type Table } from '../table.ts';

/** What the reader does with a member. `value`: its schema parses it alone. */
export type MemberKind = Exclude<WireKind, 'made'> | 'value' | 'object' | 'rows' | 'echo';

/** A value of the partition: in lower case, and as it mostly stands in an answer. */
export interface Asked {
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** What is said of a member once. */
interface MemberFacts {
  readonly kind: MemberKind;
  readonly schema: z.ZodType;
  readonly mayMiss: boolean;
  readonly mayBeNull: boolean;
  readonly column?: number;
  readonly textColumn?: number;
  readonly object?: ObjectPlan | undefined;
  readonly rows?: TablePlan | undefined;
  readonly child?: number;
  readonly asked?: Asked | undefined;
}

/** A member of an object, as the reader knows it. A class, so that all have one shape: the reader meets thirty of them a record. */
export class MemberPlan {
  readonly name: string;
  readonly key: Uint8Array;
  readonly kind: MemberKind;
  readonly schema: z.ZodType;
  readonly mayMiss: boolean;
  readonly mayBeNull: boolean;
  /** Number of the column in the table; -1 where the member fills none. */
  readonly column: number;
  /** Column of the digits that the other one cannot hold; -1 where there is none. */
  readonly textColumn: number;
  /** The plan of a nested object. */
  readonly object: ObjectPlan | undefined;
  /** Number of the child that a list fills, and how its rows are read. */
  readonly child: number;
  readonly rows: TablePlan | undefined;
  /** What was asked for, where the member says it again. */
  readonly asked: Asked | undefined;
  /** The member that followed this one the last time: answers nearly always keep an order. */
  next: MemberPlan;
  /** Number of the object in which the member was met last: twice in one object is for zod to judge. */
  metIn: number;

  constructor(name: string, facts: MemberFacts) {
    this.name = name;
    this.key = Buffer.from(name);
    this.kind = facts.kind;
    this.schema = facts.schema;
    this.mayMiss = facts.mayMiss;
    this.mayBeNull = facts.mayBeNull;
    this.column = facts.column ?? -1;
    this.textColumn = facts.textColumn ?? -1;
    this.object = facts.object;
    this.child = facts.child ?? -1;
    this.rows = facts.rows;
    this.asked = facts.asked;
    this.next = this;
    this.metIn = 0;
  }
}

/** An object of the wire: the members that the schema knows. */
export interface ObjectPlan {
  /** Names of the members that lead from the record to the object. */
  readonly path: readonly string[];
  readonly byName: ReadonlyMap<string, MemberPlan>;
  /** Members that must be there. */
  readonly required: number;
  first: MemberPlan | undefined;
}

/** How the rows of one table are read from records. */
export interface TablePlan {
  readonly table: Table;
  readonly object: ObjectPlan;
  /** Number of `_extra` among the columns. */
  readonly extra: number;
  /** Number of `position`, where it is the place in the parent's list; -1 where there is none. */
  readonly position: number;
}

/** A table whose rows come from a list inside the records of another one. */
export interface ListedChild {
  readonly child: Child;
  readonly number: number;
}

/**
 * The plan by which records of a table are read, from its zod schema; undefined where the schema judges more than members one by one.
 *
 * @param values the partition's, which members of the same name must repeat
 * @param lists children by the member that holds their records
 */
export function planTable(
  table: Table,
  values: Readonly<Record<string, string>>,
  lists: ReadonlyMap<string, ListedChild> = new Map(),
): TablePlan | undefined {
  const columns = contentOf(table);
  const place = (name: string) => columns.findIndex((column) => column.name === name);
  const object = planObject(table.schema, [], { place, values, lists });
  return object && { table, object, extra: place('_extra'), position: place('position') };
}

interface Context {
  readonly place: (column: string) => number;
  readonly values: Readonly<Record<string, string>>;
  readonly lists: ReadonlyMap<string, ListedChild>;
}

function planObject(
  schema: z.ZodObject<z.ZodRawShape>,
  path: readonly string[],
  context: Context,
): ObjectPlan | undefined {
  if (schema._zod.def.checks?.length || schema._zod.def.catchall) return undefined;
  const members: MemberPlan[] = [];
  for (const [name, type] of Object.entries(schema.shape)) {
    const member = planMember(name, type as z.ZodType, path, context);
    if (member === undefined) return undefined;
    members.push(member);
  }
  for (const [i, member] of members.entries()) member.next = members[(i + 1) % members.length] as MemberPlan;
  return {
    path,
    byName: new Map(members.map((member) => [member.name, member])),
    required: members.filter(({ mayMiss }) => !mayMiss).length,
    first: members[0],
  };
}

function planMember(name: string, type: z.ZodType, path: readonly string[], context: Context): MemberPlan | undefined {
  const { inner, mayMiss, mayBeNull } = unwrapped(type);
  const meta = columnMeta(inner);
  const common = { schema: inner, mayMiss, mayBeNull };
  if (meta) {
    const asked = path.length === 0 && meta.name === undefined ? askedFor(context.values[snakeCase(name)]) : undefined;
    if (meta.echo) return new MemberPlan(name, { ...common, kind: 'echo', asked });
    const column = context.place([...path.map(snakeCase), meta.name ?? snakeCase(name)].join('_'));
    const textColumn = meta.wide ? column + 1 : -1;
    if (meta.wire === 'made') return undefined;
    return new MemberPlan(name, { ...common, kind: meta.wire ?? 'value', column, textColumn, asked });
  }
  if (inner instanceof z.ZodObject) {
    const object = planObject(inner as z.ZodObject<z.ZodRawShape>, [...path, name], context);
    return object && new MemberPlan(name, { ...common, kind: 'object', object });
  }
  const list = path.length === 0 ? context.lists.get(name) : undefined;
  if (!(inner instanceof z.ZodArray) || !list || inner._zod.def.checks?.length) return undefined;
  const rows = planTable(list.child.table, context.values);
  return rows && new MemberPlan(name, { ...common, kind: 'rows', rows, child: list.number });
}

function unwrapped(schema: z.ZodType): { inner: z.ZodType; mayMiss: boolean; mayBeNull: boolean } {
  let inner = schema;
  let mayMiss = false;
  let mayBeNull = false;
  for (;;) {
    if (inner instanceof z.ZodOptional) mayMiss = true;
    else if (inner instanceof z.ZodNullable) mayBeNull = true;
    else return { inner, mayMiss, mayBeNull };
    inner = inner.unwrap() as z.ZodType;
  }
}

const askedFor = (value: string | undefined): Asked | undefined =>
  value === undefined ? undefined : { text: value.toLowerCase(), bytes: Buffer.from(value) };
