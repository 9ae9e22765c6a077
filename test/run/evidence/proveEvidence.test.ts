import { readLedger } from 'firn-devnet';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { nodeStreams } from '../../../pipelines/node/index.ts';
import { type ChainEvidence, proveEvidence } from '../../../src/run/evidence/proveEvidence.ts';
import { type NodeHarness, startNodeHarness } from '../../pipelines/node/nodeHarness.ts';

const packed = 'devnet/ledger';

async function drained(dir: string, head = '100%', bounds: object = {}): Promise<NodeHarness> {
  // The packed recording is read once a process: by its folder it would be read again.
  const harness = await startNodeHarness(nodeStreams, dir === packed ? { head } : { ledger: await readLedger(dir) });
  const blockchainIds = ['C', ...harness.devnet.ledger.l1s.map(({ blockchainId }) => blockchainId)];
  await harness.sync({
    'node/containers': {},
    'node/evm_blocks': { blockchainIds, traces: false, ...bounds },
    'node/evm_chain_config': { blockchainIds },
  });
  return harness;
}

/** Blocks of a link by verdict. */
const linkOf = (chain: ChainEvidence | undefined, link: keyof ChainEvidence['links']) => chain?.links[link];

describe('every block of the recordings is proven', () => {
  test.each([
    [packed, { P: 0, X: 0, C: 0 }, ['P-Chain', 'X-Chain', 'C-Chain', 'L1']],
    ['test/fixtures/node-ledger-signed', { P: 44, X: 45, C: 81 }, ['P-Chain', 'X-Chain', 'C-Chain']],
    ['test/fixtures/node-ledger-forks', { P: 41, X: 2, C: 5 }, ['P-Chain', 'X-Chain', 'C-Chain']],
  ])('%s', { tags: 'long', timeout: 180_000 }, async (dir, signed, names) => {
    const harness = await drained(dir);
    const { ok, broken, chains } = await proveEvidence({ warehouse: harness.warehouse });
    expect(broken).toEqual([]);
    expect(ok).toBe(true);
    expect(chains).toHaveLength(names.length);
    const [p, x, c, l1] = chains;
    expect([p, x, c].map((chain) => linkOf(chain, 'signature')?.proven ?? 0)).toEqual([signed.P, signed.X, signed.C]);
    for (const chain of [p, x]) {
      const proven = chain?.blocks;
      expect([linkOf(chain, 'container'), linkOf(chain, 'header'), linkOf(chain, 'transactions')]).toEqual(
        Array(3).fill({ proven }),
      );
    }
    for (const chain of l1 ? [c, l1] : [c]) {
      const proven = chain?.blocks;
      for (const link of ['header', 'transactions', 'receipts', 'gas', 'bloom'] as const) {
        expect(linkOf(chain, link)).toEqual({ proven });
      }
      expect(linkOf(chain, 'parent')).toEqual({ proven: (proven ?? 0) - 1, not_applicable: 1 });
    }
    expect(linkOf(c, 'container')).toEqual({ proven: (c?.blocks ?? 0) - 1, not_applicable: 1 });
    const stored = await harness.value('SELECT count(*) FROM firn.evidence WHERE broken IS NULL');
    expect(stored).toBe(BigInt(chains.reduce((sum, { blocks }) => sum + blocks, 0)));
    await harness.close();
  });
});

describe('what a node changes is found, with the block and the first field that breaks', () => {
  let harness: NodeHarness;
  /** A block with several transactions and logs, and one with atomic data. */
  let block: number;
  let atomic: number;
  beforeAll(async () => {
    harness = await drained(packed, '25%', { to: 400 });
    const find = async (sql: string) => Number(await harness.value(sql));
    block = await find(`SELECT min("number") FROM (
      SELECT t."number" FROM raw.node_evm_transactions AS t JOIN raw.node_evm_logs AS l USING (chain_id, "number", tx_index)
      WHERE chain_id = '43112' AND t."type" = 2 GROUP BY ALL HAVING count(DISTINCT l.log_index) > 1)`);
    atomic = await find(`SELECT min("number") FROM raw.node_evm_blocks WHERE length(block_extra_data) > 2`);
  });
  afterAll(() => harness.close());

  /** Proves one block after a change to the warehouse, which is taken back. */
  async function changed(table: string, change: string, number: number, where = '"number"') {
    const of = `FROM ${table} WHERE ${where} = ${number}`;
    await harness.warehouse.run(`CREATE OR REPLACE TEMP TABLE held AS SELECT * ${of}`);
    try {
      await harness.warehouse.run(change.replaceAll('$n', String(number)));
      return await proveEvidence({ warehouse: harness.warehouse, chain: 'C', from: number, to: number });
    } finally {
      await harness.warehouse.run(`DELETE ${of}; INSERT INTO ${table} SELECT * FROM held`);
    }
  }
  const only = `chain_id = '43112' AND "number" = $n`;

  test.each([
    [
      'one log left out',
      'node_evm_logs',
      `DELETE FROM raw.node_evm_logs WHERE ${only} AND log_index = 0`,
      'receipts: log 0 of the block is missing',
    ],
    [
      'the last log left out',
      'node_evm_logs',
      `DELETE FROM raw.node_evm_logs WHERE ${only} AND log_index = (SELECT max(log_index) FROM raw.node_evm_logs WHERE ${only})`,
      'bloom: of the',
    ],
    [
      'data of a log',
      'node_evm_logs',
      `UPDATE raw.node_evm_logs SET data = data || '00' WHERE ${only} AND log_index = 0`,
      'receipts: root of the rows is',
    ],
    [
      'a topic of a log',
      'node_evm_logs',
      `UPDATE raw.node_evm_logs SET topics = list_concat([topics[1]], ['0x' || repeat('ab', 32)]) WHERE ${only} AND log_index = 0`,
      'bloom: of the',
    ],
    [
      'gas of a receipt',
      'node_evm_receipts',
      `UPDATE raw.node_evm_receipts SET gas_used = gas_used + 1 WHERE ${only} AND tx_index = 0`,
      'gas: of receipts 0 to 0 adds up to',
    ],
    [
      'gas of a receipt and its sum',
      'node_evm_receipts',
      `UPDATE raw.node_evm_receipts SET gas_used = gas_used + 1, cumulative_gas_used = cumulative_gas_used + 1 WHERE ${only} AND tx_index = 0`,
      'gas: of',
    ],
    [
      'status of a receipt',
      'node_evm_receipts',
      `UPDATE raw.node_evm_receipts SET status = 1 - status WHERE ${only} AND tx_index = 0`,
      'receipts: root of the rows is',
    ],
    [
      'price that was paid',
      'node_evm_receipts',
      `UPDATE raw.node_evm_receipts SET effective_gas_price = effective_gas_price + 1 WHERE ${only} AND tx_index = 0`,
      'prices: effective gas price of transaction 0 is',
    ],
    [
      'address of a created contract',
      'node_evm_receipts',
      `UPDATE raw.node_evm_receipts SET contract_address = '0x' || repeat('ab', 20) WHERE ${only} AND tx_index = 0`,
      'prices: transaction 0 creates',
    ],
    [
      'a receipt left out',
      'node_evm_receipts',
      `DELETE FROM raw.node_evm_receipts WHERE ${only} AND tx_index = 0`,
      'receipts: ',
    ],
    [
      'value of a transaction',
      'node_evm_transactions',
      `UPDATE raw.node_evm_transactions SET "value" = "value" + 1 WHERE ${only} AND tx_index = 0`,
      'transactions: hash of transaction 0 is',
    ],
    [
      'sender of a transaction',
      'node_evm_transactions',
      `UPDATE raw.node_evm_transactions SET from_address = '0x' || repeat('ab', 20) WHERE ${only} AND tx_index = 0`,
      'senders: transaction 0 was signed by',
    ],
    [
      'a transaction left out',
      'node_evm_transactions',
      `DELETE FROM raw.node_evm_transactions WHERE ${only} AND tx_index = 0`,
      'transactions: root of the',
    ],
    [
      'gas of a header',
      'node_evm_blocks',
      `UPDATE raw.node_evm_blocks SET gas_used = gas_used + 1 WHERE ${only}`,
      'header: gasUsed is',
    ],
    [
      'time of a header',
      'node_evm_blocks',
      `UPDATE raw.node_evm_blocks SET "timestamp" = "timestamp" + INTERVAL 1 SECOND WHERE ${only}`,
      'header: timestamp is',
    ],
    [
      'hash of a block',
      'node_evm_blocks',
      `UPDATE raw.node_evm_blocks SET hash = '0x' || repeat('ab', 32) WHERE ${only}`,
      'header: hash is',
    ],
    [
      'parent of a block',
      'node_evm_blocks',
      `UPDATE raw.node_evm_blocks SET parent_hash = '0x' || repeat('ab', 32) WHERE ${only}`,
      'header: parentHash is',
    ],
    [
      'withdrawals',
      'node_evm_blocks',
      `UPDATE raw.node_evm_blocks SET withdrawals_root = '0x' || repeat('ab', 32) WHERE ${only}`,
      'withdrawals: root of the rows is',
    ],
  ])('%s', async (_, table, change, first) => {
    const { ok, broken } = await changed(`raw.${table}`, change, block);
    expect(ok).toBe(false);
    expect(broken).toHaveLength(1);
    expect(broken[0]?.number).toBe(block);
    expect(broken[0]?.what).toContain(first);
    const kept = await harness.value(
      `SELECT broken FROM firn.evidence WHERE chain_id = '43112' AND "number" = ${block}`,
    );
    expect(kept).toBe(broken[0]?.what);
  });

  test('a transaction of a type that is not known: neither its bytes nor its price are', async () => {
    const change = `UPDATE raw.node_evm_transactions SET "type" = 100, max_fee_per_gas = NULL WHERE ${only} AND tx_index = 0`;
    const { chains, broken } = await changed('raw.node_evm_transactions', change, block);
    expect(broken).toEqual([]);
    for (const link of ['transactions', 'senders', 'prices'] as const) {
      expect(linkOf(chains[0], link)).toEqual({ not_covered: 1 });
    }
    for (const link of ['receipts', 'gas', 'bloom'] as const) expect(linkOf(chains[0], link)).toEqual({ proven: 1 });
  });

  test('atomic data', async () => {
    const change = `UPDATE raw.node_evm_blocks SET block_extra_data = block_extra_data || '00' WHERE ${only}`;
    const { broken } = await changed('raw.node_evm_blocks', change, atomic);
    expect(broken[0]?.what).toContain('atomic_data: is 0x');
  });

  async function changedContainer(set: string, index = block - 1) {
    const of = `FROM raw.node_containers WHERE index_name = 'C/block'`;
    await harness.warehouse.run(`CREATE OR REPLACE TEMP TABLE containers AS SELECT * ${of}`);
    await harness.warehouse.run(
      `UPDATE raw.node_containers SET ${set} WHERE index_name = 'C/block' AND "index" = ${index}`,
    );
    const report = await proveEvidence({ warehouse: harness.warehouse, chain: 'C', from: block, to: block + 1 });
    await harness.warehouse.run(`DELETE ${of}; INSERT INTO raw.node_containers SELECT * FROM containers`);
    return report.broken;
  }

  const other = `id = '2QouvFVDiS4mNaeGD6FUPDhaoKnGCLhSSAoUYgqoWQ8PGAvLVG'`;
  test('the id of a container: it is not its bytes, nor what the next one names', async () => {
    const broken = await changedContainer(other);
    expect(broken.map(({ number }) => number)).toEqual([block, block + 1]);
    expect(broken[0]?.what).toContain('container: id of the bytes is');
    expect(broken[1]?.what).toContain('container: names the parent');
  });

  test('the id of the container before the first one that is proven', async () => {
    const broken = await changedContainer(other, block - 2);
    expect(broken.map(({ number }) => number)).toEqual([block]);
    expect(broken[0]?.what).toContain('container: names the parent');
  });

  test('a container that is known not to follow the one before it does not name that one', async () => {
    await harness.warehouse.run(
      `INSERT INTO firn.gap (stream, "partition", from_position, to_position, load_id)
       VALUES ('node/containers', 'index_name=C/block', ${block}, ${block - 1}, 1)`,
    );
    onTestFinished(async () => void (await harness.warehouse.run('DELETE FROM firn.gap')));
    expect((await changedContainer(other)).map(({ number }) => number)).toEqual([block]);
  });

  test.each([
    ['in its middle', `unhex(substr(hex(bytes), 1, 400) || 'ab' || substr(hex(bytes), 403))`],
    ['at its end', `unhex(hex(bytes) || '00')`],
  ])('a byte of a container %s', async (_, bytes) => {
    const broken = await changedContainer(`bytes = ${bytes}`);
    expect(broken.map(({ number }) => number)).toEqual([block]);
    expect(broken[0]?.what).toMatch(/^container: /);
  });

  test('a block left out: the next one has nothing to stand on, but is not called broken', async () => {
    const change = `DELETE FROM raw.node_evm_blocks WHERE ${only}`;
    await harness.warehouse.run(
      `CREATE OR REPLACE TEMP TABLE indexed AS SELECT * FROM raw.node_containers_c_blocks WHERE "number" = ${block}`,
    );
    await harness.warehouse.run(`DELETE FROM raw.node_containers_c_blocks WHERE "number" = ${block}`);
    const of = `FROM raw.node_evm_blocks WHERE "number" = ${block}`;
    await harness.warehouse.run(
      `CREATE OR REPLACE TEMP TABLE held AS SELECT * ${of}; ${change.replaceAll('$n', String(block))}`,
    );
    const { ok, chains } = await proveEvidence({
      warehouse: harness.warehouse,
      chain: 'C',
      from: block,
      to: block + 1,
    });
    await harness.warehouse.run(
      `DELETE ${of}; INSERT INTO raw.node_evm_blocks SELECT * FROM held; INSERT INTO raw.node_containers_c_blocks SELECT * FROM indexed`,
    );
    expect(ok).toBe(true);
    expect(chains[0]?.blocks).toBe(1);
    expect(linkOf(chains[0], 'parent')).toEqual({ not_covered: 1 });
  });

  test('the blocks that are held of a chain bound what is proven of it, whatever is asked for', async () => {
    const chain = String(harness.devnet.ledger.l1s[0]?.evmChainId);
    const [held] = await harness.warehouse.query<{ first: bigint; last: bigint }>(
      `SELECT min("number") AS first, max("number") AS last FROM raw.node_evm_blocks WHERE chain_id = '${chain}'`,
    );
    const { chains } = await proveEvidence({ warehouse: harness.warehouse, chain, from: -1, to: 1e6 });
    expect(chains).toMatchObject([{ first: Number(held?.first), last: Number(held?.last) }]);
    // The index has no containers of an L1.
    expect(linkOf(chains[0], 'signature')).toEqual({ not_applicable: chains[0]?.blocks });
  });

  test('blocks that only the index gives: what stands in no container is not covered', async () => {
    const { chains } = await proveEvidence({ warehouse: harness.warehouse, chain: 'C', from: 500, to: 560 });
    const [chain] = chains;
    expect(chain?.blocks).toBe(61);
    for (const link of ['container', 'header', 'parent', 'transactions', 'atomic_data'] as const) {
      expect(linkOf(chain, link)).toEqual({ proven: 61 });
    }
    expect(linkOf(chain, 'receipts')?.not_covered).toBeGreaterThan(0);
    expect(chain?.brokenBlocks).toBe(0);
  });

  test.each([
    ['logs', ['receipts', 'bloom'], ['transactions', 'senders', 'prices', 'gas']],
    ['receipts', ['receipts', 'prices', 'gas', 'bloom'], ['transactions', 'senders']],
    ['transactions', ['transactions', 'senders', 'receipts', 'prices', 'gas', 'bloom'], ['header', 'parent']],
  ] as const)(
    '%s that were dropped because of their age are not covered; what is held is proven',
    async (part, lost, kept) => {
      const table = `raw.node_evm_${part}`;
      const time = await harness.value(
        `SELECT CAST("timestamp" AS VARCHAR) FROM raw.node_evm_blocks WHERE ${only.replace('$n', String(block))}`,
      );
      const drop = (until: string) =>
        harness.warehouse.run(
          `INSERT INTO firn.dropped VALUES ('${table}', TIMESTAMP '${time}' ${until}, 1, now()::TIMESTAMP)`,
        );
      onTestFinished(async () => void (await harness.warehouse.run('DELETE FROM firn.dropped')));
      const withoutRows = () => changed(table, `DELETE FROM ${table} WHERE ${only}`, block);
      await drop('- INTERVAL 1 DAY');
      await drop('');
      expect((await withoutRows()).ok).toBe(false);
      await drop('+ INTERVAL 1 SECOND');
      const held = await changed(table, 'SELECT 1', block);
      for (const link of [...lost, ...kept]) expect(linkOf(held.chains[0], link)).toEqual({ proven: 1 });
      const { ok, chains } = await withoutRows();
      expect(ok).toBe(true);
      for (const link of lost) expect(linkOf(chains[0], link)).toEqual({ not_covered: 1 });
      for (const link of kept) expect(linkOf(chains[0], link)).toEqual({ proven: 1 });
    },
  );

  test('transactions of the index that were dropped because of their age are not covered', async () => {
    const table = 'raw.node_containers_c_transactions';
    const number = Number(await harness.value(`SELECT max(block_number) FROM ${table}`));
    await harness.warehouse.run(
      `INSERT INTO firn.dropped VALUES ('${table}', TIMESTAMP '2100-01-01', 1, now()::TIMESTAMP)`,
    );
    onTestFinished(async () => void (await harness.warehouse.run('DELETE FROM firn.dropped')));
    const { ok, chains } = await changed(table, `DELETE FROM ${table} WHERE block_number = $n`, number, 'block_number');
    expect(ok).toBe(true);
    expect(linkOf(chains[0], 'transactions')).toEqual({ not_covered: 1 });
    expect(linkOf(chains[0], 'header')).toEqual({ proven: 1 });
  });

  test('a block that is executed after it was accepted: its header has the most that gas and price may be, and roots of earlier blocks', async () => {
    const chain = String(harness.devnet.ledger.l1s[0]?.evmChainId);
    const number = await harness.value(
      `SELECT max("number") FROM raw.node_evm_transactions WHERE chain_id = '${chain}' AND "type" = 2`,
    );
    const of = `FROM raw.node_evm_blocks WHERE chain_id = '${chain}' AND "number" = ${number}`;
    await harness.warehouse.run(`CREATE OR REPLACE TEMP TABLE held AS SELECT * ${of}`);
    const proven = async (settledHeight: string) => {
      await harness.warehouse.run(`DELETE ${of}; INSERT INTO raw.node_evm_blocks SELECT * REPLACE (
        gas_used + 50000 AS gas_used, base_fee_per_gas + 1 AS base_fee_per_gas, transactions_root AS receipts_root,
        ${settledHeight}::BIGINT AS settled_height) FROM held`);
      const at = Number(number);
      return (await proveEvidence({ warehouse: harness.warehouse, chain, from: at, to: at })).broken;
    };
    expect(await proven('1')).toEqual([]);
    expect(await proven('NULL')).toHaveLength(1);
    await harness.warehouse.run(`DELETE ${of}; INSERT INTO raw.node_evm_blocks SELECT * FROM held`);
  });

  test.each([
    ['withdrawals_root', "'0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'"],
    ['requests_hash', "'0xab'"],
    ['_extra', "'{}'"],
    ['withdrawals_root', 'NULL'],
  ])('the header of an L1 with %s %s: what no row holds may be what its hash is made of', async (column, value) => {
    const chain = String(harness.devnet.ledger.l1s[0]?.evmChainId);
    const of = `FROM raw.node_evm_blocks WHERE chain_id = '${chain}' AND "number" = 1`;
    await harness.warehouse.run(`CREATE OR REPLACE TEMP TABLE held AS SELECT * ${of}`);
    const proven = async (gas: number) => {
      await harness.warehouse.run(
        `DELETE ${of}; INSERT INTO raw.node_evm_blocks SELECT * REPLACE (gas_limit + ${gas} AS gas_limit, ${value} AS ${column}) FROM held`,
      );
      return (await proveEvidence({ warehouse: harness.warehouse, chain, from: 1, to: 1 })).chains[0];
    };
    expect(linkOf(await proven(0), 'header')).toEqual({ proven: 1 });
    expect(linkOf(await proven(1), 'header')).toEqual({ [value === 'NULL' ? 'broken' : 'not_covered']: 1 });
    await harness.warehouse.run(`DELETE ${of}; INSERT INTO raw.node_evm_blocks SELECT * FROM held`);
  });

  test('uncles are found, though the hash is that of the header', async () => {
    const chain = String(harness.devnet.ledger.l1s[0]?.evmChainId);
    const of = `FROM raw.node_evm_blocks WHERE chain_id = '${chain}' AND "number" = 1`;
    await harness.warehouse.run(`CREATE OR REPLACE TEMP TABLE held AS SELECT * ${of}`);
    const said = async (set: string) => {
      await harness.warehouse.run(`UPDATE raw.node_evm_blocks SET ${set} WHERE chain_id = '${chain}' AND "number" = 1`);
      return (await proveEvidence({ warehouse: harness.warehouse, chain, from: 1, to: 1 })).broken[0]?.what ?? '';
    };
    const uncles = `0x${'ab'.repeat(32)}`;
    const [hash] = /0x\w+/.exec(await said(`sha3_uncles = '${uncles}'`)) ?? [];
    expect(await said(`hash = '${hash}'`)).toBe(`header: has uncles: ${uncles}`);
    await harness.warehouse.run(`DELETE ${of}; INSERT INTO raw.node_evm_blocks SELECT * FROM held`);
  });

  test('a block of a node that says nothing of its atomic data has none, where its header says so', async () => {
    const containers = `FROM raw.node_containers WHERE index_name = 'C/block'`;
    await harness.warehouse.run(
      `CREATE OR REPLACE TEMP TABLE containers AS SELECT * ${containers}; DELETE ${containers}`,
    );
    const change = `UPDATE raw.node_evm_blocks SET block_extra_data = NULL WHERE ${only} AND block_extra_data = '0x'`;
    const { chains } = await changed('raw.node_evm_blocks', change, block);
    await harness.warehouse.run('INSERT INTO raw.node_containers SELECT * FROM containers');
    expect(linkOf(chains[0], 'atomic_data')).toEqual({ proven: 1 });
  });

  test.each([
    ['the id of a block', "block_id = 'other'", /^header: id of the bytes is .+, the row says other$/, [3, 4]],
    ['the parent of a block', "parent_id = 'other'", /^header: parent is .+, the row says other$/, [3]],
    ['the height of a block', 'height = 9003', /^header: height is 3, the row says 9003$/, [9003]],
  ])('P-Chain: %s', async (_, set, what, numbers) => {
    const table = 'raw.node_containers_p_blocks';
    await harness.warehouse.run(`CREATE OR REPLACE TEMP TABLE held AS FROM ${table}`);
    await harness.warehouse.run(`UPDATE ${table} SET ${set} WHERE height = 3`);
    const { broken } = await proveEvidence({ warehouse: harness.warehouse, chain: 'P', from: Math.min(...numbers) });
    await harness.warehouse.run(`DELETE FROM ${table}; INSERT INTO ${table} FROM held`);
    expect(broken.map(({ number }) => number)).toEqual(numbers);
    expect(broken[0]?.what).toMatch(what);
  });

  test('P-Chain: a transaction row that is another one', async () => {
    const table = 'raw.node_containers_p_transactions';
    const height = 3;
    await harness.warehouse.run(
      `CREATE OR REPLACE TEMP TABLE held AS SELECT * FROM ${table} WHERE block_height = ${height}`,
    );
    await harness.warehouse.run(`UPDATE ${table} SET tx_id = 'other' WHERE block_height = ${height}`);
    const { broken } = await proveEvidence({ warehouse: harness.warehouse, chain: 'P', from: 1, to: 10 });
    await harness.warehouse.run(
      `DELETE FROM ${table} WHERE block_height = ${height}; INSERT INTO ${table} SELECT * FROM held`,
    );
    expect(broken).toMatchObject([
      { number: height, what: expect.stringMatching(/^transactions: transaction 0 is .+, the row says other$/) },
    ]);
  });

  test('P-Chain: a transaction row too many, of a block whose parent is held below the first one that is proven', async () => {
    const table = 'raw.node_containers_p_transactions';
    await harness.warehouse.run(`CREATE OR REPLACE TEMP TABLE held AS FROM ${table}`);
    await harness.warehouse.run(
      `INSERT INTO ${table} SELECT * REPLACE ("position" + 100 AS "position", 'other' AS tx_id) FROM held WHERE block_height = 3 LIMIT 1`,
    );
    const { broken, chains } = await proveEvidence({ warehouse: harness.warehouse, chain: 'P', from: 3, to: 3 });
    await harness.warehouse.run(`DELETE FROM ${table}; INSERT INTO ${table} FROM held`);
    expect(broken).toMatchObject([
      { number: 3, what: expect.stringMatching(/^transactions: 2 rows of 1 transactions$/) },
    ]);
    expect(linkOf(chains[0], 'parent')).toEqual({ proven: 1 });
  });
});
