/** @module-tag long */
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { project, sourcesOf } from './cliHarness.ts';

test('a replay says of what records in quarantine are that it did not try', async () => {
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  const streams = { 'data/chains': {} };
  const { firn, query } = await project({ sources: sourcesOf(devnet), pipelines: { main: { streams } } });
  expect((await firn('sync')).code).toBe(0);
  expect(await firn('quarantine', 'replay')).toMatchObject({ code: 0, out: 'Nothing is in quarantine.\n' });
  await query(
    `INSERT INTO firn.quarantine BY NAME
     SELECT 1 AS id, 1 AS load_id, 1 AS "number", 'data/utxos' AS stream, 'p' AS "partition", 'r' AS reason, '{}' AS record, '' AS record_hash,
       1 AS times_seen, now()::TIMESTAMP AS quarantined_at, now()::TIMESTAMP AS last_seen_at, 1 AS last_load_id`,
  );
  const { code, out } = await firn('quarantine', 'replay');
  expect(code).toBe(4);
  expect(out).toMatch(
    /^Nothing was tried: 1 record in quarantine, of data\/utxos, from partitions that were not selected/,
  );
});

test.each([
  ['as many as are asked for', "'{}'", ['--limit', '2'], { listed: 2, more: 'and 1 older record:' }],
  ['as many as have room, and one at least', "repeat('x', 70000000)", [], { listed: 1, more: 'and 2 older records:' }],
  ['all of them', "'{}'", ['--limit', '3'], { listed: 3, more: undefined }],
])('a list of records in quarantine has the newest: %s', async (_, record, options, { listed, more }) => {
  const { firn, query } = await project({ sources: sourcesOf({ url: 'http://127.0.0.1:1' }) });
  await query(
    `INSERT INTO firn.quarantine BY NAME
     SELECT i AS id, 1 AS load_id, i AS "number", 'data/utxos' AS stream, 'p' AS "partition", 'r' AS reason, ${record} AS record, '' AS record_hash,
       1 AS times_seen, now()::TIMESTAMP AS quarantined_at, TIMESTAMP '2026-01-01' + INTERVAL (i) DAY AS last_seen_at, 1 AS last_load_id
     FROM range(1, 4) AS t(i)`,
  );
  const { out } = await firn('quarantine', ...options);
  expect(out.match(/^\d+/gm)).toEqual(['3', '2', '1'].slice(0, listed));
  expect(out.match(/^and .*?:/m)?.[0]).toBe(more);
  if (record !== "'{}'") return;
  const { json } = await firn('--json', 'quarantine', ...options);
  expect(json).toMatchObject({ records: Array(listed).fill({ stream: 'data/utxos' }), more: more !== undefined });
});

test('a list of records in quarantine has those that are open, those that were accepted, or all', async () => {
  const { firn, query } = await project({ sources: sourcesOf({ url: 'http://127.0.0.1:1' }) });
  await query(
    `INSERT INTO firn.quarantine BY NAME
     SELECT i AS id, 1 AS load_id, i AS "number", 'data/utxos' AS stream, 'p' AS "partition", 'r' AS reason, '{}' AS record, '' AS record_hash,
       1 AS times_seen, now()::TIMESTAMP AS quarantined_at, TIMESTAMP '2026-01-01' AS last_seen_at, 1 AS last_load_id,
       CASE WHEN i >= 2 THEN now()::TIMESTAMP END AS accepted_at, CASE WHEN i = 3 THEN now()::TIMESTAMP END AS replayed_at
     FROM range(1, 4) AS t(i)`,
  );
  const ids = async (...options: string[]) =>
    ((await firn('--json', 'quarantine', ...options)).json.records as { id: string }[]).map(({ id }) => Number(id));
  expect([await ids(), await ids('--accepted'), await ids('--all')]).toEqual([[1], [2], [1, 2, 3]]);
});
