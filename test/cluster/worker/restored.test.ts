/** @module-tag long */
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import { keptName } from '../../../src/cluster/engine/lakeTable.ts';
import { lakeTables } from '../../../src/cluster/engine/lakeTables.ts';
import { refuseRestored } from '../../../src/cluster/lake/refuseRestored.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openCluster } from '../../../src/cluster/openCluster.ts';
import { testCluster } from './lakeOfTests.ts';

const streams = {
  'node/containers': { indexes: ['P/block'] },
  'node/platform_validators': {},
  'data/latest_transactions': { chainIds: ['43112'], from: 0 },
};

/** A cluster that read twice, its control database as it was in between, and what takes rows out of the lake that are newer. */
async function readTwice() {
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  const cluster = await testCluster(devnet, streams);
  const url = cluster.settings.control as string;
  await cluster.work();
  const admin = await openControl(url.replace(/\w+$/, 'postgres'), { connections: 1, migrates: false });
  const name = url.replace(/^.*\//, '');
  await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  await admin.query(`CREATE DATABASE ${name}_before TEMPLATE ${name}`);
  await admin.close();
  const before = await openCluster({ ...cluster.settings, control: `${url}_before` });
  onTestFinished(() => before.control.close());
  const [known] = await before.control.query<{ newest: string }>('SELECT max(load_id) AS newest FROM firn.load');
  devnet.moveHead('4%');
  await cluster.work(true);
  const rows = await cluster.rows();
  const takeBack = async () => {
    for (const table of lakeTables(catalogue))
      await cluster.engine.run(`DELETE FROM ${keptName(table)} WHERE firn_batch > ${known?.newest}`);
    expect(await cluster.rows()).not.toEqual(rows);
  };
  return { ...cluster, now: cluster.rows, before, rows, takeBack, known: Number(known?.newest) };
}

test('an older control database is refused before a worker applies what it reads again, and the statements that help are named', async () => {
  const { work, now, engine, before, rows, known } = await readTwice();
  // Under way as the backup was made: its number is lower than that of a batch that the backup has.
  const [late] = await before.control.query<{ id: string }>(
    'SELECT max(batch_id) AS id FROM firn.batch_file WHERE batch_id < $1 AND rows > 0',
    [known],
  );
  await before.control.query('DELETE FROM firn.batch_file WHERE batch_id = $1', [late?.id]);
  await before.control.query('DELETE FROM firn.load WHERE load_id = $1', [late?.id]);
  await before.control.query('UPDATE firn.part SET due_at = now()');
  const refused = await work(false, { cluster: before }).catch((error: Error) => error);
  expect(refused).toMatchObject({ code: 'config', message: expect.stringContaining(`firn_batch IN (${late?.id})`) });
  expect(await now()).toEqual(rows);
  const statements = (refused as Error).message.match(/DELETE FROM .*?(?=;)/g) ?? [];
  for (const statement of statements) await engine.run(statement.replace('lake.', ''));
  await before.control.query('UPDATE firn.part SET due_at = now()');
  await work(false, { cluster: before });
});

test('a number that an older control database has given again, to a batch of another table, hides no batch of the lake', async () => {
  const { engine, before, known } = await readTwice();
  const held = await engine.query<{ id: bigint }>(
    `SELECT DISTINCT firn_batch AS id FROM raw.data_latest_transactions_batches WHERE firn_batch > ${known}`,
  );
  expect(held.length).toBeGreaterThan(0);
  await before.control.query(
    `INSERT INTO firn.load SELECT (json_populate_record(l, json_build_object('load_id', id))).* FROM firn.load AS l, generate_series($1::bigint, 1000) AS id WHERE l.load_id = $2`,
    [known + 1, known],
  );
  await before.control.query(
    `INSERT INTO firn.batch_file SELECT id, 'raw.node_containers', 'file:///' || id, 1, 1, '' FROM generate_series($1::bigint, 1000) AS id`,
    [known + 1],
  );
  const refused = await refuseRestored(engine, before.control, 'lake').catch((error: Error) => error);
  expect(refused).toMatchObject({ code: 'config' });
  const { message } = refused as Error;
  expect(message).toContain(
    `DELETE FROM lake.raw.data_latest_transactions_batches WHERE firn_batch IN (${held.map(({ id }) => id).join(', ')});`,
  );
  expect(message).not.toContain('raw.node_containers ');
});

test('of a control database that was restored workers read again what was taken out of the lake', async () => {
  const { work, now, before, rows, takeBack } = await readTwice();
  await takeBack();
  await before.control.query('UPDATE firn.part SET due_at = now()');
  await work(false, { cluster: before });
  expect(await now()).toEqual(rows);
});

test('of a lake that was restored the files that wait in the stage are applied again', async () => {
  const { work, now, cluster, rows, takeBack } = await readTwice();
  await takeBack();
  await expect(work(true)).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining('The lake lacks batch'),
  });
  await cluster.control.query('UPDATE firn.batch_file SET applied_at = NULL');
  await work();
  expect(await now()).toEqual(rows);
});

test('tables of which nothing was read for hours, and loads that a build noted, are of one time with the ledger', async () => {
  const { cluster, engine } = await readTwice();
  const [row] = await cluster.control.query<{ newest: string }>('SELECT max(load_id) AS newest FROM firn.load');
  await cluster.control.query(
    `UPDATE firn.load SET committed_at = committed_at - interval '2 hours' WHERE load_id < $1`,
    [row?.newest],
  );
  await engine.run(`CREATE TABLE firn.load AS SELECT ${row?.newest}::BIGINT AS firn_batch`);
  await refuseRestored(engine, cluster.control, 'lake');
});
