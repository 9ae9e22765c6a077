import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { catalogue } from '../../../pipelines/index.ts';
import { columnMeta } from '../../../src/core/columns.ts';
import type { Row, Value } from '../../../src/core/columnType.ts';
import { parseLossless } from '../../../src/core/parseLossless.ts';
import { parseRecords } from '../../../src/core/parseRecords.ts';
import { planTable } from '../../../src/core/reader/readPlan.ts';
import { RecordReader } from '../../../src/core/reader/recordReader.ts';
import { contentOf } from '../../../src/core/rowSet.ts';
import { Rows } from '../../../src/core/rows.ts';
import type { Declared, Partition } from '../../../src/core/stream.ts';
import { snakeCase } from '../../../src/core/table.ts';
import { TextHeap } from '../../../src/core/textHeap.ts';
import { arbitraryRecord, asked } from './arbitraryRecord.ts';

const cases = Number(process.env['FIRN_FUZZ'] ?? 20_000);
const network = { networkId: 5, hrp: 'fuji', chains: [] } as never;

/** Streams whose schema can be read from bytes. Their records are judged without what `derive` would add. */
const streams = catalogue.filter(({ table }) => planTable(table, {}) !== undefined);

/** Columns that a member fills. */
function columnsOf(name: string, type: z.ZodType, prefix = ''): string[] {
  if ('unwrap' in type && typeof type.unwrap === 'function') return columnsOf(name, type.unwrap() as z.ZodType, prefix);
  const meta = columnMeta(type);
  if (meta) return meta.echo ? [] : [prefix + (meta.name ?? snakeCase(name))];
  if (!(type instanceof z.ZodObject)) return [];
  return Object.entries(type.shape).flatMap(([inner, its]) =>
    columnsOf(inner, its as z.ZodType, `${prefix}${snakeCase(name)}_`),
  );
}

function readByBytes(stream: Declared, partition: Partition, text: string): Row | undefined {
  const plan = planTable(stream.table, partition.values);
  const heap = new TextHeap();
  const own = new Rows(contentOf(stream.table), heap, partition.values);
  const bytes = Buffer.from(text);
  const reader = new RecordReader(stream.source.numbers, () => {});
  reader.begin(bytes, heap.keep(bytes), { own, children: [] });
  const end = plan ? reader.record(plan, 0) : -1;
  if (end < 0) {
    expect(own.length).toBe(0);
    return undefined;
  }
  expect(end).toBe(bytes.length);
  return own.row(0);
}

/** The same row by JSON.parse and zod; undefined where they refuse the record. */
function readByZod(stream: Declared, partition: Partition, text: string): Row | undefined {
  let raw: unknown;
  try {
    raw = parseLossless(text, { numbers: stream.source.numbers });
  } catch {
    return undefined;
  }
  const { derive: _, ...plain } = stream;
  return parseRecords(plain as Declared, partition, network, [raw]).set.own.last();
}

/** Rows hold numbers where they can, and text as UTF-8. */
function stored(value: Value | undefined): Value {
  if (typeof value === 'string') return Buffer.from(value).toString();
  if (Number.isInteger(value)) return BigInt(value as number);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return value ?? null;
}

describe.each(streams.map((stream) => [stream.id, stream] as const))('%s', (_, stream) => {
  // The partition's columns lead the table: all before the first that a record fills.
  const first = Object.entries(stream.table.schema.shape).flatMap(([name, type]) =>
    columnsOf(name, type as z.ZodType),
  )[0];
  const names = contentOf(stream.table).map(({ name }) => name);
  const leading = names.slice(0, names.indexOf(first ?? '')).filter((name) => name !== 'position');
  const partition: Partition = { values: Object.fromEntries(leading.map((name) => [name, asked])) };
  // What numbers rows that are alike is known only when a page is whole.
  const own = names.filter((name) => name !== 'position');
  it('reads from bytes what JSON.parse and zod give, and takes nothing that they refuse', () => {
    let taken = 0;
    for (const oddity of [0, 1, 10]) {
      fc.assert(
        fc.property(arbitraryRecord(stream.table.schema, oddity), (text) => {
          const read = readByBytes(stream, partition, text);
          if (read === undefined) return;
          taken++;
          const wanted = readByZod(stream, partition, text);
          expect(wanted, text).toBeDefined();
          for (const name of own) expect([name, stored(read[name])]).toEqual([name, stored(wanted?.[name])]);
        }),
        { numRuns: Math.ceil(cases / streams.length / 3) },
      );
    }
    // Its records are UTXOs in hex, which nothing arbitrary is.
    if (stream.id !== 'node/platform_reward_utxos') expect(taken).toBeGreaterThan(0);
  });
});

it('covers streams', () => {
  expect(streams.map(({ id }) => id)).toContain('data/latest_transactions');
});
