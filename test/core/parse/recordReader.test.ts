import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { catalogue } from '../../../pipelines/index.ts';
import { columnMeta } from '../../../src/core/columns/columnSchema.ts';
import type { Value } from '../../../src/core/columns/columnType.ts';
import { unwrap } from '../../../src/core/columns/unwrap.ts';
import { jsonText } from '../../../src/core/json/jsonText.ts';
import { parseLossless } from '../../../src/core/json/parseLossless.ts';
import { type Part, RawValue } from '../../../src/core/json/rawValue.ts';
import { parseRecords } from '../../../src/core/parse/parseRecords.ts';
import { planStream } from '../../../src/core/parse/readPlan.ts';
import { askedValues, RecordReader } from '../../../src/core/parse/recordReader.ts';
import { RowSet, recycleRowSets } from '../../../src/core/parse/rowSet.ts';
import type { Partition } from '../../../src/core/stream/partition.ts';
import type { Declared } from '../../../src/core/stream/stream.ts';
import { snakeCase } from '../../../src/core/text/snakeCase.ts';
import { encodeHexChecksum } from '../../../src/decode/bytes/hexChecksum.ts';
import { fuzzCases } from '../../fuzzRuns.ts';
import { arbitraryRecord, asked } from './arbitraryRecord.ts';
import { objectsOf, type PageObjects } from './objectsOf.ts';

const network = { networkId: 5, hrp: 'fuji', chains: [] } as never;

/** Streams whose records can be read from bytes; without what `derive` would add. */
const streams = catalogue
  .filter((stream) => planStream(stream, new Set()).length > 0)
  .map(({ derive: _, ...stream }) => stream as Declared);

/** Columns that a member fills. */
function columnsOf(name: string, type: z.ZodType, prefix = ''): string[] {
  const { inner } = unwrap(type);
  const meta = columnMeta(inner);
  if (meta)
    return meta.echo ? [] : [meta.name ?? snakeCase(name)].flatMap((own) => [prefix + own, `${prefix + own}_text`]);
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape).flatMap(([member, its]) =>
    columnsOf(member, its as z.ZodType, `${prefix}${snakeCase(name)}_`),
  );
}

/** Tells whether the reader takes a record at all. */
function taker(stream: Declared, partition: Partition): (record: RawValue) => boolean {
  const set = new RowSet(stream, partition);
  const reader = new RecordReader(stream.source.numbers, askedValues(partition), () => {});
  reader.into({ own: set.own, children: Object.values(set.children) });
  const plans = planStream(stream, new Set(Object.keys(partition.values)));
  return (record) =>
    plans.some((plan) => {
      const taken = reader.record(plan, record);
      set.clear();
      return taken;
    });
}

/** What becomes of records. Their columns are given back, as a load does: made anew for each case they would be most of its cost. */
function readObjects(stream: Declared, partition: Partition, raws: readonly unknown[]): PageObjects {
  const page = parseRecords(stream, partition, network, raws);
  const objects = objectsOf(page);
  recycleRowSets(stream, [page.set]);
  return objects;
}

/** Compares two pages; the difference is worked out only where there is one. */
function expectSame(read: PageObjects, wanted: PageObjects, text: string): void {
  const [one, other] = [comparable(read), comparable(wanted)];
  if (!isDeepStrictEqual(one, other)) expect(one, text).toEqual(other);
}

/** Rows hold numbers where they can, and text as UTF-8. */
function stored(value: unknown): Value {
  if (typeof value === 'string') return Buffer.from(value).toString();
  if (Number.isInteger(value)) return BigInt(value as number);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return (value as Value | undefined) ?? null;
}

/** A page to be compared with another. */
const comparable = ({ rows, children, quarantined, unknown }: PageObjects) => ({
  rows: rows.map((row) => Object.entries(row).map(([name, value]) => [name, stored(value)])),
  children: Object.entries(children).map(([name, its]) => [
    name,
    its.map((row) => Object.entries(row).map(([column, value]) => [column, stored(value)])),
  ]),
  quarantined,
  unknown: unknown.toSorted((a, b) => (a.member < b.member ? -1 : 1)),
});

/** A partition with a value for every column that no member fills. */
function partitionOf(stream: Declared): Partition {
  const own = new Set(
    Object.entries(stream.table.schema.shape).flatMap(([name, type]) => columnsOf(name, type as z.ZodType)),
  );
  const leading = stream.table.columns.filter(({ name, type }) => type === 'varchar' && !own.has(name));
  return { values: Object.fromEntries(leading.map(({ name }) => [name, asked])) };
}

describe.each(streams.map((stream) => [stream.id, stream] as const))('%s', (_, stream) => {
  const partition = partitionOf(stream);

  test('reads from bytes what JSON.parse and zod give, and what they refuse goes their way', { tags: 'long' }, () => {
    const isTaken = taker(stream, partition);
    let taken = 0;
    for (const oddity of [0, 1, 10]) {
      fc.assert(
        fc.property(arbitraryRecord(stream.table.schema as z.ZodType, oddity), (text) => {
          const bytes = Buffer.from(text);
          const record = new RawValue(bytes, 0, bytes.length);
          let raw: unknown;
          try {
            raw = parseLossless(text, { numbers: stream.source.numbers });
          } catch {
            assert.throws(() => parseRecords(stream, partition, network, [record]), /no valid JSON/);
            return;
          }
          const read = readObjects(stream, partition, [record]);
          const wanted = readObjects(stream, partition, [raw]);
          expectSame(read, wanted, text);
          // A row, or a quarantined record: never both, and never neither.
          assert.equal(read.rows.length + read.quarantined.length, 1, text);
          if (isTaken(record)) {
            taken++;
            assert.equal(wanted.rows.length, 1, text);
          }
        }),
        { numRuns: Math.ceil(fuzzCases / streams.length / 3), endOnFailure: true },
      );
    }
    // Its records are UTXOs in hex, which nothing arbitrary is.
    if (stream.id !== 'node/platform_reward_utxos') expect(taken).toBeGreaterThan(0);
  });
});

/** A value in the form that code which joins several answers to records gives. */
function partOf(value: unknown): Part {
  if (value === null || typeof value === 'boolean' || Number.isSafeInteger(value)) return value as Part;
  return Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null)
    ? RawValue.of(value.map(jsonText))
    : (RawValue.of([jsonText(value)])[0] as RawValue);
}

test.each(['node/evm_blocks', 'node/containers'])('%s: what stands elsewhere has the last word', (id) => {
  const stream = streams.find((candidate) => candidate.id === id) as Declared;
  const partition = partitionOf(stream);
  const record = arbitraryRecord(stream.table.schema as z.ZodType, 0);
  fc.assert(
    fc.property(record, record, fc.nat(2 ** 20), (text, other, bits) => {
      const { numbers } = stream.source;
      const inside = new RawValue(Buffer.from(text));
      const members = Object.entries(parseLossless(other, { numbers }) as object)
        .filter((_, i) => (bits >> (i % 20)) % 2 === 1)
        .map(([name, value]) => [name, partOf(value)]);
      const raw = inside.with(Object.fromEntries(members));
      const read = readObjects(stream, partition, [raw]);
      expectSame(read, readObjects(stream, partition, [raw.parse({ numbers })]), raw.text());
    }),
    { endOnFailure: true },
  );
});

test('takes a record of which a member stands inside and elsewhere', () => {
  const stream = streams.find(({ id }) => id === 'node/containers') as Declared;
  const { values } = partitionOf(stream);
  const [timestamp, timestampText] = RawValue.of(['"2026-01-20T00:00:00Z"', '"2026"']) as [RawValue, RawValue];
  const inside = new RawValue(
    Buffer.from(`{"id":"a","bytes":"${encodeHexChecksum(Buffer.of(7))}","timestamp":"","encoding":"hex","index":"1"}`),
  );
  const set = new RowSet(stream, { values });
  const plans = planStream(stream, new Set(Object.keys(values)));
  // Each page has a reader of its own, on the same plans.
  for (const raw of [inside.with({ timestamp, timestampText }), inside.with({ timestamp, timestampText })]) {
    const reader = new RecordReader('lossless', askedValues({ values }), () => {});
    reader.into({ own: set.own, children: Object.values(set.children) });
    expect(plans.some((plan) => reader.record(plan, raw))).toBe(true);
  }
});

test('keeps unknown members in the order of their places, also below a member that came under another name', () => {
  const stream = streams.find(({ id }) => id === 'data/token_transfers') as Declared;
  const partition = partitionOf(stream);
  const parties = '"from":{"address":"0xa1"},"to":{"address":"0xb2"},"value":"7"';
  const token = '"erc20Token":{"address":"0xc3","ercType":"ERC-20","odd":true},"odd":1';
  const text = `{"blockNumber":"2","blockTimestamp":7,"blockHash":"0xd4","txHash":"0xe5","logIndex":1,${parties},${token}}`;
  const bytes = Buffer.from(text);
  const read = readObjects(stream, partition, [new RawValue(bytes, 0, bytes.length)]);
  expectSame(read, readObjects(stream, partition, [parseLossless(text)]), text);
  expect(read.rows[0]?.['_extra']).toBe('{"token":{"odd":true},"odd":1}');
});

test.each(['null', '[]', '"7", null', 'null, {"amount": "7"}'])(
  "a list of amounts with %s in it goes zod's way",
  (items) => {
    const stream = streams.find(({ id }) => id === 'data/primary_transactions') as Declared;
    const partition = partitionOf(stream);
    const text = `{"txHash":"a","txType":"BaseTx","timestamp":1,"blockNumber":"2","blockHash":"b","value":[${items}],"amountBurned":[]}`;
    const bytes = Buffer.from(text);
    const read = readObjects(stream, partition, [new RawValue(bytes, 0, bytes.length)]);
    expectSame(read, readObjects(stream, partition, [parseLossless(text)]), text);
    expect(read.quarantined).toMatchObject([{ reason: expect.stringMatching(/^value\.\d: .*expected object/) }]);
  },
);

test('covers every stream', () => {
  expect(streams.map(({ id }) => id)).toEqual(catalogue.map(({ id }) => id));
});

test('hex with a byte that JSON forbids is not taken', () => {
  const stream = streams.find(({ id }) => id === 'node/evm_blocks') as Declared;
  const isTaken = taker(stream, partitionOf(stream));
  const [text = ''] = fc.sample(arbitraryRecord(stream.table.schema as z.ZodType, 0), { numRuns: 1, seed: 1 });
  const taken = ['"0xab"', '"0xab\u0000"'].map((hex) => {
    const bytes = Buffer.from(text.replace(/"0x[0-9a-fA-F]*"/, hex));
    return isTaken(new RawValue(bytes, 0, bytes.length));
  });
  expect(taken).toEqual([true, false]);
});
