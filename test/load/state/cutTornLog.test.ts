import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openWarehouse } from '../../../src/load/state/warehouse.ts';
import { temporary } from '../../temporaryFolders.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';

/** A warehouse as a kill leaves it behind three commits, all of them in the log, with the place at which the third begins. */
async function killed() {
  const warehouse = await temporaryWarehouse([]);
  const log = join(warehouse.folder, '.state', 'firn.duckdb.wal');
  await warehouse.run('CREATE TABLE raw.numbers (n INTEGER, text VARCHAR, mostly INTEGER)');
  // Values write zeros, too: those of the last commit never so many as a disk leaves out.
  const insert = (n: number) =>
    warehouse.run(
      `INSERT INTO raw.numbers SELECT ${n}, md5(i::VARCHAR), CASE WHEN ${n} = 2 AND i % 100 = 0 THEN 1 ELSE 0 END FROM range(1000) AS t(i)`,
    );
  await insert(1);
  const third = (await readFile(log)).length;
  await insert(2);
  const copy = await temporary();
  // By another process: closing the file in this one would give up its lock.
  await promisify(execFile)('cp', ['-r', join(warehouse.folder, '.state'), copy]);
  return { folder: copy, log: join(copy, '.state', 'firn.duckdb.wal'), third };
}

type Harm = (log: Buffer, third: number) => void;

test.each<[string, Harm]>([
  ['its begin', (log, third) => log.fill(0, third, third + 4096)],
  ['all but its end', (log, third) => log.fill(0, third, log.length - 100)],
  ['the middle of an entry', (log, third) => log.fill(0, third + 8000, third + 8000 + 4096)],
])(
  'of a commit that was not synced %s is missing: what lies before it is there, and the log is kept',
  async (_, harm) => {
    const { folder, log, third } = await killed();
    const bytes = await readFile(log);
    harm(bytes, third);
    await writeFile(log, bytes);
    const said: string[] = [];
    const warehouse = await openWarehouse({ folder, tables: [], onCopy: (sentence) => said.push(sentence) });
    expect(await warehouse.query('SELECT n, count(*)::INTEGER AS "rows" FROM raw.numbers GROUP BY n')).toEqual([
      { n: 1, rows: 1000 },
    ]);
    await warehouse.run(`INSERT INTO raw.numbers VALUES (2, 'again', 0)`);
    warehouse.close();
    expect(said).toEqual([expect.stringMatching(/The power went .* kept: .*firn\.duckdb\.wal\.torn$/)]);
    expect(await readFile(`${log}.torn`)).toEqual(bytes);
    const again = await temporaryWarehouse([], folder);
    expect(await again.query('SELECT count(*)::INTEGER AS "rows" FROM raw.numbers')).toEqual([{ rows: 1001 }]);
  },
);

test.each<[string, Harm]>([
  ['of the last commit', (log, third) => log.writeUInt8((log[third + 5000] ?? 0) ^ 1, third + 5000)],
  ['of one before it', (log, third) => log.writeUInt8((log[third - 5000] ?? 0) ^ 1, third - 5000)],
])('a bit %s that is flipped is damage: it is said, and nothing is cut off', async (_, harm) => {
  const { folder, log, third } = await killed();
  const bytes = await readFile(log);
  harm(bytes, third);
  await writeFile(log, bytes);
  await expect(openWarehouse({ folder, tables: [] })).rejects.toThrow(
    /is damaged \(.*Corrupt WAL file.*\)\. Restore it from a backup/,
  );
  expect(await readFile(log)).toEqual(bytes);
});
