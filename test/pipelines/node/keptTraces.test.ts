import { afterEach, expect, test } from 'vitest';
import { evmBlocks } from '../../../pipelines/node/evmBlocks.ts';
import { backfillPartition } from '../../../src/run/upkeep/backfillPartition.ts';
import { type NodeHarness, startNodeHarness } from './nodeHarness.ts';

let harness: NodeHarness;
afterEach(() => harness.close());

const stream = 'node/evm_blocks';
const window = { from: 1740, to: 1760 };
const traceTables = ['raw.node_evm_traces', 'raw.node_evm_trace_status'];
const otherTables = ['raw.node_evm_blocks', 'raw.node_evm_transactions', 'raw.node_evm_receipts', 'raw.node_evm_logs'];
const rowsOf = (names: readonly string[]) =>
  Promise.all(names.map((name) => harness.query(`SELECT * EXCLUDE _load_id FROM ${name} ORDER BY ALL`)));
const count = (from: string) => harness.value(`SELECT count(*) FROM ${from}`);

/** Loads of which more rows are held than they say that they wrote. */
const overfull = () =>
  harness.query(
    `SELECT load_id, rows_written, count(*) AS held
     FROM (${[...traceTables, ...otherTables].map((name) => `SELECT _load_id AS load_id FROM ${name}`).join(' UNION ALL ')})
     JOIN firn.load USING (load_id) GROUP BY ALL HAVING count(*) > rows_written`,
  );

/** Reads the days of the window again. */
async function readAgain(parameters: object = {}) {
  const [{ first, last } = { first: '', last: '' }] = await harness.query<{ first: string; last: string }>(
    `SELECT strftime(min("timestamp"), '%Y-%m-%d') AS first, strftime(max("timestamp"), '%Y-%m-%d') AS last FROM raw.node_evm_blocks`,
  );
  const again = { first, last };
  const [result] = await harness.sync({ [stream]: { ...window, ...parameters } }, undefined, (of, context) =>
    backfillPartition(of, context, { again }),
  );
  return result;
}

test('call traces that were read stay where a node that pruned its state has none any more; all else is replaced', {
  tags: 'long',
}, async () => {
  harness = await startNodeHarness([evmBlocks]);
  await harness.sync({ [stream]: window });
  const [traces, others] = [await rowsOf(traceTables), await rowsOf(otherTables)];
  const transactions = await count('raw.node_evm_transactions');
  expect(await count('raw.node_evm_traces')).toBeGreaterThan(0n);
  await harness.warehouse.run('UPDATE raw.node_evm_receipts SET gas_used = 0');
  // One that was not traced before has nothing to keep.
  const one = '("number", tx_index) = (SELECT min(("number", tx_index)) FROM raw.node_evm_trace_status)';
  await harness.warehouse.run(`UPDATE raw.node_evm_trace_status SET trace_status = 'not_offered' WHERE ${one}`);
  await harness.warehouse.run(`DELETE FROM raw.node_evm_traces WHERE ${one}`);
  harness.devnet.configure({ stateBlocks: 1 });
  expect(await readAgain()).toMatchObject({
    outcome: 'done',
    notes: [
      expect.stringContaining('could not be traced'),
      expect.stringContaining(`${Number(transactions) - 1} transactions that came without call traces keep`),
    ],
  });
  expect(await rowsOf(otherTables)).toEqual(others);
  expect(
    await harness.query('SELECT trace_status, count(*) AS n FROM raw.node_evm_trace_status GROUP BY ALL ORDER BY n'),
  ).toEqual([
    { trace_status: 'failed', n: 1n },
    { trace_status: 'traced', n: (transactions as bigint) - 1n },
  ]);
  // Models build from all of it again.
  for (const table of traceTables) expect(await count(`${table} WHERE _load_id = 1`)).toBe(0n);
  expect(await overfull()).toEqual([]);
  harness.devnet.configure({ stateBlocks: Number.POSITIVE_INFINITY });
  expect(await readAgain()).not.toHaveProperty('notes');
  expect(await rowsOf(traceTables)).toEqual(traces);
});

test('call traces that were read stay where none are asked for', { tags: 'long' }, async () => {
  harness = await startNodeHarness([evmBlocks]);
  await harness.sync({ [stream]: window });
  const traces = await rowsOf(traceTables);
  const kept = `${await count('raw.node_evm_transactions')} transactions that came without call traces keep`;
  expect(await readAgain({ traces: false })).toMatchObject({ notes: [expect.stringContaining(kept)] });
  expect(await rowsOf(traceTables)).toEqual(traces);
  // Switched on again, all that was taken in part is read: at a node that has pruned its state.
  harness.devnet.configure({ stateBlocks: 1 });
  const [result] = await harness.sync({ [stream]: window });
  expect(result?.notes?.at(-1)).toContain(kept);
  expect(await rowsOf(traceTables)).toEqual(traces);
  expect(await overfull()).toEqual([]);
});

test('of a block that is another one by now, and of frames that were dropped, nothing stays', async () => {
  harness = await startNodeHarness([evmBlocks]);
  await harness.sync({ [stream]: window });
  const [other, dropped] = await harness.query<{ number: bigint }>(
    'SELECT DISTINCT "number" FROM raw.node_evm_traces WHERE "number" < 1760 ORDER BY 1 LIMIT 2',
  );
  await harness.warehouse.run(`UPDATE raw.node_evm_blocks SET hash = '0x00' WHERE "number" = ${other?.number}`);
  await harness.warehouse.run(`DELETE FROM raw.node_evm_traces WHERE "number" = ${dropped?.number}`);
  harness.devnet.configure({ stateBlocks: 1 });
  expect(await readAgain()).toMatchObject({ outcome: 'done' });
  const failed = await harness.query(
    `SELECT DISTINCT "number" FROM raw.node_evm_trace_status WHERE trace_status = 'failed' ORDER BY 1`,
  );
  expect(failed).toEqual([other, dropped]);
  expect(await count(`raw.node_evm_traces WHERE "number" = ${other?.number}`)).toBe(0n);
});
