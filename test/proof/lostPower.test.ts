import { expect, test } from 'vitest';
import { type Kept, lostPower, type Names, type Node } from './lostPower.ts';
import type { Done } from './shim/readTrace.ts';

const done = (call: string, path: string, second = '', bytes = ''): Done => ({
  call,
  path,
  second,
  bytes: Buffer.from(bytes),
});

/** What is left, as text by path. */
function left(calls: readonly Done[], kept: Kept = 'nothing', names: Names = 'own', random = () => 0) {
  const before = new Map<string, Node>([
    ['/w', 'folder'],
    ['/w/old', { bytes: Buffer.from('old text'), pending: [] }],
  ]);
  return Object.fromEntries(
    [...lostPower(before, calls, { kept, names, random })].map(([path, node]) => [
      path,
      typeof node === 'object' && 'bytes' in node ? node.bytes.toString() : node,
    ]),
  );
}

const made = [done('open', '/w/new', 'made'), done('write', '/w/new', '0', 'abc')];

test.each<[string, readonly Done[], Record<string, unknown>]>([
  ['what was not synced is gone, name and all', made, { '/w/old': 'old text' }],
  ['a synced file has its bytes and its name', [...made, done('fsync', '/w/new')], { '/w/new': 'abc' }],
  [
    'a renamed one has its old name until its folder is synced',
    [...made, done('fsync', '/w/new'), done('rename', '/w/new', '/w/old')],
    { '/w/new': 'abc', '/w/old': 'old text' },
  ],
  [
    'and the new one then',
    [...made, done('fsync', '/w/new'), done('rename', '/w/new', '/w/old'), done('fsync', '/w')],
    { '/w/old': 'abc' },
  ],
  [
    'a folder that is synced does not save the bytes in it',
    [...made, done('rename', '/w/new', '/w/old'), done('fsync', '/w')],
    { '/w/old': '' },
  ],
  [
    'a write into the middle, and a cut',
    [done('pwrite', '/w/old', '4', 'TEXT'), done('fsync', '/w/old')],
    { '/w/old': 'old TEXT' },
  ],
  ['a cut that is not synced', [done('ftruncate', '/w/old', '3')], { '/w/old': 'old text' }],
])('%s', (_, calls, expected) => {
  expect(left(calls)).toEqual({ '/w': 'folder', '/w/old': 'old text', ...expected });
});

test('a file that is synced brings along what was named before, where the file system keeps a journal', () => {
  const calls = [done('rename', '/w/old', '/w/older'), ...made, done('fsync', '/w/new')];
  expect(left(calls, 'nothing', 'journal')).toEqual({ '/w': 'folder', '/w/older': 'old text', '/w/new': 'abc' });
  expect(left(calls, 'nothing', 'own')).toEqual({ '/w': 'folder', '/w/old': 'old text', '/w/new': 'abc' });
});

test('half: any part of the data, torn at a sector, and the names that came first', () => {
  const long = done('write', '/w/new', '0', 'x'.repeat(2000));
  const calls = [done('open', '/w/new', 'made'), long, done('unlink', '/w/old')];
  expect(left(calls, 'half', 'own', () => 0.4)).toEqual({
    '/w': 'folder',
    '/w/old': 'old text',
    '/w/new': 'x'.repeat(512),
  });
  expect(left(calls, 'half', 'own', () => 0.99)).toEqual({ '/w': 'folder', '/w/new': '' });
});
