import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { Stage } from '../../../src/cluster/contract.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openStage } from '../../../src/cluster/stage/openStage.ts';
import { verifyStaged } from '../../../src/cluster/verify/verifyStaged.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import { temporary } from '../../temporaryFolders.ts';
import { freshDatabase } from '../postgres.ts';

test('files that somebody will still read must be there as they were written', async () => {
  const control = await openControl(await freshDatabase());
  onTestFinished(() => control.close());
  const stage = await openStage({ uri: await temporary() });
  const path = join(await temporary(), 'file');
  await writeFile(path, 'rows');
  const staged = await stage.write('raw.x', 1, path, 1);
  const remembered = await stage.write('raw.x', 2, path, 1);
  const { table, uri, rows, bytes, sha256 } = staged;
  await control.query(
    'INSERT INTO firn.batch_file (batch_id, table_name, uri, rows, bytes, sha256) VALUES (1, $1, $2, $3, $4, $5)',
    [table, uri, rows, bytes, sha256],
  );
  await control.query(`INSERT INTO firn.partition (stream, partition) VALUES ('s', 'p')`);
  await control.query(`INSERT INTO firn.part (stream, partition, memory) VALUES ('s', 'p', $1)`, [
    JSON.stringify([remembered]),
  ]);
  const found = async (from: Pick<Stage, 'fetch'> = stage) => {
    const { failures, ...looked } = await verifyStaged(control, { ...stage, ...from }, {});
    return { ...looked, failures: failures.map(({ check, item }) => `${check} ${item}`) };
  };
  expect(await found()).toEqual({ files: 2, bytes: 8, failures: [] });
  await rm(fileURLToPath(uri));
  await writeFile(fileURLToPath(remembered.uri), 'others');
  expect((await found()).failures).toEqual([`missing ${uri}`, `changed ${remembered.uri}`]);
  // It is applied while it is looked for.
  const fetch: Stage['fetch'] = async (...given) => {
    await control.query('UPDATE firn.batch_file SET applied_at = now()');
    return stage.fetch(...given);
  };
  expect((await found({ fetch })).failures).toEqual([`changed ${remembered.uri}`]);
  await control.query('UPDATE firn.batch_file SET applied_at = NULL');
  // Of a stage that does not answer nothing is known.
  const away = () => Promise.reject(new FirnError('unavailable', 'The stage does not answer.'));
  await expect(found({ fetch: away })).rejects.toThrow('The stage does not answer.');
  // What is applied may go.
  await control.query('UPDATE firn.batch_file SET applied_at = now()');
  expect((await found()).failures).toEqual([`changed ${remembered.uri}`]);
});
