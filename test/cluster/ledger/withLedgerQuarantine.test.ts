/** @module-tag long */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { project } from '../../cli/cliHarness.ts';
import { temporary } from '../../temporaryFolders.ts';
import { freshDatabase } from '../postgres.ts';

test("the commands of quarantine see and change the ledger's, and leave nothing here", async () => {
  const url = await freshDatabase();
  const control = await openControl(url);
  onTestFinished(() => control.close());
  const self = await project(
    {
      sources: { node: { url: 'http://127.0.0.1:1' } },
      pipelines: { p: { streams: { 'node/platform_blocks': {} } } },
      control: url,
      stage: await temporary(),
      engine: { trino: 'http://127.0.0.1:1', catalog: 'lake' },
    },
    { isNew: true },
  );
  expect(await self.firn('quarantine', 'replay')).toMatchObject({
    code: 2,
    err: expect.stringContaining('firn worker'),
  });
  await control.query(`INSERT INTO firn.network (network_id, network, hrp) VALUES (12345, 'local', 'local')`);
  await control.query(
    `INSERT INTO firn.quarantine (load_id, number, stream, partition, reason, record, record_hash, times_seen, quarantined_at, last_seen_at, last_load_id)
     SELECT 1, n, 'node/platform_blocks', 'all', 'reason ' || n, '{"a":' || n || '}', n::text, 2, '2026-01-01 00:00:00.5', '2026-01-02', 1
     FROM generate_series(1, 2) AS n`,
  );
  const list = async (...words: string[]) =>
    (await self.firn('--json', 'quarantine', 'list', ...words)).json.records.map((record: { id: string }) =>
      Number(record.id),
    );
  expect(await list()).toEqual([1, 2]);
  expect(await self.firn('quarantine', 'accept', '1', '--reason', 'known')).toMatchObject({
    code: 0,
    out: expect.stringContaining('1 record unresolved'),
  });
  expect([await list(), await list('--accepted')]).toEqual([[2], [1]]);
  expect(await control.query('SELECT id, accepted_because FROM firn.quarantine ORDER BY id')).toEqual([
    { id: '1', accepted_because: 'known' },
    { id: '2', accepted_because: null },
  ]);
  expect(await self.firn('quarantine', 'reopen', '1')).toMatchObject({ code: 0 });
  expect(await list()).toEqual([1, 2]);
  expect((await self.firn('--json', 'quarantine', 'replay')).json.partitions).toMatchObject([
    { tried: 2, readable: 0 },
  ]);
  expect(await readdir(join(self.warehouse, '.state', 'ledger'))).toEqual([]);
});
