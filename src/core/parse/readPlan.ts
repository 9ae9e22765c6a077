import { z } from 'zod';
import { type ColumnMeta, columnMeta, type WireKind } from '../columns/columnSchema.ts';
import type { Table } from '../columns/table.ts';
import { type ObjectSchema, unwrap } from '../columns/unwrap.ts';
import type { Child, Declared } from '../stream/stream.ts';
import { snakeCase } from '../text/snakeCase.ts';
import { contentOf } from './rowSet.ts';
import { wireForm } from './wireForm.ts';

/** What the reader does with a member. `value`: its schema parses it alone. `misplaced`: it may not stand there. */
export type MemberKind = Exclude<WireKind, 'made'> | 'value' | 'object' | 'rows' | 'echo' | 'repeated' | 'misplaced';

/** A member that may stand in two objects of a record, and where it stood first. */
export interface Repeated {
  readonly member: MemberPlan;
  from: number;
  to: number;
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
  readonly mayBeSingle?: boolean | undefined;
  readonly repeated?: Repeated | undefined;
  readonly asked?: string | undefined;
}

/** A member of an object, as the reader knows it. A class, so that all have one shape: the reader meets thirty of them a record. */
export class MemberPlan {
  readonly name: string;
  /** `"name":` as it nearly always stands, four bytes each, the last of them once more where they do not divide its length. */
  readonly lead: Int32Array;
  readonly leadLength: number;
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
  /** Whether the list may come as its only item. */
  readonly mayBeSingle: boolean;
  readonly repeated: Repeated | undefined;
  /** Name of the partition's value that the member says again. */
  readonly asked: string | undefined;
  /** The member that followed this one the last time: answers nearly always keep an order. */
  next: MemberPlan;
  /** Number of the object in which the member was met last: twice in one object is for zod to judge. */
  metIn: number;
  /** Number of the object of which the member stood elsewhere last. */
  elsewhereIn: number;

  constructor(name: string, facts: MemberFacts) {
    this.name = name;
    const lead = Buffer.from(`${JSON.stringify(name)}:`);
    this.lead = Int32Array.from({ length: Math.ceil(lead.length / 4) }, (_, i) =>
      lead.readInt32LE(Math.min(4 * i, lead.length - 4)),
    );
    this.leadLength = lead.length;
    this.kind = facts.kind;
    this.schema = facts.schema;
    this.mayMiss = facts.mayMiss;
    this.mayBeNull = facts.mayBeNull;
    this.column = facts.column ?? -1;
    this.textColumn = facts.textColumn ?? -1;
    this.object = facts.object;
    this.child = facts.child ?? -1;
    this.rows = facts.rows;
    this.mayBeSingle = facts.mayBeSingle ?? false;
    this.repeated = facts.repeated;
    this.asked = facts.asked;
    this.next = this;
    this.metIn = 0;
    this.elsewhereIn = 0;
  }
}

/** An object of the wire: the members that the schema knows. */
export interface ObjectPlan {
  /** Names of the members that lead from the record to the object. */
  readonly path: readonly string[];
  readonly byName: ReadonlyMap<string, MemberPlan>;
  /** Members that must be there. */
  readonly required: number;
  /** The member by which alone the object may come. */
  readonly short: MemberPlan | undefined;
  first: MemberPlan | undefined;
}

/** How the rows of one table are read from records. */
export interface TablePlan {
  /** What leads from the stream's record to this one: `receipts[].logs[].`. */
  readonly prefix: string;
  readonly object: ObjectPlan;
  /** Number of `_extra` among the columns. */
  readonly extra: number;
  /** Number of `position`, where it is the place in the parent's list; -1 where there is none. */
  readonly position: number;
  /** The column that holds the name of the list, where a child has several. */
  readonly list: { readonly column: number; readonly name: string } | undefined;
}

/** How records of a stream are read: the ways that they may be built in, the usual one first. */
export type StreamPlan = readonly TablePlan[];

/**
 * The plan by which records of a stream are read from bytes, from its zod schemas; none where they judge more than members one by
 * one, or where children are not simply lists of their own inside the record.
 *
 * @param asked names of the partition's values, which members of the same name must repeat
 */
export function planStream(stream: Declared, asked: ReadonlySet<string>): StreamPlan {
  const lists = new Map<string, ListedChild>();
  for (const [number, child] of Object.values(stream.children).entries()) {
    for (const path of [child.of ?? []].flat()) {
      if (lists.has(path)) return [];
      lists.set(path, { child, number });
    }
  }
  const given = { asked, lists };
  const plans = [
    ...(stream.lifts === undefined ? [] : [planTable(stream.table, '', { ...given, lifts: [stream.lifts].flat() })]),
    planTable(stream.table, '', given),
  ];
  return plans.filter((plan) => plan !== undefined);
}

/** A table whose rows come from a list inside the records of another one. */
interface ListedChild {
  readonly child: Child;
  readonly number: number;
}

interface Given {
  readonly asked: ReadonlySet<string>;
  /** Children by the members that lead to their records. */
  readonly lists: ReadonlyMap<string, ListedChild>;
  /** The member that holds all but the lists, and members that stand beside it. */
  readonly lifts?: readonly string[];
}

function planTable(table: Table, prefix: string, given: Given, list?: TablePlan['list']): TablePlan | undefined {
  const columns = contentOf(table);
  const place = (name: string) => columns.findIndex((column) => column.name === name);
  const context = { ...given, place, prefix };
  const object =
    given.lifts === undefined ? planObject(table.schema, [], context) : planLifted(table.schema, given.lifts, context);
  return object && { prefix, object, extra: place('_extra'), position: place('position'), list };
}

interface Context extends Given {
  readonly place: (column: string) => number;
  readonly prefix: string;
}

/** An object whose members but for the lists, and some that are named, stand in an object of their own. */
function planLifted(
  schema: ObjectSchema,
  [name = '', ...beside]: readonly string[],
  context: Context,
): ObjectPlan | undefined {
  const isList = (type: unknown) => unwrap(type as z.ZodType).inner instanceof z.ZodArray;
  const names = Object.keys(schema.shape).filter((member) => !isList(schema.shape[member]) && !beside.includes(member));
  const own = schema.pick(Object.fromEntries(names.map((member) => [member, true])));
  const top = planObject(schema, [], context);
  const object = planObject(own, [], context);
  if (!top || !object) return undefined;
  const holder = { kind: 'object' as const, schema: own, mayMiss: false, mayBeNull: false, object };
  const members = [...top.byName].map(([known, member]): [string, MemberPlan] =>
    member.kind === 'rows' || beside.includes(known)
      ? [known, member]
      : [known, new MemberPlan(known, { ...member, kind: 'misplaced', mayMiss: true })],
  );
  return objectPlan(new Map([[name, new MemberPlan(name, holder)], ...members]), []);
}

function planObject(schema: ObjectSchema, path: readonly string[], context: Context): ObjectPlan | undefined {
  if (schema._zod.def.checks?.length || schema._zod.def.catchall) return undefined;
  const members = new Map<string, MemberPlan>();
  for (const [name, type] of Object.entries(schema.shape)) {
    const member = planMember(name, type as z.ZodType, path, context);
    if (member === undefined) return undefined;
    members.set(name, member);
  }
  for (const [name, type] of Object.entries(schema.shape)) {
    const { names = [], repeats = [] } = wireForm(type as z.ZodType);
    for (const other of names) members.set(other, members.get(name) as MemberPlan);
    for (const again of repeats) repeat(again, members, members.get(name)?.object);
  }
  return objectPlan(members, path, members.get(wireForm(schema).short ?? ''));
}

/** Lets a member stand in an object, in the one inside of it, or in both. */
function repeat(name: string, around: Map<string, MemberPlan>, inside: ObjectPlan | undefined): void {
  const member = around.get(name) as MemberPlan;
  const repeated = { member, from: 0, to: 0 };
  for (const byName of [around, inside?.byName as Map<string, MemberPlan>])
    byName.set(name, new MemberPlan(name, { ...member, kind: 'repeated', repeated }));
}

function objectPlan(byName: ReadonlyMap<string, MemberPlan>, path: readonly string[], short?: MemberPlan): ObjectPlan {
  const members = [...new Set(byName.values())];
  for (const [i, member] of members.entries()) member.next = members[(i + 1) % members.length] as MemberPlan;
  const required = members.filter(({ mayMiss }) => !mayMiss).length;
  return { path, byName, required, short: required === 0 ? short : undefined, first: members[0] };
}

function planMember(name: string, type: z.ZodType, path: readonly string[], context: Context): MemberPlan | undefined {
  // What a lenient one does not take is for zod to judge.
  const { inner, mayMiss, mayBeNull } = unwrap(type);
  const meta = columnMeta(inner);
  const common = { schema: inner, mayMiss, mayBeNull };
  if (meta) {
    const facts = planValue(name, meta, path, context);
    return facts && new MemberPlan(name, { ...common, ...facts });
  }
  if (inner instanceof z.ZodObject) {
    const object = planObject(inner as z.ZodObject<z.ZodRawShape>, [...path, name], context);
    return object && new MemberPlan(name, { ...common, kind: 'object', object });
  }
  const list = path.length === 0 ? context.lists.get(`${context.prefix.replaceAll('[]', '')}${name}`) : undefined;
  if (!(inner instanceof z.ZodArray) || !list || inner._zod.def.checks?.length) return undefined;
  const { asked, lists, prefix } = context;
  const { table, listed } = list.child;
  if (unwrap(inner.element as z.ZodType).inner !== table.schema) return undefined;
  const column = contentOf(table).findIndex(({ name: own }) => own === listed);
  const rows = planTable(table, `${prefix}${name}[].`, { asked, lists }, column < 0 ? undefined : { column, name });
  const mayBeSingle = wireForm(type).single;
  return rows && new MemberPlan(name, { ...common, kind: 'rows', rows, child: list.number, mayBeSingle });
}

/** How a member that fills a column is read; undefined for one that no answer has. */
function planValue(name: string, meta: ColumnMeta, path: readonly string[], context: Context) {
  const own = snakeCase(name);
  if (meta.echo) {
    const asked = path.length === 0 && meta.name === undefined && context.asked.has(own) ? own : undefined;
    return { kind: meta.wire === 'elsewhere' ? 'elsewhere' : 'echo', asked } as const;
  }
  const column = context.place([...path.map(snakeCase), meta.name ?? own].join('_'));
  if (meta.wire === 'made') return undefined;
  return { kind: meta.wire ?? 'value', column, textColumn: meta.wide ? column + 1 : -1 } as const;
}
