import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../load/temporaryWarehouse.ts';
import { runFirn } from './firnProcess.ts';

test('a sync that recovers no senders loads neither the library for it nor what undici could do besides', async () => {
  const folder = await temporaryFolder();
  const hook = join(folder, 'loaded.cjs');
  await writeFile(
    hook,
    `const loaded = [];
     const Module = require('node:module');
     const load = Module._load;
     Module._load = function (request, ...rest) { loaded.push(request); return load.call(this, request, ...rest); };
     process.on('exit', () => process.stdout.write(JSON.stringify([...loaded, ...process.moduleLoadList])));`,
  );
  await writeFile(
    join(folder, 'firn.yaml'),
    `warehouse: .
sources: { data: { url: 'http://127.0.0.1:1', network: fuji } }
pipelines: { p: { streams: { data/chains: {} } } }`,
  );
  const env = { NODE_OPTIONS: `--require ${hook}` };
  const { code, stdout } = await runFirn(['--config', join(folder, 'firn.yaml'), '--quiet', 'sync'], { env });
  expect(code).toBe(75);
  const loaded = JSON.parse(stdout.slice(stdout.lastIndexOf('["'))) as string[];
  expect(loaded).toContainEqual(expect.stringContaining('duckdb.node'));
  expect(loaded.filter((name) => /undici|http2|secp256k1/.test(name))).toEqual([]);
});
