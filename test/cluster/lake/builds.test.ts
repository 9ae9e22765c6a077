import { expect, onTestFinished, test } from 'vitest';
import { createBuilds } from '../../../src/cluster/lake/builds.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { freshDatabase } from '../postgres.ts';

test('loads of a warehouse that was moved are not built while one of its files waits, whose number is no load', async () => {
  const control = await openControl(await freshDatabase());
  onTestFinished(() => control.close());
  await control.query(
    `INSERT INTO firn.load (load_id, run_id, stream, partition, pages, rows_in, rows_written, rows_quarantined, bytes, committed_at)
     SELECT id, 'r', 's', 'p', 1, 1, 1, 0, 1, now() FROM unnest(ARRAY[1, 2, 5]) AS id`,
  );
  await control.query(
    `INSERT INTO firn.batch_file (batch_id, table_name, uri, rows, bytes, sha256, applied_at)
     VALUES (3, 'raw.x', 'a', 1, 1, '', now()), (4, 'raw.x', 'b', 1, 1, '', NULL), (5, 'raw.x', 'c', 1, 1, '', now())`,
  );
  const { unbuilt, unbuiltBeside } = createBuilds(control);
  expect(await unbuilt()).toEqual([5]);
  expect(await unbuiltBeside([5])).toEqual([1, 2]);
  await control.query('UPDATE firn.batch_file SET applied_at = now()');
  expect(await unbuilt()).toEqual([1, 2, 5]);
});
