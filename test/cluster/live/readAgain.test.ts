import { startDevnet } from 'firn-devnet';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { publishedName } from '../../../src/cluster/engine/relationSchemas.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { project, sourcesOf } from '../../cli/cliHarness.ts';
import { unequalToReaders } from './compareRelations.ts';
import { freshLake, lakeClient, lakeEngine } from './lake.ts';

const client = lakeClient();
afterAll(() => client.close());

test('what was built of what was read in part is as on one machine, once all of it was read again', async () => {
  const net = await startDevnet({ ledger: 'test/fixtures/node-ledger-forks' });
  onTestFinished(() => net.close());
  const { schema, places } = await freshLake('again');
  const streams = (whole: boolean) => ({
    'node/containers': { indexes: ['C/block', 'P/block', 'X/block'], decode: whole },
    'node/evm_blocks': { blockchainIds: ['C'], traces: whole },
    'node/platform_blocks': { hex: whole },
  });
  const opened = (whole: boolean, more = {}) =>
    project({ sources: sourcesOf(net), pipelines: { p: { streams: streams(whole) } }, ...more }, { isNew: true });
  const [alone, part, whole] = [await opened(true), await opened(false, places), await opened(true, places)];
  expect(await alone.firn('run')).toMatchObject({ code: 0 });
  expect(await part.firn('worker', '--until-idle')).toMatchObject({ code: 0 });
  await part.firn('run');
  const control = await openControl(places.control, { connections: 1, migrates: false });
  onTestFinished(() => control.close());
  const [first] = await control.query('SELECT models_hash, is_whole FROM firn.build');
  expect(first).toMatchObject({ is_whole: true });
  await control.query('UPDATE firn.part SET due_at = now()');
  expect(await whole.firn('worker', '--until-idle')).toMatchObject({ code: 0 });
  expect(await control.query(`SELECT 1 FROM firn.part WHERE beside = 'whole'`)).toEqual([]);
  expect(await whole.firn('--json', 'run')).toMatchObject({ code: 0, json: { heldBack: [], problems: [] } });
  const warehouse = await alone.open();
  onTestFinished(() => warehouse.close());
  const engine = lakeEngine(client, schema);
  expect(await unequalToReaders(warehouse, client, (name) => engine.name(publishedName(name)))).toEqual([]);
  expect(await whole.firn('verify')).toMatchObject({ code: 0 });
});
