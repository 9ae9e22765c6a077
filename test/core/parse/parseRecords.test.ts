import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  amount,
  echo,
  int32,
  int64,
  named,
  optional,
  rfc3339,
  text,
  texts,
  uint64,
  uint256,
  unixSeconds,
} from '../../../src/core/columns/columns.ts';
import { createTableSql, defineTable } from '../../../src/core/columns/table.ts';
import { parseLossless } from '../../../src/core/json/parseLossless.ts';
import { RawValue } from '../../../src/core/json/rawValue.ts';
import { parsePlan } from '../../../src/core/parse/parsePlan.ts';
import { parseRecords } from '../../../src/core/parse/parseRecords.ts';
import { dropRowSets, recycleRowSets, takeRowSet } from '../../../src/core/parse/rowSet.ts';
import type { Rows } from '../../../src/core/rows/rows.ts';
import { rowAppender } from '../../../src/core/rows/rowWriter.ts';
import { defineStream } from '../../../src/core/stream/defineStream.ts';
import type { NetworkFacts } from '../../../src/core/stream/network.ts';
import type { Partition } from '../../../src/core/stream/partition.ts';
import type { Derived, Deriving, Stream } from '../../../src/core/stream/stream.ts';
import { snakeCase } from '../../../src/core/text/snakeCase.ts';
import { objectsOf, type PageObjects } from './objectsOf.ts';
import { parsed } from './parsed.ts';
import { ways } from './ways.ts';

const network: NetworkFacts = { networkId: 1, network: 'mainnet', hrp: 'avax', chains: [] };
const partition: Partition = { values: { chain_id: '43114', address: '0xAA' } };

const item = z.object({ logIndex: int32('Log.'), value: uint256('Amount.') });
// A member of the name of a key column of the parent's.
const place = z.object({ value: uint256('Amount.'), address: optional(named('its_address', text('Account.'))) });
const made = z.object({ value: uint256('Amount.'), owner: optional(text('Owner.')) });
const stream = defineStream(
  { name: 'data', description: 'A source.', numbers: 'lossless' },
  {
    name: 'things',
    description: 'Things.',
    endpoint: 'GET /things',
    parameters: z.strictObject({}),
    partitionColumns: [
      { name: 'chain_id', description: 'Chain.' },
      { name: 'address', description: 'Owner.' },
    ],
    partitions: () => [partition],
    schema: z.object({
      txHash: text('Hash.'),
      blockNumber: int64('Height.'),
      blockTimestamp: optional(unixSeconds('Time.')),
      chainId: optional(echo('Chain.')),
      address: optional(named('contract_address', text('Contract.'))),
      from: z.object({ address: optional(text('Account.')), decimals: optional(int32('Decimals.')) }).nullish(),
      owners: optional(texts('Owners.')),
      balance: optional(amount('Balance.')),
      items: z.array(item).nullish(),
      places: z.array(place).nullish(),
    }),
    key: ['chain_id', 'address', 'tx_hash'],
    range: 'block_number',
    children: {
      things_items: { description: 'Items.', schema: item, key: ['log_index'], of: 'items' },
      things_made: { description: 'Made of a row.', schema: made, key: ['position'] },
      things_places: { description: 'Items by place.', schema: place, key: ['position'], of: 'places' },
    },
    way: 'snapshot',
    *pages() {},
    records: 'items',
  },
) as unknown as Stream;

const good = { txHash: '0x1', blockNumber: '7' };

describe.each(ways)('parseRecords, of records that came %s', (_, given) => {
  const parse = (...raws: unknown[]): PageObjects => parsed(stream, partition, network, raws.map(given));

  test('makes rows of partition values, columns and children', () => {
    const page = parse({
      ...good,
      blockTimestamp: 5,
      from: { address: '0xbb' },
      items: [
        { logIndex: 3, value: '1' },
        { logIndex: 4, value: 2 },
      ],
      places: [{ value: '1' }, { value: 2 }],
    });
    expect(page.quarantined).toEqual([]);
    expect(page.rows).toMatchObject([
      {
        chain_id: '43114',
        address: '0xAA',
        tx_hash: '0x1',
        block_number: 7,
        block_timestamp: 5_000_000,
        from_address: '0xbb',
        from_decimals: null,
        _extra: null,
      },
    ]);
    const parent = { chain_id: '43114', address: '0xAA', tx_hash: '0x1', block_number: 7 };
    expect(page.children['things_items']).toMatchObject([
      { ...parent, log_index: 3, value: 1, value_text: null },
      { ...parent, log_index: 4, value: 2 },
    ]);
    expect(page.children['things_places']).toMatchObject([
      { ...parent, position: 0, value: 1 },
      { ...parent, position: 1, value: 2 },
    ]);
  });

  test.each<[string, object, object]>([
    ['null for an object', { from: null }, { from_address: null, from_decimals: null }],
    ['null for a list', { items: null, owners: null }, { owners: null }],
    ['a number for text', { txHash: 5 }, { tx_hash: '5' }],
    ['text for a number', { from: { decimals: '18' } }, { from_decimals: 18 }],
    ['2^63-1', { blockNumber: 2n ** 63n - 1n }, { block_number: 2n ** 63n - 1n }],
    ['a negative amount', { balance: '-5' }, { balance: -5 }],
  ])('takes %s', (_, change, row) => {
    const page = parse({ ...good, ...change });
    expect(page.quarantined).toEqual([]);
    expect(page.rows).toMatchObject([row]);
  });

  test.each<[string, unknown, RegExp]>([
    ['no member', {}, /^txHash: .*; blockNumber: expected a signed 64-bit integer, got nothing$/],
    ['a missing member', { blockNumber: 1 }, /^txHash: expected text, got nothing$/],
    ['a fraction', { ...good, blockNumber: 1.5 }, /^blockNumber: expected a signed 64-bit integer, got 1.5$/],
    [
      '2^63',
      { ...good, blockNumber: '0x8000000000000000' },
      /^blockNumber: expected a signed 64-bit integer, got "0x8/,
    ],
    ['text for an object', { ...good, from: 'x' }, /^from: /],
    [
      'a bad item of a list',
      { ...good, items: [{ logIndex: 0, value: -1 }] },
      /^items\.0\.value: expected an integer below 2\^256, got -1$/,
    ],
    ['nothing', null, /^record: /],
    ['text', 'x', /^record: /],
    ['many faults at once', { from: 1, items: 2, owners: 3 }, /; .*; .* \(and 2 more\)$/],
  ])('sets aside a record with %s, alone and whole', (_, raw, reason) => {
    const page = parse(good, raw, { ...good, txHash: '0x2' });
    expect(page.rows.map((row) => row['tx_hash'])).toEqual(['0x1', '0x2']);
    expect(page.quarantined).toEqual([{ record: JSON.stringify(raw), reason: expect.stringMatching(reason) }]);
  });

  test('keeps every digit of a record in quarantine', () => {
    const page = parse({ ...good, blockNumber: 2n ** 64n });
    expect(page.quarantined[0]?.record).toBe('{"txHash":"0x1","blockNumber":18446744073709551616}');
  });

  test('puts what does not fit 38 digits beside the column, as text', () => {
    const huge = 2n ** 256n - 1n;
    const page = parse({
      ...good,
      items: [
        { logIndex: 0, value: huge },
        { logIndex: 1, value: 10n ** 38n - 1n },
        { logIndex: 2, value: 10n ** 38n },
      ],
    });
    expect(page.children['things_items']).toMatchObject([
      { value: null, value_text: String(huge) },
      { value: 10n ** 38n - 1n, value_text: null },
      { value: null, value_text: String(10n ** 38n) },
    ]);
  });

  test('keeps unknown members at every depth, and names them once', () => {
    const page = parse(
      {
        ...good,
        future: { a: 1n << 64n },
        from: { address: 'x', rank: 1 },
        items: [{ logIndex: 0, value: 1, more: 'y' }],
      },
      { ...good, txHash: '0x2', future: 'again' },
    );
    expect(page.rows[0]?.['_extra']).toBe('{"future":{"a":18446744073709551616},"from":{"rank":1}}');
    expect(page.children['things_items']?.[0]?.['_extra']).toBe('{"more":"y"}');
    expect(page.unknown.toSorted((a, b) => (a.member < b.member ? -1 : 1))).toEqual([
      { member: 'from.rank', example: '1' },
      { member: 'future', example: '{"a":18446744073709551616}' },
      { member: 'items[].more', example: '"y"' },
    ]);
  });

  test('names an unknown member that only an item has', () => {
    const page = parse({ ...good, items: [{ logIndex: 0, value: 1, more: 'y' }] });
    expect(page.unknown).toEqual([{ member: 'items[].more', example: '"y"' }]);
  });

  test('takes nothing of a record of which an item holds what is nested too deep', () => {
    const deep = parseLossless(`{"logIndex":1,"value":1,"deep":${'['.repeat(200)}${']'.repeat(200)}}`);
    const page = parse({ ...good, txHash: '0x0' }, { ...good, items: [{ logIndex: 0, value: 1 }, deep] });
    expect(page.rows).toMatchObject([{ tx_hash: '0x0' }]);
    expect(page.children).toEqual({ things_items: [], things_made: [], things_places: [] });
    expect(page.quarantined).toEqual([{ record: expect.stringContaining('0x1'), reason: expect.any(String) }]);
  });

  test.each(['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty'])(
    'keeps an unknown member %s',
    (name) => {
      const raw = JSON.parse(`{"txHash":"0x1","blockNumber":"7","${name}":{"a":1},"from":{"${name}":2}}`);
      const page = parse(raw);
      expect(page.rows[0]?.['_extra']).toBe(`{"${name}":{"a":1},"from":{"${name}":2}}`);
      expect(page.unknown.map(({ member }) => member)).toEqual([name, `from.${name}`]);
    },
  );

  test('sets aside a record that says another partition than was asked for, whatever the case of its letters', () => {
    expect(parse({ ...good, chainId: '43114' }).quarantined).toEqual([]);
    expect(parse({ ...good, chainId: 43114 }).quarantined).toEqual([]);
    const lettered = { values: { chain_id: 'aBc', address: '0xAA' } };
    expect(parsed(stream, lettered, network, [given({ ...good, chainId: 'AbC' })]).quarantined).toEqual([]);
    const page = parse({ ...good, chainId: '1' });
    expect(page.rows).toEqual([]);
    expect(page.quarantined[0]?.reason).toBe('chainId is 1, but 43114 was asked for');
  });

  test('does not take a member that fills a column of another name for the partition value', () => {
    const page = parse({ ...good, address: '0xcc' });
    expect(page.quarantined).toEqual([]);
    expect(page.rows).toMatchObject([{ address: '0xAA', contract_address: '0xcc' }]);
  });

  test('adds what a stream derives, and sets aside what it has to say without losing the record', () => {
    const add = rowAppender(made);
    const derive = ({ value, children }: Deriving): Derived => {
      for (const amount of [2, 2n ** 200n]) add(children['things_made'] as Rows, { value: amount, owner: null });
      return { columns: { balance: 9 }, problems: value('tx_hash') === '0x2' ? ['the bytes are odd'] : [] };
    };
    const odd = { ...good, txHash: '0x2' };
    const page = parsed(
      { ...stream, derive } as Stream,
      partition,
      network,
      [good, odd, { ...good, txHash: '0x3' }].map(given),
    );
    expect(page.rows).toMatchObject(['0x1', '0x2', '0x3'].map((tx_hash) => ({ tx_hash, balance: 9 })));
    expect(page.children['things_made']).toMatchObject(
      ['0x1', '0x3'].flatMap((tx_hash) => [
        { address: '0xAA', tx_hash, block_number: 7, position: 0, value: 2, value_text: null },
        { address: '0xAA', tx_hash, block_number: 7, position: 1, value: null, value_text: String(2n ** 200n) },
      ]),
    );
    expect(page.quarantined).toEqual([{ record: JSON.stringify(odd), reason: 'the bytes are odd' }]);
  });
});

test('says the first of very many problems of a record', () => {
  const raw = { ...good, items: Array.from({ length: 150_000 }, () => ({ value: '1' })) };
  const { rows, quarantined } = parsed(stream, partition, network, [raw]);
  expect([rows, quarantined.map(({ reason }) => reason)]).toEqual([
    [],
    ['items.0.logIndex: expected a 32-bit integer, got nothing'],
  ]);
});

describe('tables', () => {
  test('have partition, record, technical and history columns, in this order', () => {
    expect(
      stream.table.columns.map(({ name, type, nullable }) => `${name} ${type}${nullable ? '' : ' not null'}`),
    ).toEqual([
      'chain_id varchar not null',
      'address varchar not null',
      'tx_hash varchar not null',
      'block_number bigint not null',
      'block_timestamp timestamp',
      'contract_address varchar',
      'from_address varchar',
      'from_decimals integer',
      'owners varchars',
      'balance decimal38',
      '_load_id bigint not null',
      '_extra json',
      '_valid_from timestamp not null',
      '_valid_to timestamp',
    ]);
  });

  test("of children begin with the parent's key and range, and keep the parent's history", () => {
    const { table } = stream.children['things_items'] ?? {};
    expect(table?.key).toEqual(['chain_id', 'address', 'tx_hash', 'log_index']);
    expect(table?.columns.slice(0, 4).map(({ name }) => name)).toEqual([
      'chain_id',
      'address',
      'tx_hash',
      'block_number',
    ]);
    expect(table?.columns.at(-1)?.name).toBe('_valid_to');
  });

  test('are made with every column described', () => {
    expect(createTableSql(stream.table)).toMatch(
      /^CREATE TABLE IF NOT EXISTS raw\.data_things \(\n {2}"chain_id" VARCHAR NOT NULL,\n/,
    );
    expect(stream.table.columns.every(({ description }) => description !== '')).toBe(true);
  });

  test('refuse a column that is declared twice, and a key without a column', () => {
    const options = { name: 'raw.t', description: 't', schema: z.object({ aB: text('1') }), key: ['a_b'] };
    expect(() =>
      defineTable({ ...options, schema: z.object({ aB: text('1'), a: z.object({ b: text('2') }) }) }),
    ).toThrow(/column a_b twice/);
    expect(() => defineTable({ ...options, key: ['nothing'] })).toThrow(/no column nothing/);
    expect(() => defineTable({ ...options, schema: z.object({ a: z.string() }) })).toThrow(
      /member a is neither a column/,
    );
  });

  test.each<[string, z.ZodType]>([
    ['VARCHAR', text('1')],
    ['DECIMAL(38,0)', amount('1')],
    ['VARCHAR[]', optional(texts('1'))],
  ])('are searched by integers and times alone, not by a column that is %s', (type, at) => {
    const table = { name: 'raw.t', description: 't', key: ['at'], range: 'at' };
    expect(() => defineTable({ ...table, schema: z.object({ at }) })).toThrow(
      `table raw.t: its range at is ${type}: declare it by int64(…), unixSeconds(…)`,
    );
    for (const right of [int32('1'), int64('1'), uint64('1'), unixSeconds('1'), optional(rfc3339('1'))])
      expect(defineTable({ ...table, schema: z.object({ at: right }) }).range).toBe('at');
  });

  test.each(['my-col', 'größe', '@type', 'rowid', 'RowID', 'a b', '"', ''])('have no column %j', (name) => {
    const table = { name: 'raw.t', description: 't', key: ['a'] };
    const schema = z.object({ a: text('1'), other: named(name, text('2')) });
    expect(() => defineTable({ ...table, schema })).toThrow(`raw.t cannot have a column ${name}: write letters from`);
  });

  test.each([
    ['blockTimestamp', 'block_timestamp'],
    ['nodeIDs', 'node_ids'],
    ['baseFeePerGas', 'base_fee_per_gas'],
    ['vmId', 'vm_id'],
    ['benchedPChainRequestsPercent', 'benched_p_chain_requests_percent'],
    ['URLOf', 'url_of'],
    ['already_snake', 'already_snake'],
  ])('%s becomes %s', (member, column) => {
    expect(snakeCase(member)).toBe(column);
  });
});

// A plan and a set for each of 2,000 addresses took 1.8 GB.
test('partitions of a stream share a plan and sets of rows, but not their values', () => {
  const [one, other] = ['43114', '1'].map((chain_id): Partition => ({ values: { chain_id, address: '0xAA' } }));
  const raws = (chainId: string) =>
    RawValue.of([JSON.stringify({ ...good, chainId, owners: [], items: [], from: null })]);
  expect(parsePlan(stream, one as Partition)).toBe(parsePlan({ ...stream }, other as Partition));
  expect(parsePlan(stream, { values: { chain_id: '1' } })).not.toBe(parsePlan(stream, other as Partition));
  const first = parseRecords(stream, one as Partition, network, [...raws('43114'), ...raws('1')]);
  expect(objectsOf(first)).toMatchObject({
    rows: [{ chain_id: '43114' }],
    quarantined: [{ reason: 'chainId is 1, but 43114 was asked for' }],
  });
  recycleRowSets(stream, [first.set]);
  const second = parseRecords(stream, other as Partition, network, raws('1'));
  expect(second.set).toBe(first.set);
  expect(objectsOf(second)).toMatchObject({ rows: [{ chain_id: '1', address: '0xAA' }], quarantined: [] });
  recycleRowSets(stream, [second.set]);
  dropRowSets();
  expect(takeRowSet(stream, one as Partition)).not.toBe(second.set);
});

test("a child that says no value of the partition's name has none, from bytes and parsed", () => {
  const part = z.object({ address: optional(text('Owner.')) });
  const owned = defineStream(stream.source, {
    name: 'owned',
    description: 'Things.',
    endpoint: 'GET /owned',
    parameters: z.strictObject({}),
    partitionColumns: [{ name: 'address', description: 'Owner.' }],
    partitions: () => [],
    schema: z.object({ id: text('Id.'), parts: z.array(part) }),
    key: ['id'],
    children: {
      parts: {
        description: 'Parts.',
        schema: part,
        key: ['position'],
        of: 'parts',
      },
    },
    way: 'snapshot',
    *pages() {},
    records: 'things',
  });
  const record = { id: 'a', parts: [{ address: null }, {}] };
  for (const given of [record, RawValue.from(record)]) {
    const { set } = parseRecords(owned, { values: { address: '0xAA' } }, network, [given]);
    expect(
      set
        .rowsOf('parts')
        .toObjects()
        .map(({ address }) => address),
    ).toEqual([null, null]);
  }
});
