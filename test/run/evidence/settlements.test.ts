import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import { nodeStreams } from '../../../pipelines/node/index.ts';
import type { ChainFacts } from '../../../src/core/stream/network.ts';
import { keccak256Hex } from '../../../src/decode/bytes/hashes.ts';
import { toHex } from '../../../src/decode/bytes/hex.ts';
import { encodeEvmHeader } from '../../../src/decode/evm/evmHeader.ts';
import { listRoot } from '../../../src/decode/evm/listRoot.ts';
import { adoptMembers } from '../../../src/load/adopt/adoptMembers.ts';
import { encodeReceiptRow, logsByTransaction } from '../../../src/run/evidence/encodeReceiptRow.ts';
import { type BlockRows, readBlockRows } from '../../../src/run/evidence/evidenceRows.ts';
import { headerOfRow } from '../../../src/run/evidence/evmRows.ts';
import { type EvidenceReport, proveEvidence } from '../../../src/run/evidence/proveEvidence.ts';
import { settlementsOf } from '../../../src/run/evidence/settlements.ts';
import { type NodeHarness, startNodeHarness } from '../../pipelines/node/nodeHarness.ts';

/**
 * The last blocks of a recording as the C-Chain makes them from Helicon on: each one settles the block three below it, but for every third, which settles
 * none, so that the next one settles two.
 */
const chain: ChainFacts = {
  chainId: '43112',
  name: 'C-Chain',
  alias: 'C',
  blockchainId: null,
  vm: 'evm',
  genesisHash: null,
};
const first = 380;
const last = 400;
let harness: NodeHarness;
/** Blocks from `first` on with the height that each settles. */
const settledBy = new Map<number, number>();

beforeAll(async () => {
  harness = await startNodeHarness(nodeStreams, { head: '25%' });
  await harness.sync({ 'node/evm_blocks': { blockchainIds: ['C'], traces: false, to: last } });
  const { warehouse } = harness;
  const blocks = await readBlockRows(warehouse, chain, first - 1, last);
  let settled = first - 1;
  let parentHash = String(blocks[0]?.block['hash']);
  for (const { number, block } of blocks.slice(1)) {
    const before = settled;
    if (number % 3 > 0) settled = Math.max(settled, number - 3);
    settledBy.set(number, settled);
    const row = {
      ...block,
      parent_hash: parentHash,
      ...rootsOf(blocks.filter((other) => other.number > before && other.number <= settled)),
      target_exponent: 9n,
      min_price_exponent: 1_200_000n,
      settled_height: BigInt(settled),
      settled_gas_unix: 1_785_250_800n,
      settled_gas_numerator: 0n,
      settled_excess: 77n,
    };
    parentHash = keccak256Hex(encodeEvmHeader(headerOfRow(row)));
    await warehouse.run(`UPDATE raw.node_evm_blocks SET hash = '${parentHash}', parent_hash = '${row.parent_hash}', receipts_root = '${row.receipts_root}',
      logs_bloom = '${row.logs_bloom}', target_exponent = 9, min_price_exponent = 1200000, settled_height = ${settled}, settled_gas_unix = 1785250800,
      settled_gas_numerator = 0, settled_excess = 77 WHERE "number" = ${number}`);
  }
  // Blocks of another chain have the same heights, and settle others.
  await warehouse.run(
    `INSERT INTO raw.node_evm_blocks SELECT * REPLACE ('9' AS chain_id, settled_height - 1 AS settled_height) FROM raw.node_evm_blocks`,
  );
});

/** Of one block what the recording says, of several what is made of their receipts one after the other. */
function rootsOf(blocks: readonly BlockRows[]) {
  const said = (name: string) => blocks.map(({ block }) => String(block[name]));
  const bloom = said('logs_bloom').reduce((all, one) => all | BigInt(one), 0n);
  const encoded = blocks.flatMap((block) =>
    block.receipts.map((receipt, i) => encodeReceiptRow(receipt, logsByTransaction(block).get(i) ?? [])),
  );
  return {
    receipts_root: blocks.length === 1 ? said('receipts_root').join() : toHex(listRoot(encoded)),
    logs_bloom: `0x${bloom.toString(16).padStart(512, '0')}`,
  };
}

afterAll(() => harness.close());

const prove = (from = 0, to = last) => proveEvidence({ warehouse: harness.warehouse, chain: 'C', from, to });
/** Blocks that no header settles yet. */
const unsettled = () => last - Math.max(...settledBy.values());
const links = ({ chains }: EvidenceReport) => chains[0]?.links;

test('receipts and logs are proven by the header that settles their block, and not covered until there is one', async () => {
  const atOnce = [...settledBy].map(([number, height]) => height - (settledBy.get(number - 1) ?? height));
  expect([...new Set(atOnce)].sort()).toEqual([0, 1, 2]);
  const report = await prove();
  expect(report.broken).toEqual([]);
  const blocks = last + 1;
  expect(links(report)).toMatchObject({
    header: { proven: blocks },
    receipts: { proven: blocks - unsettled(), not_covered: unsettled() },
    gas: { proven: blocks - unsettled(), not_covered: unsettled() },
    bloom: { proven: blocks - unsettled(), not_covered: unsettled() },
  });
  const filled = await harness.value('SELECT count(DISTINCT "number") FROM raw.node_evm_transactions');
  expect(links(report)?.prices.not_applicable).toBe(blocks - Number(filled));
});

test('a part of the chain is proven by headers above it, together with blocks below it', { tags: 'long' }, async () => {
  for (const number of [...settledBy.keys()].slice(0, 15)) {
    expect(links(await prove(number, number))?.receipts, String(number)).toEqual({ proven: 1 });
  }
});

test('rows that an earlier version read, which did not know these members, are taken over', async () => {
  const members = [
    'target_exponent',
    'min_price_exponent',
    'settled_height',
    'settled_gas_unix',
    'settled_gas_numerator',
    'settled_excess',
  ].map((column) => ({ column, name: column.replace(/_(.)/g, (_, letter) => letter.toUpperCase()) }));
  const named = members.map(({ column, name }) => `'${name}', '0x' || to_hex(${column})`);
  const { warehouse } = harness;
  await warehouse.run(`CREATE OR REPLACE TEMP TABLE held AS FROM raw.node_evm_blocks;
    UPDATE raw.node_evm_blocks SET _extra = json_object(${named.join(', ')}), ${members.map(({ column }) => `${column} = NULL`).join(', ')}
    WHERE settled_height IS NOT NULL;
    INSERT INTO firn.schema_change VALUES ${members.map(({ name }) => `('node/evm_blocks', '${name}', '"0x1"', 1, now()::TIMESTAMP)`).join(', ')}`);
  await adoptMembers(warehouse, catalogue);
  expect(await warehouse.query('FROM raw.node_evm_blocks EXCEPT ALL FROM held')).toEqual([]);
  expect(await harness.value('SELECT count(*) FROM held WHERE settled_height IS NOT NULL')).not.toBe(0n);
});

test('a base fee below that of the header is not contradicted, and not proven either', async () => {
  const at = await harness.value(`SELECT min("number") FROM raw.node_evm_receipts WHERE "number" >= ${first}`);
  expect(links(await prove(Number(at), Number(at)))?.prices).toEqual({ not_covered: 1 });
  await harness.warehouse.run(
    `UPDATE raw.node_evm_receipts SET effective_gas_price = effective_gas_price * 1000 WHERE "number" = ${at}`,
  );
  expect((await prove(Number(at), Number(at))).broken[0]?.what).toMatch(
    /^prices: effective gas price of transaction 0 is \d+ at most, /,
  );
  await harness.warehouse.run(
    `UPDATE raw.node_evm_receipts SET effective_gas_price = effective_gas_price / 1000 WHERE "number" = ${at}`,
  );
});

test.each([
  [
    'a log that is another one',
    'UPDATE raw.node_evm_logs SET data = \'0x01\' WHERE "number" = $n',
    /^receipts: root of the rows of blocks \d+ to \d+ is .*, block \d+, which settles them, says /,
  ],
  ['a log that is gone', 'DELETE FROM raw.node_evm_logs WHERE "number" = $n AND log_index = 0', /^(bloom|receipts): /],
  [
    'gas beyond what the header allows',
    'UPDATE raw.node_evm_blocks SET gas_used = 1 WHERE "number" = $n',
    /^(header|gas): /,
  ],
])('%s is found', async (_, sql, what) => {
  const settled = Math.max(...settledBy.values());
  const at = await harness.value(
    `SELECT max("number") FROM raw.node_evm_logs WHERE "number" BETWEEN ${first} AND ${settled}`,
  );
  const tables = ['raw.node_evm_logs', 'raw.node_evm_blocks'];
  for (const table of tables) await harness.warehouse.run(`CREATE OR REPLACE TEMP TABLE "${table}" AS FROM ${table}`);
  await harness.warehouse.run(sql.replace('$n', String(at)));
  const { broken } = await prove(Number(at), Number(at));
  expect(broken[0]?.what).toMatch(what);
  for (const table of tables) await harness.warehouse.run(`DELETE FROM ${table}; INSERT INTO ${table} FROM "${table}"`);
});

test('receipts that are not held yet leave what is settled together not covered', async () => {
  const of = 'raw.node_evm_receipts';
  const settled = Math.max(...settledBy.values());
  const at = await harness.value(`SELECT max("number") FROM ${of} WHERE "number" BETWEEN ${first} AND ${settled}`);
  await harness.warehouse.run(
    `CREATE OR REPLACE TEMP TABLE held AS FROM ${of} WHERE "number" = ${at}; DELETE FROM ${of} WHERE "number" = ${at}`,
  );
  const { broken } = await prove(first, settled);
  expect(broken.map(({ number }) => number)).toEqual([Number(at)]);
  await harness.warehouse.run(`INSERT INTO ${of} FROM held`);
});

test('where a block is not held, or lost its rows because of their age, none of those that are settled with it is', () => {
  const by = { number: 9, first: 5, last: 6, receiptsRoot: '0x', logsBloom: '0x' };
  const none = { block: {}, transactions: [], receipts: [], logs: [], dropped: new Set<never>(), container: null };
  const block = (number: number): BlockRows => ({ ...none, number, source: 'node' });
  expect([...settlementsOf([by], [block(5)]).keys()]).toEqual([]);
  expect([...settlementsOf([by], [5, 6].map(block)).keys()]).toEqual([5, 6]);
  const dropped: BlockRows = { ...block(6), dropped: new Set(['transactions', 'receipts', 'logs']) };
  expect([...settlementsOf([by], [block(5), dropped]).keys()]).toEqual([]);
});

test('a block without transactions that only the index gives lacks no receipts', () => {
  const by = { number: 9, first: 5, last: 5, receiptsRoot: '0x', logsBloom: '0x' };
  const none = { block: {}, transactions: [], receipts: [], logs: [], dropped: new Set<never>(), container: null };
  const ofIndex = (transactions: BlockRows['transactions']): BlockRows => {
    return { ...none, number: 5, source: 'containers', transactions };
  };
  expect([...settlementsOf([by], [ofIndex([])]).keys()]).toEqual([5]);
  expect([...settlementsOf([by], [ofIndex([{}])]).keys()]).toEqual([]);
});
