/** @module-tag long */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { lstat, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { temporary } from './temporaryFolders.ts';

const root = resolve(import.meta.dirname, '..');

/** Packs what `npm run build` made, and installs it in an empty folder as a newcomer does. */
async function install() {
  const folder = await temporary();
  const run = async (file: string, args: readonly string[], cwd = folder) =>
    (await promisify(execFile)(file, args, { cwd, env: { ...process.env, NODE_OPTIONS: '' } })).stdout;
  const packed = await temporary();
  await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', packed], root);
  const [name = ''] = await readdir(packed);
  await writeFile(join(folder, 'package.json'), '{ "name": "newcomer", "version": "1.0.0" }\n');
  const quiet = ['--silent', '--no-fund', '--no-audit', '--ignore-scripts', '--prefer-offline'];
  await run('npm', ['install', ...quiet, join(packed, name)]);
  return { folder, run, tarball: join(packed, name) };
}

/** Bytes of all files below a folder. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries.map(async (entry) =>
    entry.isFile() ? (await lstat(join(entry.parentPath, entry.name))).size : 0,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test('the packed package installs in an empty folder, runs own streams there, and is used from a program', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const net = await startDevnet({ head: '3%' });
  onTestFinished(() => net.close());
  const { folder, run, tarball } = await install();
  const firn = (...args: string[]) => run(join(folder, 'node_modules', '.bin', 'firn'), args);
  expect(await firn('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);

  await writeFile(
    join(folder, 'firn.yaml'),
    `sources: { node: { url: "${net.url}" } }\npipelines: { main: { streams: {} } }\n`,
  );
  await firn('init', '--extend');
  const typed = process.features as { typescript?: unknown };
  if (typed.typescript) {
    const stream = await readFile(join(folder, 'my', 'streams', 'nodeVersions.js'), 'utf8');
    await writeFile(
      join(folder, 'my', 'streams', 'typed.ts'),
      `export type Nothing = never;\n${stream.replaceAll("'info'", "'typed'")}`,
    );
    expect(await firn('streams')).toContain('typed/node_versions');
  }

  const [, program = ''] =
    /```js\n(import \{ openWarehouse[\s\S]*?)```/.exec(await readFile(join(root, 'docs', 'extend.md'), 'utf8')) ?? [];
  await writeFile(join(folder, 'program.mjs'), program);
  const said = await run(process.execPath, ['program.mjs']);
  expect(said).toMatch(
    /^info\/node_versions: 1 rows, done\nversion 1: \[\n? *\{ version: 'avalanchego\/1\.14\.2', since: '\d{4}-/,
  );

  // Types come along: for the program, and for a stream of one's own.
  await writeFile(join(folder, 'program.mts'), program);
  await writeFile(join(folder, 'wrong.mts'), program.replace("'firn.yaml'", '1'));
  const [, stream = ''] = /```ts\n(\/\/ my\/streams[\s\S]*?)```/.exec(readme) ?? [];
  await writeFile(join(folder, 'stream.mts'), stream);
  await writeFile(join(folder, 'misspelt.mts'), stream.replace('  key:', '  keys:'));
  const check = [
    '--noEmit',
    '--singleThreaded',
    '--strict',
    '--pretty',
    'false',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    'node',
  ];
  const files = ['program.mts', 'stream.mts', 'misspelt.mts', 'wrong.mts'];
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const found = await run(process.execPath, [tsc, ...check, ...files]).catch(({ stdout }) => String(stdout));
  expect(found).toMatch(/'keys' does not exist .*Did you mean to write 'key'/);
  expect(found.split('\n').filter((line) => /^(?!misspelt)\S/.test(line))).toEqual([
    expect.stringMatching(/^wrong\.mts\(3,\d+\): .*Type 'number' is not assignable to type 'string'/),
  ]);

  // What the README says of sizes, for Linux on x64.
  const [, packedMb, installedMb] = /The tarball has about (\d+) MB[\s\S]*?it takes about (\d+) MB/.exec(readme) ?? [];
  expect(Math.abs((await stat(tarball)).size / 1e6 / Number(packedMb) - 1)).toBeLessThan(0.1);
  if (existsSync(join(folder, 'node_modules', '@duckdb', 'node-bindings-linux-x64'))) {
    const installed = (await sizeOf(join(folder, 'node_modules'))) / 1e6;
    expect(Math.abs(installed / Number(installedMb) - 1)).toBeLessThan(0.1);
  }
  expect(basename(tarball)).toMatch(/^firn-etl-/);
});
