/** @module-tag long */
import { type Devnet, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue } from '../../pipelines/index.ts';
import { tablesOf } from '../../src/core/stream/stream.ts';
import { openWarehouse, type Warehouse } from '../../src/load/state/warehouse.ts';
import { readBlockRows } from '../../src/run/evidence/evidenceRows.ts';
import { transactionOfRow } from '../../src/run/evidence/evmRows.ts';
import { runAudits } from '../../src/transform/audits/runAudits.ts';
import { buildModels } from '../../src/transform/builds/buildModels.ts';
import { metricsOf } from '../../src/transform/models/metricsOf.ts';
import { readModels } from '../../src/transform/models/readModels.ts';
import { contributorsSql } from '../../src/transform/reconcile/contributorsSql.ts';
import { reconcile } from '../../src/transform/reconcile/reconcile.ts';
import { placeState } from '../placeState.ts';
import { temporary } from '../temporaryFolders.ts';
import { syncOnce } from './standardHarness.ts';

// An L1 with a native minter: amounts and prices of up to 2^256-1, in every source that knows the chain.

interface Transaction {
  readonly hash: string;
  readonly value: string;
}

let devnet: Devnet;
let warehouse: Warehouse;
/** Native amounts by transaction, as the node tells them. */
const values = new Map<string, bigint>();
let wide: string[];
let account: string;

beforeAll(async () => {
  devnet = await startDevnet({ wideAmounts: true });
  const [l1] = devnet.ledger.l1s;
  const chain = String(l1?.evmChainId);
  const blocks = (l1?.blocks ?? []).map(
    ({ block }) => JSON.parse(block) as { transactions: (Transaction & { from: string })[] },
  );
  const transactions = blocks.flatMap((block) => block.transactions);
  for (const { hash, value } of transactions) values.set(hash, BigInt(value));
  wide = [...values].filter(([, value]) => value >= 10n ** 38n).map(([hash]) => hash);
  account = transactions.find(({ hash }) => hash === wide[0])?.from ?? '';
  const folder = await temporary();
  await placeState(folder, undefined, { isBuilt: true });
  const results = await syncOnce(folder, devnet, {
    'node/evm_blocks': { blockchainIds: [l1?.blockchainId ?? ''] },
    'data/latest_transactions': { chainIds: [chain], from: 0 },
    'data/address_transactions': { chainIds: [chain], addresses: [account] },
    'data/address_internal_transactions': { chainIds: [chain], addresses: [account] },
    'data/transaction_details': { chainIds: [chain], streams: ['latest_transactions'], budget: 1000 },
    'metrics/chain_metrics': { chainIds: [chain], timeIntervals: ['day'] },
  });
  expect(results.map(({ outcome }) => outcome)).toEqual(results.map(() => 'done'));
  warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue) });
  await buildModels(warehouse);
});
afterAll(async () => {
  warehouse.close();
  await devnet.close();
});

test('no transaction is quarantined', async () => {
  expect(wide.length).toBeGreaterThan(20);
  expect(await warehouse.query('SELECT stream, reason FROM firn.quarantine')).toEqual([]);
});

describe.each([
  ['raw.node_evm_transactions', 'hash'],
  ['raw.data_latest_transactions', 'tx_hash'],
  ['raw.data_transaction_details', 'tx_hash'],
  ['staging.evm_transaction', 'hash'],
  ['mart.fct_transaction', 'hash'],
])('%s', (table, hash) => {
  test('has every amount to the digit, in one column or the other', async () => {
    const rows = await warehouse.query<{ hash: string; digits: string; both: boolean }>(
      `SELECT ${hash} AS hash, coalesce(value_text, CAST("value" AS VARCHAR)) AS digits,
         value_text IS NOT NULL AND "value" IS NOT NULL AS both FROM ${table}`,
    );
    expect(new Map(rows.map((row) => [row.hash, BigInt(row.digits)]))).toEqual(values);
    expect(rows.filter(({ both }) => both)).toEqual([]);
  });
});

test('histories and internal transactions of an address have theirs', async () => {
  const [history] = await warehouse.query<{ n: bigint }>(
    'SELECT count(*) AS n FROM raw.data_address_transactions WHERE value_text IS NOT NULL',
  );
  expect(history?.n).toBeGreaterThan(0n);
  const missing = await warehouse.query(
    `SELECT d.tx_hash FROM raw.data_transaction_details_internal_transactions AS d
     WHERE d.value_text IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM mart.fct_internal_transaction AS f WHERE f.transaction_hash = d.tx_hash AND f.value_text = d.value_text)`,
  );
  expect(missing).toEqual([]);
  const [frames] = await warehouse.query<{ n: bigint }>(
    'SELECT count(*) AS n FROM staging.evm_trace WHERE value_text IS NOT NULL AND frame = 0',
  );
  expect(Number(frames?.n)).toBe(wide.length);
});

test('evidence is given every digit', async () => {
  const chainId = String(devnet.ledger.l1s[0]?.evmChainId);
  const rows = await readBlockRows(
    warehouse,
    { chainId, alias: '', blockchainId: null, name: 'wide', vm: 'evm', genesisHash: null },
    0,
    1000,
  );
  const told = rows.flatMap(({ transactions }) =>
    transactions.map((row) => [row['hash'], transactionOfRow(row).value]),
  );
  expect(new Map(told as [string, bigint][])).toEqual(values);
  const prices = rows.flatMap(({ receipts }) => receipts.map((row) => BigInt(row['effective_gas_price'] ?? 0)));
  expect(prices.some((price) => price > 10n ** 38n)).toBe(true);
});

test('no audit takes them for a fault', async () => {
  const audits = await runAudits(warehouse);
  expect(audits.length).toBeGreaterThan(20);
  expect(audits.filter(({ failedRows, problem }) => failedRows > 0 || problem !== null)).toEqual([]);
});

test('a fee of more than 38 digits says so, and its days have no number where all others have the served one', async () => {
  const dear = await warehouse.query<{ hash: string; day: string }>(
    `SELECT hash, CAST(CAST(block_time AS DATE) AS VARCHAR) AS "day" FROM mart.fct_transaction
     WHERE fee_overflows AND fee_paid IS NULL AND effective_gas_price_text IS NOT NULL`,
  );
  expect(dear.length).toBeGreaterThan(0);
  const metrics = await warehouse.query<{ metric: string; day: string }>(
    `SELECT metric, CAST(CAST(bucket AS DATE) AS VARCHAR) AS "day" FROM mart.metric WHERE overflows AND covered AND numerator IS NULL`,
  );
  const days = [...new Set(dear.map(({ day }) => day))].sort();
  for (const metric of ['feesPaid', 'avgGasPrice', 'maxGasPrice']) {
    expect(
      metrics
        .filter((row) => row.metric === metric)
        .map(({ day }) => day)
        .sort(),
    ).toEqual(days);
  }
  expect(metrics).toHaveLength(3 * days.length);
  const { matrix, differs } = await reconcile(warehouse);
  expect(differs).toBe(0);
  const fees = matrix.find(({ metric }) => metric === 'feesPaid')?.verdicts;
  expect(fees?.own_incomplete).toBe(days.length);
  const notes = await warehouse.query(
    `SELECT note, count(*) AS buckets FROM mart.reconciliation WHERE metric = 'feesPaid' AND verdict = 'own_incomplete' GROUP BY note`,
  );
  expect(notes).toEqual([{ note: 'more than 38 digits: not compared', buckets: BigInt(days.length) }]);
  expect(fees?.equal).toBeGreaterThan(0);
});

test.each([
  ['maxGasPrice', 'effective_gas_price'],
  ['avgGasPrice', 'effective_gas_price'],
  ['feesPaid', 'fee'],
])('the rows that count most of %s begin with those of more than 38 digits', async (metric, column) => {
  const [day] = await warehouse.query<{ chain: string; from: number; dear: bigint }>(
    `SELECT chain_id AS chain, CAST(epoch(date_trunc('day', block_time)) AS INTEGER) AS from,
       count(*) FILTER (WHERE effective_gas_price_text IS NOT NULL) AS dear
     FROM mart.fct_transaction GROUP BY ALL ORDER BY dear DESC, count(*) DESC LIMIT 1`,
  );
  const { chain = '', from = 0, dear = 0n } = day ?? {};
  const { contributors = '' } = metricsOf(await readModels()).find(({ name }) => name === metric) ?? {};
  const rows = await warehouse.query(contributorsSql(contributors, { chain, from, until: from + 86_400 }));
  expect(Number(dear)).toBeGreaterThan(0);
  expect(rows.length).toBeGreaterThan(Number(dear));
  const told = rows.map((row) => String(row[column]));
  const tooLong = told.slice(0, Number(dear));
  if (column === 'fee') expect(new Set(tooLong)).toEqual(new Set(['more than 38 digits']));
  else expect(tooLong.filter((digits) => BigInt(digits) < 10n ** 38n)).toEqual([]);
  const amounts = (column === 'fee' ? told.slice(Number(dear)) : told).map(BigInt);
  expect(amounts).toEqual([...amounts].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0)));
});
