import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

// A file that the compiler first meets behind `node_modules/firn-devnet`, a link into this repository, it takes for another package's and leaves
// out: which one that is changes from build to build. What `tsconfig.build.json` includes by itself is always written.
test.each(['devnet/src', 'pipelines'])('all of %s is built', (folder) => {
  const sources = readdirSync(join(root, folder), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts'));
  const missing = sources.filter((name) => !existsSync(join(root, 'dist', folder, name.replace(/\.ts$/, '.js'))));
  expect(sources.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});
