import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { holdWarehouse, silentMs } from '../../../src/load/state/holdWarehouse.ts';
import { openError } from '../../../src/load/state/openError.ts';
import { bootId } from '../../../src/load/state/processFacts.ts';
import { temporary } from '../../temporaryFolders.ts';

const holder = (folder: string) => join(folder, '.state', 'holder.json');

async function folderOf(facts?: object, { copied = false, age = 0 } = {}): Promise<string> {
  const folder = await temporary();
  await mkdir(join(folder, '.state'));
  if (!facts) return folder;
  await writeFile(holder(folder), '');
  const place = copied ? '1' : String((await stat(holder(folder), { bigint: true })).ino);
  await writeFile(holder(folder), JSON.stringify({ ...facts, place }));
  const then = new Date(Date.now() - age);
  await utimes(holder(folder), then, then);
  return folder;
}

/** A process that is there, and is not this one. */
async function another(): Promise<{ pid: number; host: string; birth?: string }> {
  const child = spawn('sleep', ['60']);
  onTestFinished(() => void child.kill());
  const pid = child.pid ?? 0;
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const birth = text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  return { pid, host: hostname(), ...(birth !== undefined && { birth }) };
}

const own = async (folder: string) => JSON.parse(await readFile(holder(folder), 'utf8')).pid;

test('a process that is there holds it, and is named', async () => {
  const there = await another();
  await expect(holdWarehouse(await folderOf(there))).rejects.toMatchObject({
    code: 'locked',
    message: expect.stringMatching(new RegExp(`in use by process ${there.pid} \\(sleep 60\\)\\. Wait for it`)),
  });
});

test.each<[string, object, object?]>([
  ['a process that is gone', { pid: 2 ** 22 + 1, host: hostname() }],
  ['another machine that was silent for a minute', { pid: 7, host: 'elsewhere' }, { age: silentMs + 1000 }],
  ['the original of a copied folder', { pid: 7, host: 'elsewhere' }, { copied: true }],
  ['half a file', { pid: 'x' }],
])('%s does not hold it', async (_, facts, how) => {
  const folder = await folderOf(facts, how);
  const release = await holdWarehouse(folder);
  expect(await own(folder)).toBe(process.pid);
  release();
  await expect(stat(holder(folder))).rejects.toThrow('ENOENT');
});

test('who lets go of it takes away nothing that another process has put in its place', async () => {
  const folder = await folderOf();
  const release = await holdWarehouse(folder);
  // Beside it, so that it is another file for sure.
  await writeFile(`${holder(folder)}.other`, '{}');
  await rename(`${holder(folder)}.other`, holder(folder));
  release();
  expect(await readFile(holder(folder), 'utf8')).toBe('{}');
});

test('who holds it says every ten seconds that it is there, until it lets go', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const folder = await folderOf();
  const release = await holdWarehouse(folder);
  const then = new Date(Date.now() - silentMs);
  await utimes(holder(folder), then, then);
  vi.advanceTimersByTime(10_000);
  const spokeAt = async () => (await stat(holder(folder))).mtimeMs;
  await vi.waitFor(async () => expect(await spokeAt()).toBeGreaterThan(then.getTime() + silentMs / 2));
  release();
  expect(vi.getTimerCount()).toBe(0);
});

test('another machine that spoke a moment ago holds it, and both are told apart by their names', async () => {
  await expect(holdWarehouse(await folderOf({ pid: 7, host: 'elsewhere' }, { age: 5000 }))).rejects.toMatchObject({
    code: 'locked',
    message: expect.stringMatching(
      /in use by process 7 on elsewhere\. .* For a machine that is gone, firn waits a minute\./,
    ),
  });
});

test.each([
  ['that is no process here', 2 ** 22 + 1],
  ['that is this process here', process.pid],
])('a container of this host name that spoke a moment ago holds it, by a number %s', async (_, pid) => {
  const facts = { pid, host: hostname(), space: 'pid:[1]' };
  await expect(holdWarehouse(await folderOf(facts, { age: 5000 }))).rejects.toMatchObject({
    code: 'locked',
    message: expect.stringContaining(`in use by process ${pid} on ${hostname()}. Wait for it to end`),
  });
});

describe.skipIf(process.platform !== 'linux')(
  'another container of this machine, of which no process can be seen',
  () => {
    const elsewhere = async (boot?: string, pid = 7) => ({ pid, host: 'elsewhere', boot: boot ?? (await bootId()) });

    /** A process that has the state open as a holder has. */
    async function opener(folder: string) {
      const child = spawn(process.execPath, [
        '--input-type=module',
        '-e',
        `import { DuckDBInstance } from '@duckdb/node-api';
         await DuckDBInstance.create(${JSON.stringify(join(folder, '.state', 'firn.duckdb'))});
         console.log();
         setInterval(() => {}, 1000);`,
      ]);
      onTestFinished(() => void child.kill('SIGKILL'));
      await once(child.stdout, 'data');
      return async () => {
        child.kill('SIGKILL');
        await once(child, 'exit');
      };
    }

    test.each([
      ['of another number', 7],
      ['of the same number as this one', process.pid],
    ])(
      '%s holds it while it has the lock, however long it is silent, and no longer',
      { tags: 'long' },
      async (_, pid) => {
        const folder = await folderOf(await elsewhere(undefined, pid), { age: silentMs + 1000 });
        const kill = await opener(folder);
        await expect(holdWarehouse(folder)).rejects.toMatchObject({ code: 'locked' });
        await kill();
        const release = await holdWarehouse(folder);
        expect(await own(folder)).toBe(process.pid);
        release();
      },
    );

    test.each([
      ['it spoke a moment ago: it may be about to open it', undefined, 5000],
      ['it began before the machine was started again, or is of another one', 'another', 30_000],
    ])('is waited for without a lock where %s', async (_, boot, age) => {
      const folder = await folderOf(await elsewhere(boot), { age });
      await expect(holdWarehouse(folder)).rejects.toMatchObject({ code: 'locked' });
    });

    test.each([
      ['there was a database', 30_000],
      ['the clock was set back', -3_600_000],
    ])('is gone where it was killed before %s', async (_, age) => {
      const release = await holdWarehouse(await folderOf(await elsewhere(), { age }));
      release();
    });
  },
);

test('while another takes away what a process left, nobody else does, and who comes second is refused', async () => {
  const folder = await folderOf({ pid: 2 ** 22 + 1, host: hostname() });
  const turn = `${holder(folder)}.turn`;
  await writeFile(turn, '');
  // It may be refused before this test goes on.
  const refused = expect(holdWarehouse(folder)).rejects.toMatchObject({ code: 'locked' });
  const there = await another();
  // Put there in one step: between two, the second one may come first.
  const signed = `${holder(folder)}.signed`;
  await writeFile(signed, '');
  const { ino } = await stat(signed, { bigint: true });
  await writeFile(signed, JSON.stringify({ ...there, place: String(ino) }));
  await rename(signed, holder(folder));
  await rm(turn);
  await refused;
  expect(await own(folder)).toBe(there.pid);
});

test.each([
  ['long ago', 3_600_000],
  ['before the clock was set back', -3_600_000],
])('a turn that began %s and was never given back is taken', async (_, age) => {
  const folder = await folderOf({ pid: 2 ** 22 + 1, host: hostname() });
  await writeFile(`${holder(folder)}.turn`, '');
  const then = new Date(Date.now() - age);
  await utimes(`${holder(folder)}.turn`, then, then);
  const release = await holdWarehouse(folder);
  expect(await own(folder)).toBe(process.pid);
  release();
});

test('of many that come at once one holds it', async () => {
  const folder = await folderOf();
  const there = await another();
  const release = await holdWarehouse(folder);
  // As another process left it: this one would be let in again.
  const text = JSON.parse(await readFile(holder(folder), 'utf8'));
  await writeFile(holder(folder), JSON.stringify({ ...text, ...there }));
  const others = await Promise.allSettled(Array.from({ length: 5 }, () => holdWarehouse(folder)));
  expect(others.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  release();
});

test('a folder that was moved meanwhile keeps what its new place says', async () => {
  const folder = await folderOf();
  const release = await holdWarehouse(folder);
  await rename(folder, `${folder}-moved`);
  onTestFinished(() => rename(`${folder}-moved`, folder));
  release();
  expect(await own(`${folder}-moved`)).toBe(process.pid);
});

test.each([
  'File locks are not supported for this file system, cannot open the file in read-write mode.',
  'Conflicting lock is held in PID 0.',
])('a file system that refuses locks is told as what it is: %s', async (said) => {
  const message = `IO Error: Could not set lock on file "/w/.state/firn.duckdb": ${said}`;
  expect(await openError(new Error(message), '/w/.state/firn.duckdb')).toMatchObject({
    code: 'disk',
    message: expect.stringContaining('its file system has no locks'),
  });
});

test('a disk that refuses a folder whose name sounds like damage is told as what it is', async () => {
  const file = '/w-corrupt/.state/firn.duckdb';
  const told = await openError(new Error(`IO Error: Cannot open file "${file}": Permission denied`), file);
  expect(told).toMatchObject({ code: 'disk' });
});

test('who is about to say who it is, is waited for and named', async () => {
  const folder = await folderOf();
  const there = await another();
  await writeFile(holder(folder), '');
  const refused = expect(holdWarehouse(folder)).rejects.toThrow(`in use by process ${there.pid}`);
  await delay(60);
  const { ino } = await stat(holder(folder), { bigint: true });
  await writeFile(holder(folder), JSON.stringify({ ...there, place: String(ino) }));
  await refused;
});

test.each([
  ['a while ago', 60_000],
  ['before the clock was set back', -3_600_000],
])('a file that was made %s and never written is taken', async (_, age) => {
  const folder = await folderOf();
  await writeFile(holder(folder), '');
  const then = new Date(Date.now() - age);
  await utimes(holder(folder), then, then);
  const release = await holdWarehouse(folder);
  expect(await own(folder)).toBe(process.pid);
  release();
});
