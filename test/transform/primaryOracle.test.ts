import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildModels } from '../../src/transform/buildModels.ts';
import type { Model } from '../../src/transform/model.ts';
import type { Audit } from '../../src/transform/parseAudit.ts';
import { readAudits } from '../../src/transform/readAudits.ts';
import { runAudits } from '../../src/transform/runAudits.ts';
import { fuzzRuns, isFuzz } from '../fuzzRuns.ts';
import { modelsUnder } from './metricModels.ts';
import { drawnHistory } from './primaryOracle/drawnHistory.ts';
import { Expected, type Read, type Row } from './primaryOracle/expected.ts';
import { drawnReads } from './primaryOracle/reads.ts';
import { WarehouseReader } from './primaryOracle/warehouseReader.ts';
import { forgetBuild, type TestWarehouse, temporaryWarehouse } from './warehouse.ts';

/** Models, and what makes their rows of what was read. */
const held: Readonly<Record<string, (expected: Expected) => readonly Row[]>> = {
  'mart.fct_primary_transaction': (expected) => expected.transactions(),
  'mart.fct_utxo': (expected) => expected.utxos(),
  'mart.unlock_calendar': (expected) => expected.calendar(),
  'mart.fct_staking': (expected) => expected.stakings(),
  'mart.fct_validator_day': (expected) => expected.validatorDays(),
  'mart.dim_l1_validator': (expected) => expected.l1Validators(),
  'mart.dim_subnet': (expected) => expected.subnets(),
  'mart.dim_asset': (expected) => expected.assets(),
  'mart.dim_blockchain': (expected) => expected.blockchains(),
};

/** Audits of what is drawn. */
const claims = [
  'assert_balances_equal_utxos',
  'assert_container_indexes_without_gap',
  'assert_inputs_equal_their_utxos',
  'assert_node_containers_link',
  'assert_node_decoded_transactions_complete',
  'assert_node_primary_heights_follow',
  'assert_node_rewards_go_to_their_owners',
  'assert_primary_transactions_make_no_avax',
  'assert_supply_grows_by_rewards',
  'assert_utxos_unique',
  'assert_validators_equal_staking',
];

let own: TestWarehouse;
let models: readonly Model[];
let audits: readonly Audit[];
beforeAll(async () => {
  own = await temporaryWarehouse();
  models = await modelsUnder([...Object.keys(held), 'staging.primary_change']);
  audits = (await readAudits()).filter(({ name }) => claims.includes(name));
});
afterAll(() => own.dispose());

const inOrder = (rows: readonly Row[]) => rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();

async function hold(read: Read, when: string): Promise<void> {
  const expected = new Expected(read);
  for (const [name, rowsOf] of Object.entries(held)) {
    const rows = await own.warehouse.query<Row>(`SELECT COLUMNS(*)::VARCHAR FROM ${name}`);
    const [found, wanted] = [inOrder(rows), inOrder(rowsOf(expected))];
    expect(found.filter((row) => !wanted.includes(row)), `${name} ${when}`).toEqual(wanted.filter((row) => !found.includes(row)));
    expect(found.length, `${name} ${when}`).toBe(wanted.length);
  }
  const results = await runAudits(own.warehouse, { audits });
  const failed = results.filter(({ failedRows, problem }) => failedRows > 0 || problem !== null);
  expect(failed.map(({ name, example, problem }) => `${name} ${problem ?? example}`), when).toEqual([]);
}

test('models of the Primary Network hold what its transactions did, whatever is read of them and when', async () => {
  await fc.assert(
    fc.asyncProperty(drawnHistory, drawnReads, async (history, reads) => {
      const reader = new WarehouseReader(own.warehouse, history);
      await reader.begin();
      await forgetBuild(own.warehouse);
      for (const [i, one] of reads.entries()) {
        await reader.take(one);
        if (!one.build) continue;
        await buildModels(own.warehouse, { models });
        await hold(reader.read, `after read ${i}`);
      }
    }),
    { numRuns: fuzzRuns(8), endOnFailure: !isFuzz },
  );
});
