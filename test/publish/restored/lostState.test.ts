import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mayBeCopy } from '../../../src/publish/restored/lostState.ts';
import { temporary } from '../../temporaryFolders.ts';

test.each([
  [[], true],
  [['reader-0.duckdb'], true],
  [['reader-0.duckdb', 'runs'], false],
])('where .state holds %j nothing tells that a state was here: %s', async (names, expected) => {
  const folder = await temporary();
  expect(await mayBeCopy(folder)).toBe(true);
  await mkdir(join(folder, '.state'));
  for (const name of names) await writeFile(join(folder, '.state', name), '');
  expect(await mayBeCopy(folder)).toBe(expected);
});
