import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { verifyViews } from '../../../src/cluster/verify/verifyViews.ts';
import { freshLake, lakeClient, lakeEngine } from './lake.ts';

const client = lakeClient();
afterAll(() => client.close());

test('the tables are named that maintenance must leave, and a view is harmed where it did not', async () => {
  const { schema, places } = await freshLake('held');
  const engine = lakeEngine(client, schema);
  const control = await openControl(places.control);
  const ledger = await openLedger(control);
  const block = 'mart.fct_block';
  await engine.build(block, 'SELECT 1 AS x');
  const { [block]: old = '' } = await engine.snapshots([block]);
  await engine.show('published_mart.metric', `SELECT x FROM (SELECT * FROM ${engine.asOf(block, old)}) AS a`);
  await engine.build(block, 'SELECT 2 AS x');
  const version = await ledger.publish(await engine.snapshots([block]));
  await engine.show(`published_${block}`, `SELECT * FROM ${engine.asOf(block, version.snapshots[block] ?? '')}`);
  await engine.show('published_firn.held_back', `SELECT CAST('mart.metric' AS VARCHAR) AS relation`);
  const page = await readFile(join(import.meta.dirname, '../../../docs/cluster.md'), 'utf8');
  const [, statement = ''] = /```sql\n(SELECT DISTINCT t FROM[^`]*);\n```/.exec(page) ?? [];
  const named = statement.replaceAll('firn_published', `${schema}_published`);
  expect((await client.run(named)).rows).toEqual([{ t: engine.name(block) }]);
  const found = () => verifyViews(engine, control, version, ['mart.metric']);
  expect(await found()).toEqual([]);
  await client.run(`ALTER TABLE ${engine.name(block)} EXECUTE expire_snapshots(retention_threshold => '0s')`, {
    'lake.expire_snapshots_min_retention': '0s',
  });
  expect(await found()).toMatchObject([{ check: 'missing', item: engine.name('published_mart.metric') }]);
  await control.close();
});
