import { mkdir, readdir, writeFile } from 'node:fs/promises';
import module from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporary } from '../temporaryFolders.ts';
import { runFirn } from './firnProcess.ts';

test('a sync that recovers no senders loads neither the library for it nor what undici could do besides', {
  tags: 'long',
}, async () => {
  const folder = await temporary();
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

test.runIf('enableCompileCache' in module).each([
  ['of the home', (folder: string) => ({ HOME: folder, XDG_CACHE_HOME: '' }), '.cache/firn/compiled'],
  ['that is named', (folder: string) => ({ HOME: '/', XDG_CACHE_HOME: folder }), 'firn/compiled'],
  ['that Node is told', (folder: string) => ({ NODE_COMPILE_CACHE: join(folder, 'a') }), 'a'],
])('what Node compiled is kept in the folder %s, and not in the one that all users share', async (_, named, kept) => {
  const [folder, shared] = [await temporary(), await temporary()];
  const env = { NODE_COMPILE_CACHE: '', TMPDIR: shared, ...named(folder) };
  expect(await runFirn(['--version'], { env })).toMatchObject({ code: 0, stderr: '' });
  expect(await readdir(join(folder, kept))).toEqual([expect.stringContaining(process.version)]);
  expect(await readdir(shared)).toEqual([]);
});

test('a start needs neither a home nor a folder that it may write into', async () => {
  for (const env of [{ HOME: '', XDG_CACHE_HOME: '' }, { XDG_CACHE_HOME: '/dev/null' }])
    expect(await runFirn(['--version'], { env })).toMatchObject({ code: 0, stderr: '' });
});

test('a command that waits for what never comes says so', { tags: 'long' }, async () => {
  const folder = await temporary();
  const hook = join(folder, 'stuck.cjs');
  await writeFile(
    hook,
    `require('node:fs/promises').mkdir = () => new Promise(() => {});
     require('node:module').syncBuiltinESMExports();`,
  );
  await writeFile(join(folder, 'firn.yaml'), 'warehouse: .\nsources: {}\npipelines: {}\n');
  await mkdir(join(folder, 'refs'));
  await writeFile(join(folder, 'refs', 'prices.csv'), 'day,usd\n');
  const env = { NODE_OPTIONS: `--require ${hook}` };
  const { code, stderr } = await runFirn(['--config', join(folder, 'firn.yaml'), 'build'], { env });
  expect(stderr).toMatch(/^firn: The command came to no end/m);
  expect(code).toBe(1);
});

test.each([
  ['SIGINT', 130, 'Ctrl-C'],
  ['SIGTERM', 143, 'SIGTERM'],
])('a %s while a command loads leaves a line', async (signal, exit, name) => {
  const hook = join(await temporary(), 'signal.cjs');
  // As soon as anything listens, which is before the command is read from the disk.
  await writeFile(
    hook,
    `process.on('newListener', function sent(name) {
       if (name !== '${signal}') return;
       process.off('newListener', sent);
       process.nextTick(() => process.kill(process.pid, name));
     });`,
  );
  const { code, stderr } = await runFirn(['--quiet', 'run'], { env: { NODE_OPTIONS: `--require ${hook}` } });
  expect([code, stderr]).toEqual([exit, `firn: Stopped by ${name}.\n`]);
});

test('the S3 client has nothing to say of Nodes to come', async () => {
  const hook = join(await temporary(), 'env.cjs');
  const name = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';
  await writeFile(hook, `process.on('exit', () => process.stdout.write(String(process.env.${name})));`);
  const { stdout } = await runFirn(['--version'], { env: { NODE_OPTIONS: `--require ${hook}` } });
  expect(stdout).toMatch(/\ntrue$/);
});

test("under Yarn's Plug'n'Play, which cannot write durably, no command begins", async () => {
  const hook = join(await temporary(), 'pnp.cjs');
  await writeFile(hook, "process.versions.pnp = '3';");
  const { code, stderr } = await runFirn(['streams'], { env: { NODE_OPTIONS: `--require ${hook}` } });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^firn: .*nodeLinker: node-modules/)]);
});
