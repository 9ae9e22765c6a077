import { expect, test } from 'vitest';
import { z } from 'zod';
import { evmBlocks } from '../../../pipelines/node/evmBlocks.ts';
import { parseLossless } from '../../../src/core/json/parseLossless.ts';
import { type Stream, tablesOf } from '../../../src/core/stream/stream.ts';
import { defineStream, hex, int64, optional, rfc3339, text, uint256 } from '../../../src/index.ts';
import { adoptMembers, knownBy } from '../../../src/load/adopt/adoptMembers.ts';
import { commitBatch } from '../../../src/load/commit/commit.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';
import { batchOf, partition } from '../transfers.ts';

const source = { name: 'data', description: 'A source of tests.', numbers: 'lossless' } as const;
const known = {
  own: { fee: optional(uint256('Fee.')), seenAt: optional(rfc3339('When it was seen.')) },
  nested: { rank: optional(int64('Rank.')) },
  part: { color: optional(text('Color.')) },
};

/** A stream as a version knows it, and as the one before did. */
const streamOf = ({ own, nested, part }: { own: z.ZodRawShape; nested: z.ZodRawShape; part: z.ZodRawShape }): Stream =>
  defineStream(source, {
    name: 'parcels',
    description: 'Parcels of tests.',
    endpoint: 'GET /parcels',
    parameters: z.strictObject({}),
    partitionColumns: [{ name: 'chain_id', description: 'Chain.' }],
    partitions: () => [partition],
    schema: z.object({
      txHash: hex('Hash.'),
      from: z.object({ name: text('Sender.'), ...nested }).optional(),
      ...own,
      parts: z.array(z.object({ weight: int64('Weight.'), ...part })).optional(),
    }),
    key: ['chain_id', 'tx_hash'],
    children: {
      parcels_parts: {
        description: 'Parts.',
        schema: z.object({ weight: int64('Weight.'), ...part }),
        key: ['position'],
        of: 'parts',
      },
    },
    way: 'slice',
    *pages() {},
    records: { each: 'item' },
  }) as Stream;
const before = streamOf({ own: {}, nested: {}, part: {} });
const now = streamOf(known);

const records = (json: string) => parseLossless(json) as unknown[];
const digits = 10n ** 40n;
const taken = `[
  {"txHash": "0x01", "fee": 7, "seenAt": "2026-01-02T03:04:05Z", "from": {"name": "a", "rank": "0x10"},
   "parts": [{"weight": 1, "color": "red", "b": 1.10}, {"weight": 2}, {"weight": 3, "color": null}]},
  {"txHash": "0x02", "fee": ${digits}, "other": 123456789012345678901234567890, "from": {"name": "b", "rank": 2, "sort": "x"}},
  {"txHash": "0x03", "fee": null},
  {"txHash": "0x04"}
]`;
const refused = '[{"txHash": "0x05", "fee": "much", "seenAt": "2026-01-02T03:04:05Z"}]';

const read = async (warehouse: Warehouse, stream: Stream, json: string, from: { next: number } | null = null) =>
  commitBatch(warehouse, {
    stream,
    partition,
    runId: 'run',
    batch: batchOf(stream, records(json)),
    from,
    to: { next: 1 },
  });

const rowsOf = (warehouse: Warehouse) =>
  Promise.all(
    tablesOf([now]).map(({ name, columns }) =>
      warehouse.query(`SELECT ${columns.map((column) => `"${column.name}"`).join(', ')} FROM ${name} ORDER BY ALL`),
    ),
  );
const noted = async (warehouse: Warehouse) =>
  (await warehouse.query<{ member: string }>('SELECT member FROM firn.schema_change ORDER BY member')).map(
    ({ member }) => member,
  );

/** Moves members, and says which. */
async function adopted(warehouse: Warehouse): Promise<string[]> {
  const members: string[] = [];
  await adoptMembers(warehouse, [now], { onMember: (_, member) => members.push(member) });
  return members;
}

/** A warehouse into which the version before read, as this one opens it. */
async function upgraded(json: string): Promise<Warehouse> {
  const warehouse = await temporaryWarehouse(tablesOf([before]));
  await read(warehouse, before, json);
  warehouse.close();
  return temporaryWarehouse(tablesOf([now]), warehouse.folder);
}

test('rows have what an earlier version kept in _extra, as if this one had read them', { tags: 'long' }, async () => {
  const warehouse = await upgraded(taken);
  expect(await noted(warehouse)).toEqual([
    'fee',
    'from.rank',
    'from.sort',
    'other',
    'parts[].b',
    'parts[].color',
    'seenAt',
  ]);
  expect(await adopted(warehouse)).toEqual(['fee', 'from.rank', 'parts[].color', 'seenAt']);
  expect(await noted(warehouse)).toEqual(['from.sort', 'other', 'parts[].b']);
  const fresh = await temporaryWarehouse(tablesOf([now]));
  await read(fresh, now, taken);
  expect(await rowsOf(warehouse)).toEqual(await rowsOf(fresh));
  expect(await adopted(warehouse)).toEqual([]);
});

test('a member that was not noted, as beyond a hundred of a page, moves with one that was', async () => {
  const warehouse = await upgraded('[{"txHash": "0x06", "fee": 5, "seenAt": "2026-01-02T03:04:05Z"}]');
  await warehouse.run("DELETE FROM firn.schema_change WHERE member = 'seenAt'");
  expect(await adopted(warehouse)).toEqual(['fee']);
  expect(await warehouse.query('SELECT fee, seen_at IS NOT NULL AS seen, _extra FROM raw.data_parcels')).toEqual([
    { fee: '5', seen: true, _extra: null },
  ]);
});

test('what this version would not take stays where it is', async () => {
  const warehouse = await upgraded(refused);
  await adoptMembers(warehouse, [now]);
  expect(await warehouse.query('SELECT fee, fee_text, seen_at, _extra FROM raw.data_parcels')).toEqual([
    { fee: null, fee_text: null, seen_at: null, _extra: '{"fee":"much","seenAt":"2026-01-02T03:04:05Z"}' },
  ]);
});

test('more rows than are moved in one transaction, and what a kill between two of them leaves', {
  tags: 'long',
}, async () => {
  const many = Array.from(
    { length: 45_000 },
    (_, i) => `{"txHash": "0x${(i + 16).toString(16)}", "fee": ${i}, "other": 1}`,
  );
  const warehouse = await upgraded(`[${many.join(',')}]`);
  let transactions = 0;
  const check = () => {
    if (transactions++ === 1) throw new Error('killed');
  };
  await expect(adoptMembers(warehouse, [now], { check })).rejects.toThrow('killed');
  expect(await warehouse.query('SELECT count(fee) AS fees FROM raw.data_parcels')).toEqual([{ fees: 20_000n }]);
  expect(await adopted(warehouse)).toEqual(['fee']);
  expect(
    await warehouse.query(
      'SELECT count(DISTINCT fee) AS fees, count(*) FILTER (_extra = \'{"other":1}\') AS others FROM raw.data_parcels',
    ),
  ).toEqual([{ fees: 45_000n, others: 45_000n }]);
});

test('what a version before read again in between, once it was put back, takes the place of what had moved', async () => {
  const warehouse = await upgraded('[{"txHash": "0x01", "fee": 7, "parts": [{"weight": 1, "color": "red"}]}]');
  await adoptMembers(warehouse, [now]);
  warehouse.close();
  const back = await temporaryWarehouse(tablesOf([before]), warehouse.folder);
  const later =
    '[{"txHash": "0x01", "fee": 9, "parts": [{"weight": 1, "color": "blue"}]}, {"txHash": "0x02", "fee": 3}]';
  await read(back, before, later, { next: 1 });
  back.close();
  const again = await temporaryWarehouse(tablesOf([now]), warehouse.folder);
  expect(await adopted(again)).toEqual(['fee', 'parts[].color']);
  const fresh = await temporaryWarehouse(tablesOf([now]));
  await read(fresh, now, '[]');
  await read(fresh, now, later, { next: 1 });
  expect(await rowsOf(again)).toEqual(await rowsOf(fresh));
});

test('a member of a list within a list belongs to the table of the inner one', () => {
  const noted = ['receipts[].logs[].data', 'receipts[].status', 'data', 'logs[].data'].map((member) => ({
    stream: evmBlocks.id,
    member,
  }));
  expect(knownBy([evmBlocks], noted).map(({ member, table }) => [member, table.name])).toEqual([
    ['receipts[].logs[].data', 'raw.node_evm_logs'],
    ['receipts[].status', 'raw.node_evm_receipts'],
  ]);
});
