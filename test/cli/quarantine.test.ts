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
