import { copyFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDuckDb } from '../../../src/load/database/openDuckDb.ts';
import { temporary } from '../../temporaryFolders.ts';

test('a file that took the place of another one of its size is read, and not what the one before held', async () => {
  const folder = await temporary();
  const { connection, close } = await openDuckDb({ folders: [folder] });
  onTestFinished(close);
  const path = (name: string) => join(folder, `${name}.parquet`);
  const numbers = Array.from({ length: 40 }, (_, n) => n);
  for (const n of numbers)
    await connection.run(`COPY (SELECT ${n}::BIGINT AS n FROM range(100)) TO '${path(`${n}`)}' (FORMAT parquet)`);
  const sizes = await Promise.all(numbers.map(async (n) => (await stat(path(`${n}`))).size));
  expect(new Set(sizes).size).toBeLessThan(numbers.length / 2);
  const read: unknown[] = [];
  for (const n of numbers) {
    await copyFile(path(`${n}`), path('same'));
    read.push(
      (await connection.runAndReadAll(`SELECT max(n) AS n FROM read_parquet('${path('same')}')`)).getRows()[0]?.[0],
    );
    await rm(path('same'));
  }
  expect(read).toEqual(numbers.map(BigInt));
});
