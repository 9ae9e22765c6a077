import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openStage } from '../../../src/cluster/stage/openStage.ts';
import { replaceFileCalls } from '../../replaceFileCalls.ts';
import { temporary } from '../../temporaryFolders.ts';
import { listed } from './listed.ts';

const sha256 = 'bc51e9e65d79e1c90ba544ab2eae1044ccdf8c1af7a559ba375cba4276f7d99e';

async function opened() {
  const folder = join(await temporary(), 'stage with a space');
  const file = join(await temporary(), 'batch.parquet');
  await writeFile(file, 'rows');
  return { folder, file, stage: await openStage({ uri: folder }) };
}

test('a file is kept under its name, with its hash', async () => {
  const { stage, file, folder } = await opened();
  const staged = await stage.write('raw.node_blocks', 7, file, 3);
  expect(staged).toMatchObject({ table: 'raw.node_blocks', rows: 3, bytes: 4, sha256 });
  expect(staged.uri).toBe(`${stage.root}node_blocks/7.parquet`);
  expect(await readFile(fileURLToPath(staged.uri), 'utf8')).toBe('rows');
  expect(await readdir(join(folder, 'node_blocks'))).toEqual(['7.parquet']);
});

test('the same file again is there, another one of its name is refused and changes nothing', async () => {
  const { stage, file } = await opened();
  const staged = await stage.write('raw.node_blocks', 7, file, 3);
  expect(await stage.write('raw.node_blocks', 7, file, 3)).toEqual(staged);
  await writeFile(file, 'others');
  await expect(stage.write('raw.node_blocks', 7, file, 3)).rejects.toMatchObject({ code: 'contract' });
  expect(await readFile(fileURLToPath(staged.uri), 'utf8')).toBe('rows');
});

test('of ten that claim a name at once all see what one of them said', async () => {
  const { stage } = await opened();
  expect(await stage.read('warehouse')).toBeUndefined();
  const said = await Promise.all(Array.from({ length: 10 }, (_, i) => stage.claim('warehouse', `id ${i}`)));
  expect(new Set(said).size).toBe(1);
  expect(await stage.read('warehouse')).toBe(said[0]);
});

test('files are listed with their times, and removed twice without harm', async () => {
  const { stage, file } = await opened();
  expect(await listed(stage)).toEqual([]);
  const { uri } = await stage.write('raw.node_blocks', 7, file, 3);
  await utimes(fileURLToPath(uri), 1000, 1000);
  expect(await listed(stage)).toEqual([{ uri, writtenAt: 1_000_000 }]);
  await stage.remove([uri]);
  await stage.remove([uri]);
  expect(await listed(stage)).toEqual([]);
});

test('a file that is gone holds up what needs it, and is to be restored', async () => {
  const { stage, file } = await opened();
  const staged = await stage.write('raw.node_blocks', 7, file, 3);
  await stage.remove([staged.uri]);
  await expect(stage.fetch(staged, file)).rejects.toMatchObject({
    code: 'unavailable',
    context: { reason: 'missing' },
    message: expect.stringMatching(/7\.parquet.*Restore the file/),
  });
});

test('a folder whose mount is gone takes no file, is waited for, and serves again when it is back', async () => {
  const { stage, file, folder } = await opened();
  await stage.claim('mark', 'id');
  const staged = await stage.write('raw.node_blocks', 7, file, 3);
  await rename(folder, `${folder} of before`);
  await mkdir(folder);
  const told = { code: 'unavailable', retryable: true, message: expect.stringMatching(/mount.*workers go on/) };
  await expect(stage.write('raw.node_blocks', 8, file, 3)).rejects.toMatchObject(told);
  const context = expect.not.objectContaining({ reason: 'missing' });
  await expect(stage.fetch(staged, file)).rejects.toMatchObject({ ...told, context });
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
  await writeFile(folder, 'no folder');
  await expect(stage.write('raw.node_blocks', 8, file, 3)).rejects.toMatchObject(told);
  await rm(folder);
  await rename(`${folder} of before`, folder);
  await stage.fetch(staged, file);
  expect((await stage.write('raw.node_blocks', 8, file, 3)).uri).toMatch(/8\.parquet$/);
});

test('what is written while the mount goes is not told as kept', async () => {
  const { file, folder } = await opened();
  replaceFileCalls(({ link }) => ({
    async link(staged: string, target: string) {
      await link(staged, target);
      if (target.endsWith('.parquet')) await rename(folder, `${folder} of before`);
    },
  }));
  const { openStage: openAnew } = await import('../../../src/cluster/stage/openStage.ts');
  const stage = await openAnew({ uri: folder });
  await stage.claim('mark', 'id');
  await expect(stage.write('raw.node_blocks', 7, file, 3)).rejects.toMatchObject({ code: 'unavailable' });
});

test('a folder that never served is told as what this machine lacks', async () => {
  const { folder } = await opened();
  await writeFile(folder, 'no folder');
  await expect((await openStage({ uri: folder })).claim('mark', 'id')).rejects.toMatchObject({ code: 'disk' });
});

test.each(['stage', 's3:/bucket', 'gs://bucket/x', 's3://'])('%s is no stage', async (uri) => {
  await expect(openStage({ uri })).rejects.toMatchObject({ code: 'config' });
});
