import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Warehouse } from '../../src/load/state/warehouse.ts';
import { buildModels } from '../../src/transform/builds/buildModels.ts';
import { temporaryWarehouse } from '../transform/warehouse.ts';

const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const single = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';
const batch = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';
const word = (value: bigint | number) => BigInt(value).toString(16).padStart(64, '0');
const alice = `0x${'0'.repeat(24)}${'a'.repeat(40)}`;
const dirty = `0x${'f'.repeat(24)}${'b'.repeat(40)}`;
const [from, to] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`];
const most = 2n ** 256n - 1n;

type Row = readonly [kind: string, from: string, to: string, id: string | null, amount: string];

/** What logs say, and the transfers that they are. */
const cases: readonly [string, readonly string[], string, readonly Row[]][] = [
  ['ERC-20', [transfer, alice, dirty], `0x${word(7)}`, [['ERC-20', from, to, null, '7']]],
  [
    'ERC-20 of the largest amount',
    [transfer, alice, dirty],
    `0x${word(most)}`,
    [['ERC-20', from, to, null, String(most)]],
  ],
  ['ERC-20 with more data', [transfer, alice, dirty], `0x${word(7)}${word(8)}`, [['ERC-20', from, to, null, '7']]],
  ['Transfer without an amount', [transfer, alice, dirty], '0x', []],
  ['Transfer with its addresses in the data', [transfer], `0x${word(1)}${word(2)}${word(3)}`, []],
  ['ERC-721', [transfer, alice, dirty, `0x${word(most)}`], '0x', [['ERC-721', from, to, String(most), '1']]],
  ['four topics and data', [transfer, alice, dirty, `0x${word(5)}`], `0x${word(9)}`, [['ERC-721', from, to, '5', '1']]],
  ['ERC-1155', [single, dirty, alice, dirty], `0x${word(3)}${word(4)}`, [['ERC-1155', from, to, '3', '4']]],
  ['TransferSingle with three topics', [single, dirty, alice], `0x${word(3)}${word(4)}`, []],
  ['TransferSingle without an amount', [single, dirty, alice, dirty], `0x${word(3)}`, []],
  [
    'batch of two',
    [batch, dirty, alice, dirty],
    `0x${[64, 160, 2, 10, 11, 2, 1000, most].map(word).join('')}`,
    [
      ['ERC-1155', from, to, '10', '1000'],
      ['ERC-1155', from, to, '11', String(most)],
    ],
  ],
  ['empty batch', [batch, dirty, alice, dirty], `0x${[64, 96, 0, 0].map(word).join('')}`, []],
  [
    'batch that announces more than it holds',
    [batch, dirty, alice, dirty],
    `0x${[64, 160, 2, 1, 2, 2, 3].map(word).join('')}`,
    [],
  ],
  ['batch of unlike lists', [batch, dirty, alice, dirty], `0x${[64, 128, 1, 1, 2, 2, 3].map(word).join('')}`, []],
  [
    'batch whose length is beyond all bounds',
    [batch, dirty, alice, dirty],
    `0x${[64, 64, most, 1].map(word).join('')}`,
    [],
  ],
  ['batch that begins between words', [batch, dirty, alice, dirty], `0x${[65, 65, 0, 0, 0].map(word).join('')}`, []],
  [
    'batch of which one list begins between words',
    [batch, dirty, alice, dirty],
    `0x${[64, 129, 1, 1, 1, 1, 0].map(word).join('')}`,
    [],
  ],
  [
    'batch whose ids come last, and are fewer than it announces',
    [batch, dirty, alice, dirty],
    `0x${[160, 64, 2, 1, 2, 2, 3].map(word).join('')}`,
    [],
  ],
  ['batch without data', [batch, dirty, alice, dirty], '0x', []],
  ['anonymous', [], `0x${word(1)}`, []],
];

let warehouse: Warehouse;
let dispose: () => Promise<void>;

beforeAll(async () => {
  ({ warehouse, dispose } = await temporaryWarehouse());
  await warehouse.run(
    `INSERT INTO raw.node_evm_blocks BY NAME SELECT '7' AS chain_id, 1 AS "number", '0x01' AS hash, '0x00' AS parent_hash,
       TIMESTAMP '2026-01-01' AS "timestamp", 0 AS gas_used, 0 AS gas_limit, '0x' AS miner, 0 AS difficulty, '0x' AS sha3_uncles,
       '0x' AS state_root, '0x' AS transactions_root, '0x' AS receipts_root, '0x' AS logs_bloom, '0x' AS extra_data, 1 AS _load_id`,
  );
  const logs = cases.map(
    ([, topics, data], index) =>
      `('7', 1, ${index}, 0, '0x02', '0x01', '0x03', CAST([${topics.map((topic) => `'${topic}'`).join(', ')}] AS VARCHAR[]), '${data}', 1)`,
  );
  await warehouse.run(
    `INSERT INTO raw.node_evm_logs BY NAME
     SELECT chain_id, "number", log_index, tx_index, transaction_hash, block_hash, address, topics, "data", _load_id, 1 AS block_number
     FROM (VALUES ${logs.join(', ')})
       AS t(chain_id, "number", log_index, tx_index, transaction_hash, block_hash, address, topics, "data", _load_id)`,
  );
  await warehouse.run(
    `INSERT INTO firn.load BY NAME SELECT 1 AS load_id, 'test' AS run_id, 'test' AS stream, 'test' AS "partition", 1 AS pages, 1 AS rows_in,
       1 AS rows_written, 0 AS rows_quarantined, 1 AS bytes, now()::TIMESTAMP AS committed_at`,
  );
  await buildModels(warehouse);
});
afterAll(() => dispose());

test.each(cases.map(([name, , , rows], index) => ({ name, rows, index })))('$name', async ({ rows, index }) => {
  const found = await warehouse.query<Record<string, string | null>>(
    `SELECT erc_type, from_address, to_address, coalesce(token_id_text, CAST(token_id AS VARCHAR)) AS id,
       coalesce(amount_text, CAST(amount AS VARCHAR)) AS amount, token_id IS NULL AND token_id_text IS NULL AS no_id
     FROM mart.fct_token_transfer WHERE log_index = ${index} ORDER BY "position"`,
  );
  expect(
    found.map((row) => [row['erc_type'], row['from_address'], row['to_address'], row['id'], row['amount']]),
  ).toEqual(rows);
});

test('a word is a number where 38 digits hold it', async () => {
  const values = fc.sample(fc.bigInt({ min: 0n, max: most }), 50);
  const edges = [0n, 1n, 10n ** 38n - 1n, 10n ** 38n, 2n ** 127n, 2n ** 128n - 1n, 2n ** 128n, most];
  for (const value of [...edges, ...values, ...values.map((wide) => wide >> 140n)]) {
    const [row] = await warehouse.query<{ amount: string | null }>(
      `SELECT CAST(word_amount('${word(value)}') AS VARCHAR) AS amount`,
    );
    expect(row?.amount).toBe(value < 10n ** 38n ? String(value) : null);
  }
});
