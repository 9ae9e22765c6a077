import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporary } from '../temporaryFolders.ts';
import { runFirn } from './firnProcess.ts';

test("an install without DuckDB's library says what to do, in one sentence", async () => {
  const hook = join(await temporary(), 'without.cjs');
  await writeFile(
    hook,
    `const Module = require('node:module');
     const load = Module._load;
     Module._load = function (request, ...rest) {
       if (/node-bindings-/.test(request)) throw new Error("Cannot find module '" + request + "'\\nRequire stack:");
       return load.call(this, request, ...rest);
     };`,
  );
  const { code, stdout, stderr } = await runFirn(['doctor'], { env: { NODE_OPTIONS: `--require ${hook}` } });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^firn: DuckDB's library cannot be loaded: Cannot find module '@duckdb\/node-bindings-\S+'\. Install firn-etl again .*\n$/,
  );
});

test('an older Node is told so before anything is loaded that it cannot read', async () => {
  const hook = join(await temporary(), 'older.cjs');
  await writeFile(
    hook,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } });
     require('node:module')._load = () => { throw new Error('loaded'); };`,
  );
  const { code, stdout, stderr } = await runFirn(['status'], { env: { NODE_OPTIONS: `--require ${hook}` } });
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    'firn: This is Node 18.20.8, firn needs >=20.19. Install a newer one.\n',
  ]);
});
