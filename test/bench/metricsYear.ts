import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogue } from '../../pipelines/index.ts';
import { tablesOf } from '../../src/core/stream/stream.ts';
import { openWarehouse, type Warehouse } from '../../src/load/state/warehouse.ts';
import { publish } from '../../src/publish/publish.ts';
import { layoutsOf } from '../../src/run/layoutsOf.ts';
import { runAudits } from '../../src/transform/audits/runAudits.ts';
import { buildModels } from '../../src/transform/builds/buildModels.ts';
import { readModels } from '../../src/transform/models/readModels.ts';
import { median } from './median.ts';

const chain = '43999';
const blocksPerDay = 5760;
const transactionsPerBlock = 2;
/** 21 million in a year. */
const logsPerTransaction = 5;

/** Days that are added one after the other: one alone says little on a busy machine. */
const added = 3;

/** What a run does with what it has read; seconds of each. */
const phases = {
  build: (warehouse: Warehouse) => buildModels(warehouse),
  audits: (warehouse: Warehouse) => runAudits(warehouse, { runId: 'bench' }),
  publish: async (warehouse: Warehouse) =>
    publish(warehouse, { runId: 'bench', layouts: layoutsOf(catalogue, await readModels()) }),
};
type Phase = keyof typeof phases;
type Took = Record<Phase, number>;
const names = Object.keys(phases) as Phase[];

/**
 * Builds, audits and publishes a generated year of an EVM chain, then its last days one by one, and compares the cost of a day with the
 * cost of the same day in a warehouse that holds nothing else (medians). Takes ten minutes and 10 GB in the temporary folder.
 */
export async function benchMetricsYear(print: (line: string) => void): Promise<void> {
  const before = 365 - added;
  const last = Array.from({ length: added }, (_, i) => before + i);
  const addDay = async (warehouse: Warehouse, day: number) => {
    await loadDays(warehouse, day, 1);
    return timed(warehouse);
  };
  const year = await generated('year', async (warehouse) => {
    for (let day = 0; day < before; day += 30) await loadDays(warehouse, day, Math.min(30, before - day));
    const whole = await timed(warehouse);
    await warehouse.run('CHECKPOINT');
    const onYear: Took[] = [];
    for (const day of last) onYear.push(await addDay(warehouse, day));
    const [logs] = await warehouse.query<{ count: bigint }>('SELECT count(*) AS count FROM raw.node_evm_logs');
    return { whole, onYear, logs: Number(logs?.count) };
  });
  const alone: Took[] = [];
  for (const day of last) {
    const took = await generated('day', async (warehouse) => {
      // Views and empty tables are there already, as they are beside the year.
      await timed(warehouse);
      return addDay(warehouse, day);
    });
    alone.push(took);
  }
  for (const phase of names) {
    const [onYear, byItself] = [year.onYear, alone].map((days) => days.map((took) => took[phase])) as [
      number[],
      number[],
    ];
    const each = (times: readonly number[]) =>
      `${median(times).toFixed(2)} s (${times.map((time) => time.toFixed(2)).join(', ')})`;
    print(
      `a day more, ${phase}: ${each(onYear)} on a year of ${(year.logs / 1e6).toFixed(1)} M logs (all of it ${year.whole[phase].toFixed(0)} s), ` +
        `${each(byItself)} alone, ratio ${(median(onYear) / median(byItself)).toFixed(2)}`,
    );
  }
}

async function timed(warehouse: Warehouse): Promise<Took> {
  const took = { build: 0, audits: 0, publish: 0 };
  for (const phase of names) {
    const begun = performance.now();
    await phases[phase](warehouse);
    took[phase] = (performance.now() - begun) / 1000;
  }
  return took;
}

async function generated<T>(name: string, work: (warehouse: Warehouse) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), `firn-bench-${name}-`));
  const warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue), memoryLimit: '2GB' });
  try {
    return await work(warehouse);
  } finally {
    warehouse.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Fills raw tables with days of a chain as one load. Addresses repeat with a long tail, so that old ones come back and new ones appear. */
export async function loadDays(warehouse: Warehouse, firstDay: number, count: number): Promise<void> {
  const [load] = await warehouse.query<{ next: bigint }>('SELECT coalesce(max(load_id), 0) + 1 AS next FROM firn.load');
  const id = load?.next ?? 1n;
  const [low, high] = [1 + firstDay * blocksPerDay, 1 + (firstDay + count) * blocksPerDay];
  // As on a live chain, most parties are a few thousand busy addresses, some are old ones that come back, some are new.
  const party = (seed: string) => {
    const luck = `hash(${seed}) % 1000000 / 1000000.0`;
    const number = `CASE WHEN hash(${seed}) % 97 < 93 THEN CAST(pow(${luck}, 3) * 6000 AS BIGINT)
      WHEN hash(${seed}) % 97 < 95 THEN CAST(${luck} * (n + 6000) AS BIGINT) ELSE n + 6000 END`;
    return `substr(md5(CAST(${number} AS VARCHAR)) || 'abcdef01', 1, 40)`;
  };
  const address = (seed: string) => `'0x' || ${party(seed)}`;
  const topic = (seed: string) => `'0x000000000000000000000000' || ${party(seed)}`;
  const blocks = `range(${low}, ${high}) AS b (n)`;
  const transactions = `${blocks} CROSS JOIN range(${transactionsPerBlock}) AS t (i)`;
  const logs = `${transactions} CROSS JOIN range(${logsPerTransaction}) AS l (j)`;
  const time = `make_timestamp((1735689600 + n * ${86_400 / blocksPerDay}) * 1000000)`;
  const insert = (table: string, from: string, columns: Readonly<Record<string, string>>) => {
    const all = { chain_id: `'${chain}'`, number: 'n', _load_id: `${id}`, ...columns };
    const list = Object.entries(all).map(([name, sql]) => `${sql} AS "${name}"`);
    return warehouse.run(`INSERT INTO raw.node_evm_${table} BY NAME SELECT ${list.join(', ')} FROM ${from}`);
  };
  await insert('blocks', blocks, {
    hash: `'0x' || md5(CAST(n AS VARCHAR))`,
    parent_hash: `'0x' || md5(CAST(n - 1 AS VARCHAR))`,
    timestamp: time,
    gas_used: `${21_000 * transactionsPerBlock}`,
    gas_limit: '15000000',
    miner: `'0x'`,
    difficulty: '1',
    sha3_uncles: `'0x'`,
    state_root: `'0x'`,
    transactions_root: `'0x'`,
    receipts_root: `'0x'`,
    logs_bloom: `'0x'`,
    extra_data: `'0x'`,
  });
  const tx = {
    tx_index: 'i',
    block_hash: `'0x'`,
    block_number: 'n',
    type: '2',
    from_address: address('n * 7 + i'),
    to_address: address('n * 11 + i'),
  };
  await insert('transactions', transactions, {
    ...tx,
    hash: `'0x' || md5(concat(n, '-', i))`,
    nonce: '0',
    gas_limit: '21000',
    value: '0',
    input: `'0x'`,
  });
  await insert('receipts', transactions, {
    ...tx,
    transaction_hash: `'0x' || md5(concat(n, '-', i))`,
    status: '1',
    cumulative_gas_used: '21000 * (i + 1)',
    gas_used: '21000',
    effective_gas_price: '25000000000 + n % 1000',
  });
  await insert('logs', logs, {
    log_index: `i * ${logsPerTransaction} + j`,
    tx_index: 'i',
    transaction_hash: `'0x' || md5(concat(n, '-', i))`,
    block_hash: `'0x'`,
    block_number: 'n',
    address: `'0x' || substr(md5(CAST(n % 200 AS VARCHAR)) || 'abcdef01', 1, 40)`,
    topics: `['0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef', ${topic('n * 13 + i * 5 + j')}, ${topic('n * 17 + i * 3 + j')}]`,
    data: `'0x' || lpad(hex(n), 64, '0')`,
  });
  await insert('traces', transactions, {
    tx_index: 'i',
    frame: '0',
    depth: '0',
    type: `'CALL'`,
    from_address: tx.from_address,
    to_address: tx.to_address,
    reverted: 'false',
  });
  await insert('traces', `${transactions} WHERE n % 50 = 0`, {
    tx_index: 'i',
    frame: '1',
    depth: '1',
    type: `'CREATE2'`,
    from_address: `'0x' || substr(md5(CAST(n % 3000 AS VARCHAR)) || 'abcdef01', 1, 40)`,
    to_address: address('n * 19'),
    reverted: 'false',
  });
  await insert('trace_status', transactions, { tx_index: 'i', trace_status: `'traced'` });
  await warehouse.run(
    `INSERT INTO firn.load BY NAME SELECT ${id} AS load_id, 'bench' AS run_id, 'node/evm_blocks' AS stream, 'chain_id=${chain}' AS "partition",
       1 AS pages, ${count * blocksPerDay} AS rows_in, ${count * blocksPerDay} AS rows_written, 0 AS rows_quarantined, 0 AS bytes, now()::TIMESTAMP AS committed_at`,
  );
}
