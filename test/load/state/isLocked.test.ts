import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isLocked } from '../../../src/load/state/isLocked.ts';
import { temporary } from '../../temporaryFolders.ts';

test('a database that is not there is not locked; of one that cannot be read the lock tells nothing', async () => {
  const file = join(await temporary(), 'firn.duckdb');
  expect(await isLocked(file)).toBe(false);
  writeFileSync(file, 'no database');
  expect(await isLocked(file)).toBeUndefined();
});
