import { z } from 'zod';
import { columnMeta } from '../core/columns.ts';
import { duckdbType, type Row } from '../core/columnType.ts';
import { parseLossless } from '../core/parseLossless.ts';
import type { Declared, Partition } from '../core/stream.ts';
import { unwrap } from '../core/table.ts';

/** Columns of a stream's key that tell the records of one partition apart. */
const telling = ({ table }: Declared, partition: Partition): readonly string[] =>
  table.key.filter((name) => !(name in partition.values));

/**
 * The key of a record that could not be read as a whole, as a JSON list of texts; null where a part of the key is missing,
 * wrong, or not the record's own to say (a position in a list). Its other members may change with every answer (an uptime, a
 * balance): known by its content alone, such a record would be another one in every run.
 */
export function recordKey(stream: Declared, partition: Partition, record: string): string | null {
  const row: Row = {};
  stream.table.fill(row, readableMembers(stream.table.schema, parsed(stream, record)));
  const values = telling(stream, partition).map((name) => row[name] ?? null);
  if (values.some((value) => value === null || typeof value === 'object')) return null;
  return JSON.stringify(values.map(String));
}

/** The same of the rows of a relation with the columns of the stream's table, as an SQL expression. */
export function recordKeySql(stream: Declared, partition: Partition): string {
  const types = new Map(stream.table.columns.map(({ name, type }) => [name, duckdbType(type)]));
  const texts = telling(stream, partition).map((name) =>
    types.get(name) === 'TIMESTAMP' ? `epoch_us("${name}")::VARCHAR` : `"${name}"::VARCHAR`,
  );
  return `to_json([${texts.join(', ')}]::VARCHAR[])::VARCHAR`;
}

/** The members of a record that can be read. */
function readableMembers(schema: z.ZodObject<z.ZodRawShape>, raw: unknown): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  if (raw === null || typeof raw !== 'object') return found;
  for (const [member, type] of Object.entries(schema.shape)) {
    const value = (raw as Record<string, unknown>)[member];
    const { inner } = unwrap(type as z.ZodType);
    if (value === undefined) continue;
    if (inner instanceof z.ZodObject) found[member] = readableMembers(inner, value);
    else if (columnMeta(inner)) found[member] = inner.safeParse(value).data;
  }
  return found;
}

function parsed(stream: Declared, record: string): unknown {
  if (!record.startsWith('{')) return null;
  try {
    return parseLossless(record, { numbers: stream.source.numbers });
  } catch {
    return null;
  }
}
