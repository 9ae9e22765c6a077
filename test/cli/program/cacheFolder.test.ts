import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { cacheFolder } from '../../../src/cli/program/cacheFolder.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const ofHome = join(homedir(), '.cache', 'firn', 'compiled');

test.each([
  ['/var/cache', '/var/cache/firn/compiled'],
  // What a run in another folder would look for elsewhere is passed over, as the standard says.
  ['cache', ofHome],
  ['', ofHome],
])('of XDG_CACHE_HOME=%j', (named, folder) => {
  vi.stubEnv('XDG_CACHE_HOME', named);
  expect(cacheFolder()).toBe(folder);
});

test('is none where a user has no home', () => {
  vi.stubEnv('XDG_CACHE_HOME', '');
  vi.stubEnv('HOME', 'nowhere');
  expect(cacheFolder()).toBeNull();
});
