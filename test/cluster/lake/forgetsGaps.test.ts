import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { forgetsGaps } from '../../../src/cluster/lake/forgetsGaps.ts';
import { openDuckDb } from '../../../src/load/database/openDuckDb.ts';
import { temporary } from '../../temporaryFolders.ts';
import { createDuckDbEngine } from '../engine/duckDbEngine.ts';

test('a gap that is new, that grew, or that another load tells, is none that is forgotten', async () => {
  const folder = await temporary();
  const duckDb = await openDuckDb({ folders: [folder], file: join(folder, 'lake.duckdb') });
  const engine = createDuckDbEngine(duckDb, 'file:///none/');
  onTestFinished(() => engine.close());
  await duckDb.connection.run(
    'CREATE SCHEMA firn; CREATE TABLE firn.gap (stream VARCHAR, "partition" VARCHAR, from_position BIGINT, to_position BIGINT, load_id BIGINT)',
  );
  const gap = (at: number, load: number) => `INSERT INTO firn.gap VALUES ('s', 'p', ${at}, ${at + 1}, ${load})`;
  const cutAfter = async (sql: string) => {
    await duckDb.connection.run(sql);
    return { snapshots: await engine.snapshots(['firn.gap']) };
  };
  const empty = { snapshots: {} };
  const first = await cutAfter(gap(3, 1));
  const more = await cutAfter(gap(9, 2));
  const again = await cutAfter(`UPDATE firn.gap SET load_id = 5`);
  const grown = await cutAfter('UPDATE firn.gap SET to_position = to_position + 1');
  const fewer = await cutAfter('DELETE FROM firn.gap WHERE from_position = 3');
  expect(await forgetsGaps(engine, empty, first)).toBe(false);
  expect(await forgetsGaps(engine, first, more)).toBe(false);
  expect(await forgetsGaps(engine, more, again)).toBe(false);
  expect(await forgetsGaps(engine, again, grown)).toBe(false);
  expect(await forgetsGaps(engine, grown, again)).toBe(true);
  expect(await forgetsGaps(engine, again, fewer)).toBe(true);
  expect(await forgetsGaps(engine, fewer, empty)).toBe(true);
});
