import { stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Stage } from '../../../src/cluster/contract.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { openStage } from '../../../src/cluster/stage/openStage.ts';
import { sweepStage } from '../../../src/cluster/stage/sweepStage.ts';
import { temporary } from '../../temporaryFolders.ts';
import { noNotes } from '../modelLedger.ts';
import { freshDatabase } from '../postgres.ts';
import { listed } from './listed.ts';

test('files go when nobody needs them any more, and never before the grace time', async () => {
  const control = await openControl(await freshDatabase());
  const ledger = await openLedger(control);
  const stage = await openStage({ uri: await temporary() });
  // Another cluster may have its stage below this one.
  const below = await openStage({ uri: fileURLToPath(`${stage.root}second`) });
  const file = join(await temporary(), 'batch');
  const of = { stream: 's', partition: 'p' };
  await ledger.enlist([of]);
  const held = await ledger.lease({ owner: 'one', ms: 60_000, partitions: [of] });
  if (!held) throw new Error('nothing to lease');
  const put = async (id: number) => {
    await writeFile(file, `rows ${id}`);
    return stage.write('raw.s', id, file, 1);
  };
  const [pending, applied, fresh, orphan, young] = [
    await put(1),
    await put(2),
    await put(3),
    await put(4),
    await put(5),
  ];
  const foreign = await below.write('raw.s', 77, file, 1);
  const files = [pending, applied, fresh].map((one, i) => ({ ...one, table: `raw.t${i}` }));
  await ledger.commit(held, { id: 1, from: null, to: { next: 1 }, files, notes: noNotes });
  for (const table of ['raw.t1', 'raw.t2']) await ledger.applied(table, [1]);
  await control.query(`UPDATE firn.batch_file SET applied_at = now() - interval '1 day' WHERE table_name = 'raw.t1'`);
  await stage.claim('warehouse', ledger.warehouse);
  // Of a worker that was killed while it copied one.
  const unfinished = fileURLToPath(`${stage.root}s/half.unfinished`);
  await writeFile(unfinished, 'ro');
  const old = [unfinished, ...[pending, applied, fresh, orphan, foreign].map(({ uri }) => fileURLToPath(uri))];
  for (const path of [...old, fileURLToPath(`${stage.root}warehouse`)]) await utimes(path, 1000, 1000);
  expect(await sweepStage(control, stage)).toBe(3);
  const left = (await listed(stage)).map(({ uri }) => uri);
  expect(left.sort()).toEqual([pending.uri, fresh.uri, young.uri, foreign.uri, `${stage.root}warehouse`].sort());
  // As after the restore of a backup.
  expect(await ledger.nextBatch()).toBe(6);
  // Numbers of files that are gone are not given again either.
  await control.query(`SELECT setval('firn.batch_id', 50)`);
  await sweepStage(control, stage);
  expect(await ledger.nextBatch()).toBe(51);
  await ledger.close();
});

test('a file that is new to its store stays, however far the control database is ahead of it', async () => {
  const control = await openControl(await freshDatabase());
  const stage = await openStage({ uri: await temporary() });
  const file = join(await temporary(), 'batch');
  await writeFile(file, 'rows');
  const [old, underWay] = [await stage.write('raw.s', 1, file, 1), await stage.write('raw.s', 2, file, 1)];
  const hour = 3_600_000;
  const at = async ({ uri }: { uri: string }, ago: number) =>
    utimes(fileURLToPath(uri), new Date(Date.now() - ago), new Date(Date.now() - ago));
  await at(underWay, 24 * hour);
  await at(old, 29 * hour);
  expect(await sweepStage(control, stage)).toBe(0);
  await at(old, 31 * hour);
  expect(await sweepStage(control, stage)).toBe(1);
  expect((await stat(fileURLToPath(underWay.uri))).size).toBe(4);
  await control.close();
});

test('a stage of any number of files is swept as it is listed', async () => {
  const control = await openControl(await freshDatabase());
  let listed = 0;
  const goneAt: number[] = [];
  const root = 's3://bucket/';
  const stage = {
    root,
    async *list() {
      listed = 0;
      for (; listed < 5_000; listed++) yield { uri: `${root}s/${listed + 1}.parquet`, writtenAt: 1 };
      yield { uri: `${root}s/${listed + 1}.parquet`, writtenAt: Date.now() };
    },
    remove: async (uris: readonly string[]) => void goneAt.push(...(uris.length > 0 ? [listed] : [])),
  } as unknown as Stage;
  expect(await sweepStage(control, stage)).toBe(5_000);
  expect(goneAt).toEqual([999, 1_999, 2_999, 3_999, 4_999]);
  await control.close();
});
