import { expect, onTestFinished, test } from 'vitest';
import { createBuilds } from '../../../src/cluster/lake/builds.ts';
import { migrateControl } from '../../../src/cluster/ledger/migrateControl.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { freshDatabase } from '../postgres.ts';

/** A control database with loads, none of which is built, and files, each as its batch, table and whether it is applied. */
async function played(loads: readonly number[], files: readonly (readonly [number, string, boolean])[]) {
  const control = await openControl(await freshDatabase());
  onTestFinished(() => control.close());
  await control.query(
    `INSERT INTO firn.load (load_id, run_id, stream, partition, pages, rows_in, rows_written, rows_quarantined, bytes, committed_at)
     SELECT id, 'r', 's', 'p', 1, 1, 1, 0, 1, now() FROM unnest($1::bigint[]) AS id`,
    [loads],
  );
  for (const [batch, table, isApplied] of files)
    await control.query(
      `INSERT INTO firn.batch_file (batch_id, table_name, uri, rows, bytes, sha256, applied_at)
       VALUES ($1, $2, $2 || $1::bigint, 1, 1, '', CASE WHEN $3 THEN now() END)`,
      [batch, table, isApplied],
    );
  return { control, ...createBuilds(control) };
}

test('neither loads of a warehouse that was moved nor its files, whose numbers are no loads, are built while one of these waits', async () => {
  const { control, unbuilt, unbuiltBeside, finish } = await played(
    [1, 2, 5],
    [
      [3, 'raw.x', true],
      [4, 'raw.x', false],
      [5, 'raw.x', true],
    ],
  );
  expect(await unbuilt()).toEqual([5]);
  expect(await unbuiltBeside([5])).toEqual({ 'raw.x': [[3, 4]] });
  await control.query('UPDATE firn.batch_file SET applied_at = now()');
  // The build that asked before that file was applied.
  expect(await unbuiltBeside([5])).toEqual({ 'raw.x': [[3, 4]] });
  expect(await unbuilt()).toEqual([1, 2, 5]);
  expect(await unbuiltBeside([1, 2, 5])).toEqual({});
  await finish([1, 2, 5], { modelsHash: 'x', snapshots: {}, partial: {}, behind: [] });
  await control.query('UPDATE firn.load SET built_at = NULL WHERE load_id = 5');
  expect(await unbuiltBeside([])).toEqual({ 'raw.x': [[5, 5]] });
});

test('what a table that cannot be applied holds up is one stretch of its own tables, however many other loads lie between', async () => {
  const [stuck, others] = [
    [10, 12, 14, 18],
    [11, 13, 15, 17],
  ];
  const { unbuilt, unbuiltBeside, finish, last } = await played(
    [...stuck, ...others, 16],
    [
      ...stuck.flatMap(
        (id) =>
          [
            [id, 'raw.stuck', false],
            [id, 'raw.stuck_kids', true],
          ] as const,
      ),
      ...others.map((id) => [id, 'raw.other', true] as const),
      [16, 'raw.stuck', true],
    ],
  );
  const loads = await unbuilt();
  expect(loads).toEqual([11, 13, 15, 16, 17]);
  const partial = await unbuiltBeside(loads);
  expect(partial).toEqual({
    'raw.stuck': [
      [10, 14],
      [18, 18],
    ],
    'raw.stuck_kids': [[10, 18]],
  });
  await finish(loads, { modelsHash: 'x', snapshots: {}, partial, behind: [] });
  expect(await last()).toMatchObject({ partial });
  expect(await unbuiltBeside([])).toEqual(partial);
});

test('a build is whole from its end until the next one begins, and of one by other models nothing is compared with', async () => {
  const { begin, finish, last } = await played([], []);
  const first = { snapshots: { x: '1' }, partial: { 'raw.x': [[1, 2]] as const }, behind: ['mart.y'] };
  await finish([], { modelsHash: 'one', ...first });
  expect(await last()).toMatchObject({ modelsHash: 'one', isWhole: true, ...first });
  await begin('one');
  expect(await last()).toMatchObject({ modelsHash: 'one', isWhole: false, ...first });
  const second = { snapshots: { x: '2' }, partial: {}, behind: [] };
  await finish([], { modelsHash: 'one', ...second });
  const { snapshots, partial, behind, isWhole } = (await last()) ?? {};
  expect({ snapshots, partial, behind, isWhole }).toEqual({ ...second, isWhole: true });
  await begin('another');
  expect(await last()).toMatchObject({ modelsHash: 'another', isWhole: false });
  expect((await last())?.snapshots).toEqual({});
});

test('what an older firn left out of a build, load by load, is known by table', async () => {
  const { control, begin, last } = await played(
    [1, 2, 3],
    [
      [1, 'raw.x', true],
      [2, 'raw.x', true],
      [3, 'raw.y', false],
    ],
  );
  await begin('x');
  await control.query(
    `ALTER TABLE firn.build ALTER partial DROP DEFAULT, ALTER partial TYPE bigint[] USING '{2, 3}'; DROP TABLE firn.dropped; DELETE FROM firn.migration WHERE version >= 20`,
  );
  await migrateControl(control);
  const [x, y] = [[[2, 2]], [[3, 3]]];
  expect(await last()).toMatchObject({ partial: { 'raw.x': x, 'raw.x_batches': x, 'raw.y': y, 'raw.y_batches': y } });
});
