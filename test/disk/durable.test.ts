import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { moveDurably, replaceFile, replaceShared, syncFile, writeNamed } from '../../src/disk/durable.ts';

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'firn-durable-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

test.each([true, false])(
  'a file is replaced as a whole, in a folder that is made for it (synced: %s)',
  async (synced) => {
    const inside = join(await folder(), 'a', 'b');
    const file = join(inside, 'state.json');
    await replaceFile(file, 'old', { synced });
    await replaceFile(file, 'new', { synced, mode: 0o600 });
    expect(await readFile(file, 'utf8')).toBe('new');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(inside)).toEqual(['state.json']);
  },
);

test('bytes are on the disk itself before a name leads to them, and the name is then, unless nobody needs them', async () => {
  const file = join(await folder(), 'file');
  const handle = await open(file, 'w');
  await handle.close();
  const synced = vi.spyOn(Object.getPrototypeOf(handle), 'sync');
  onTestFinished(() => synced.mockRestore());
  await syncFile(file);
  expect(synced).toHaveBeenCalledTimes(1);
  await replaceFile(file, 'needed');
  expect(synced).toHaveBeenCalledTimes(3);
  await replaceFile(file, 'not needed', { synced: false });
  expect(synced).toHaveBeenCalledTimes(3);
});

test('a link under the name that it has until it is whole is not written through', async () => {
  const inside = await folder();
  const [file, other] = [join(inside, 'state.json'), join(inside, 'other')];
  await writeFile(other, 'theirs');
  await symlink(other, `${file}.new`);
  await replaceFile(file, 'ours');
  expect([await readFile(file, 'utf8'), await readFile(other, 'utf8')]).toEqual(['ours', 'theirs']);
});

/** Of Linux: a disk in memory. */
const otherDisk = '/dev/shm';

test.runIf(existsSync(otherDisk))('a file takes its name from another disk, too, with its permissions', async () => {
  const inside = await folder();
  const elsewhere = await mkdtemp(join(otherDisk, 'firn-durable-'));
  onTestFinished(() => rm(elsewhere, { recursive: true, force: true }));
  const [staged, file] = [join(elsewhere, 'staged'), join(inside, 'file')];
  const other = join(await folder(), 'other');
  await writeFile(other, 'theirs');
  for (const text of ['old', 'new']) {
    // A link in the place of the copy is not written through.
    await symlink(other, `${file}.new`);
    await writeFile(staged, text);
    await chmod(staged, 0o444);
    await moveDurably(staged, file);
    expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual([text, 0o444]);
    expect([await readdir(inside), await readdir(elsewhere)]).toEqual([['file'], []]);
  }
  expect(await readFile(other, 'utf8')).toBe('theirs');
  await writeFile(staged, 'text');
  await expect(moveDurably(staged, join(inside, 'nowhere', 'file'))).rejects.toThrow(/ENOENT/);
  await mkdir(join(inside, 'folder'));
  await expect(moveDurably(staged, join(inside, 'folder'))).rejects.toThrow(/EISDIR/);
  expect([await readdir(inside), await readdir(elsewhere)]).toEqual([['file', 'folder'], ['staged']]);
});

test('what cannot take its name leaves nothing behind', async () => {
  const inside = await folder();
  const taken = join(inside, 'taken');
  await replaceFile(join(taken, 'file'), '');
  await expect(replaceShared(taken, 'text')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(await readdir(inside)).toEqual(['taken']);
});

test('writers of one file with names of their own leave one text, whole', async () => {
  const file = join(await folder(), 'shared');
  const texts = Array.from({ length: 8 }, (_, i) => String(i).repeat(1000));
  await Promise.all(texts.map((text) => replaceShared(file, text, 0o600)));
  expect(texts).toContain(await readFile(file, 'utf8'));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('a clock that is set while several write a file takes from none what it is writing', async () => {
  const file = join(await folder(), 'shared');
  vi.useFakeTimers({ now: Date.now() + 7_200_000, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const write = async (text: string) => {
    for (let round = 0; round < 20; round++) await replaceShared(file, text);
  };
  await Promise.all(['short', 'long'.repeat(250_000), 'other'].map(write));
  expect(await readdir(dirname(file))).toEqual(['shared']);
});

test('what killed writers of a file have left goes once it is old, and nothing else', async () => {
  const inside = await folder();
  const left = (name: string, digit: string) => `${name}.${digit.repeat(8)}-0000-4000-8000-000000000000.new`;
  const long = new Date(Date.now() - 7_200_000);
  for (const name of [left('a', '1'), left('other', '1'), left('a.b', '1'), 'a.mine.new', left('a', '2')]) {
    await writeFile(join(inside, name), '');
    if (name !== left('a', '2')) await utimes(join(inside, name), long, long);
  }
  await writeNamed(join(inside, 'a'), 'text');
  expect((await readdir(inside)).sort()).toEqual(
    ['a', 'a.mine.new', left('a', '2'), left('other', '1'), left('a.b', '1')].sort(),
  );
});

test.skipIf(process.platform === 'win32')('a pipe that somebody named is written into, and stays one', async () => {
  const inside = await folder();
  const pipe = join(inside, 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  await symlink(pipe, join(inside, 'link'));
  for (const name of ['pipe', 'link']) {
    const [read] = await Promise.all([readFile(pipe, 'utf8'), writeNamed(join(inside, name), name)]);
    expect(read).toBe(name);
  }
  expect((await lstat(pipe)).isFIFO()).toBe(true);
  expect((await readdir(inside)).toSorted()).toEqual(['link', 'pipe']);
});

test('a link that somebody named stays one, and what it leads to is replaced or made', async () => {
  const inside = await folder();
  const [file, link] = [join(inside, 'file'), join(inside, 'link')];
  await symlink(file, link);
  for (const text of ['made', 'replaced']) {
    await writeNamed(link, text);
    expect(await readFile(file, 'utf8')).toBe(text);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
  }
  expect((await readdir(inside)).toSorted()).toEqual(['file', 'link']);
});

test('a file that somebody named is replaced as a whole, and a folder is not', async () => {
  const inside = await folder();
  const file = join(inside, 'file');
  await writeNamed(file, 'old');
  const { ino } = await stat(file);
  await writeNamed(file, 'new');
  expect(await readFile(file, 'utf8')).toBe('new');
  expect((await stat(file)).ino).not.toBe(ino);
  await expect(writeNamed(inside, 'text')).rejects.toThrow(/EISDIR/);
  expect(await readdir(inside)).toEqual(['file']);
});
