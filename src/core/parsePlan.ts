import type { z } from 'zod';
import { columnMeta } from './columnSchema.ts';
import { planStream, type StreamPlan } from './reader/readPlan.ts';
import { snakeCase } from './snakeCase.ts';
import type { Child, Declared, Partition } from './stream.ts';
import { unwrap } from './unwrap.ts';

/** What parsing needs to know of a stream and a partition. */
export interface ParsePlan {
  readonly stream: Declared;
  readonly claims: readonly Claim[];
  readonly children: readonly ChildPlan[];
  readonly reading: StreamPlan;
}

const plans = new WeakMap<Partition, ParsePlan>();

/** Made once a read: made for every page of 100 records it would cost a thirtieth of the load. */
export function parsePlan(stream: Declared, partition: Partition): ParsePlan {
  const known = plans.get(partition);
  if (known?.stream === stream) return known;
  const plan = {
    stream,
    claims: claimsOf(stream, partition),
    children: childPlans(stream, partition),
    reading: planStream(stream, partition.values),
  };
  plans.set(partition, plan);
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

function childPlans(stream: Declared, { values }: Partition): readonly ChildPlan[] {
  const parents = new Set(stream.table.columns.map(({ name }) => name));
  return Object.entries(stream.children).map(([name, child]) => ({
    name,
    child,
    // Every row has the partition's values from its beginning, and what a record says itself does not come from its parent.
    inherited: child.table.columns
      .map((column) => column.name)
      .filter((column) => parents.has(column) && !column.startsWith('_') && values[column] === undefined)
      .filter((column) => !child.table.filled.has(column)),
    numbered:
      child.table.key.includes('position') &&
      child.table.key.some((column) => column !== 'position' && !stream.table.key.includes(column)),
  }));
}

/** A member that says again what was asked for. */
export interface Claim {
  readonly member: string;
  readonly asked: string;
}

/** Members of a record that say again what was asked for. One that fills a column of another name says something else. */
function claimsOf(stream: Declared, partition: Partition): readonly Claim[] {
  return Object.entries(stream.table.schema.shape).flatMap(([member, schema]) => {
    const asked = partition.values[snakeCase(member)];
    const meta = columnMeta(unwrap(schema as z.ZodType).inner);
    return asked !== undefined && meta && meta.name === undefined ? [{ member, asked: asked.toLowerCase() }] : [];
  });
}
