/** @module-tag long */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAudits } from '../../src/transform/audits/readAudits.ts';
import { hasFailed, runAudits } from '../../src/transform/audits/runAudits.ts';
import { buildModels } from '../../src/transform/builds/buildModels.ts';
import type { Model } from '../../src/transform/models/model.ts';
import { fuzzRuns, isFuzz } from '../fuzzRuns.ts';
import { modelsUnder } from './metricModels.ts';
import { drawnHistory } from './primaryOracle/drawnHistory.ts';
import { Expected, type Read, type Row } from './primaryOracle/expected.ts';
import { flawKinds, isOfContainers } from './primaryOracle/flaw.ts';
import { containerReads, drawnReads, plainReads } from './primaryOracle/reads.ts';
import { WarehouseReader } from './primaryOracle/warehouseReader.ts';
import { forgetBuild, type TestWarehouse, temporaryWarehouse } from './warehouse.ts';

/** Models, and what makes their rows of what was read. */
const held: Readonly<Record<string, (expected: Expected) => readonly Row[]>> = {
  'mart.fct_primary_transaction': (expected) => expected.transactions(),
  'mart.fct_utxo': (expected) => expected.utxos(),
  'mart.unlock_calendar': (expected) => expected.calendar(),
  'mart.fct_staking_cycle': (expected) => expected.stakingCycles(),
  'mart.fct_staking': (expected) => expected.stakings(),
  'mart.fct_validator_day': (expected) => expected.validatorDays(),
  'mart.dim_l1_validator': (expected) => expected.l1Validators(),
  'mart.dim_subnet': (expected) => expected.subnets(),
  'mart.dim_asset': (expected) => expected.assets(),
  'mart.dim_blockchain': (expected) => expected.blockchains(),
};

let own: TestWarehouse;
let models: readonly Model[];
beforeAll(async () => {
  own = await temporaryWarehouse();
  models = await modelsUnder([...Object.keys(held), 'staging.primary_change']);
});
afterAll(() => own.dispose());

const inOrder = (rows: readonly Row[]) => rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();

async function holdRows(read: Read, when: string): Promise<void> {
  const expected = new Expected(read);
  for (const [name, rowsOf] of Object.entries(held)) {
    const rows = await own.warehouse.query<Row>(`SELECT COLUMNS(*)::VARCHAR FROM ${name}`);
    expect(inOrder(rows), `${name} ${when}`).toEqual(inOrder(rowsOf(expected)));
  }
}

/** Audits of what is drawn that find something. */
async function failed(names: readonly string[]): Promise<string[]> {
  const audits = (await readAudits()).filter(({ name }) => names.includes(name));
  expect(audits.length).toBe(names.length);
  const results = await runAudits(own.warehouse, { audits });
  return results.filter(hasFailed).map(({ name, example, problem }) => `${name}: ${problem ?? example}`);
}

test('models of the Primary Network hold what its transactions did, whatever is read of them and when', async () => {
  await fc.assert(
    fc.asyncProperty(drawnHistory(), drawnReads, async (history, reads) => {
      const reader = new WarehouseReader(own.warehouse, history);
      await reader.begin();
      await forgetBuild(own.warehouse);
      for (const [i, one] of reads.entries()) {
        await reader.take(one);
        if (one.next === 'read on') continue;
        await buildModels(own.warehouse, { models });
        await holdRows(reader.read, `after read ${i}`);
        if (one.next === 'audit') expect(await failed([...flawKinds, ...always]), `after read ${i}`).toEqual([]);
      }
    }),
    { numRuns: fuzzRuns(3), endOnFailure: !isFuzz },
  );
});

/** Audits of what no history breaks: rows that are gone. */
const always = ['assert_node_decoded_transactions_complete'];

test.each(flawKinds)('%s finds a history that breaks its rule', async (kind) => {
  // What a rule is about is not in every history, nor is all of it known.
  const histories = fc.sample(drawnHistory(kind), { numRuns: 60, ...(!isFuzz && { seed: 1 }) });
  let found: string[] = [];
  for (const history of histories.filter(({ length }) => length > 0)) {
    if (found.length > 0) break;
    const reader = new WarehouseReader(own.warehouse, history, kind);
    await reader.begin();
    await forgetBuild(own.warehouse);
    for (const one of isOfContainers(kind) ? containerReads : plainReads) await reader.take(one);
    await buildModels(own.warehouse, { models });
    found = await failed([kind]);
  }
  expect(found).not.toEqual([]);
});
