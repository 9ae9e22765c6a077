import type { z } from 'zod';
import { columnMeta } from '../columns/columnSchema.ts';
import type { Table } from '../columns/table.ts';
import { unwrap } from '../columns/unwrap.ts';
import type { Partition } from '../stream/partition.ts';
import type { Child, Declared } from '../stream/stream.ts';
import { snakeCase } from '../text/snakeCase.ts';
import { planStream, type StreamPlan } from './readPlan.ts';

/** What parsing needs to know of a stream and of its partitions. */
export interface ParsePlan {
  readonly claims: readonly Claim[];
  readonly children: readonly ChildPlan[];
  readonly reading: StreamPlan;
}

/** By the table of the stream: a worker of a cluster reads each part by a stream of its own. */
const plans = new WeakMap<Table, Map<string, ParsePlan>>();

/** Made once for all partitions whose values have the same names: it costs several milliseconds. */
export function parsePlan(stream: Declared, { values }: Partition): ParsePlan {
  const known = plans.get(stream.table) ?? new Map<string, ParsePlan>();
  plans.set(stream.table, known);
  const names = Object.keys(values);
  const key = names.join();
  const asked = new Set(names);
  const plan = known.get(key) ?? {
    claims: claimsOf(stream, asked),
    children: childPlans(stream, asked),
    reading: planStream(stream, asked),
  };
  known.set(key, plan);
  return plan;
}

/** The same of a child of the stream. */
export interface ChildPlan {
  readonly name: string;
  readonly child: Child;
  /** Columns that a child has from its parent's row. */
  readonly inherited: readonly string[];
  /** Whether `position` counts rows that are alike; else it is the place in the record's own list. */
  readonly numbered: boolean;
}

function childPlans(stream: Declared, asked: ReadonlySet<string>): readonly ChildPlan[] {
  const parents = new Set(stream.table.columns.map(({ name }) => name));
  return Object.entries(stream.children).map(([name, child]) => ({
    name,
    child,
    // Every row has the partition's values from its beginning, and what a record says itself does not come from its parent.
    inherited: child.table.columns
      .map((column) => column.name)
      .filter((column) => parents.has(column) && !column.startsWith('_') && !asked.has(column))
      .filter((column) => !child.table.filled.has(column)),
    numbered:
      child.table.key.includes('position') &&
      child.table.key.some((column) => column !== 'position' && !stream.table.key.includes(column)),
  }));
}

/** A member that says a value of the partition again, and that value's name. */
export interface Claim {
  readonly member: string;
  readonly name: string;
}

/** Members of a record that say again what was asked for. One that fills a column of another name says something else. */
function claimsOf(stream: Declared, asked: ReadonlySet<string>): readonly Claim[] {
  return Object.entries(stream.table.schema.shape).flatMap(([member, schema]) => {
    const name = snakeCase(member);
    const meta = columnMeta(unwrap(schema as z.ZodType).inner);
    return asked.has(name) && meta && meta.name === undefined ? [{ member, name }] : [];
  });
}
