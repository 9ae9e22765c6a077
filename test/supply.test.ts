import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const text = (path: string) => readFileSync(resolve(root, path), 'utf8');
const run = (script: string) =>
  promisify(execFile)(process.execPath, [script], { cwd: root, maxBuffer: 2 ** 26 }).then(({ stdout }) => stdout);

interface Entry {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}
const { '': project, ...packages } = JSON.parse(text('package-lock.json')).packages as Record<string, Entry>;
/** Without the embedded network, which is a folder of this project. */
const entries = Object.entries(packages)
  .filter(([path]) => !['devnet', 'node_modules/firn-devnet'].includes(path))
  .map(([path, entry]) => ({ path, name: path.slice(path.lastIndexOf('node_modules/') + 13), ...entry }));
const runtime = entries.filter(({ dev }) => !dev);
const named = ({ name, version }: { name: string; version: string }) => `${name}@${version}`;

/**
 * Binaries for other platforms that the registry which the lock file was written from does not hold. `npm run lock:fill` asks a registry
 * for them; a release is made only when nothing is left here.
 */
const withoutIntegrity: Record<string, readonly string[]> = {
  '@biomejs/cli-*@2.6.8':
    'android-arm64 android-x64 darwin-arm64 darwin-x64 linux-arm64-musl linux-x64-musl win32-arm64 win32-x64'.split(
      ' ',
    ),
  '@duckdb/node-bindings-*@1.5.6-r.1':
    'darwin-arm64 darwin-x64 linux-arm64 linux-arm64-musl win32-arm64 win32-x64'.split(' '),
  '@oxc-parser/binding-*@0.156.0': [
    ...'android-arm-eabi android-arm64 darwin-arm64 darwin-x64 freebsd-x64 linux-arm-gnueabihf'.split(' '),
    ...'linux-arm-musleabihf linux-ppc64-gnu linux-riscv64-gnu linux-riscv64-musl linux-s390x-gnu'.split(' '),
    ...'openharmony-arm64 win32-arm64-msvc win32-ia32-msvc win32-x64-msvc'.split(' '),
  ],
};

test('every package of the lock file is known by its content', () => {
  expect(project).toBeDefined();
  expect(entries.filter(({ link, resolved }) => link || resolved?.match(/^(?!https:)/))).toEqual([]);
  expect(new Set(entries.flatMap(({ resolved }) => resolved ?? []).map((url) => new URL(url).host)).size).toBeLessThan(
    2,
  );
  expect(entries.filter(({ integrity }) => integrity && !/^sha512-[\w+/]{86}==$/.test(integrity)).map(named)).toEqual(
    [],
  );
  const missing = entries.filter(({ integrity }) => !integrity);
  const known = Object.entries(withoutIntegrity).flatMap(([name, platforms]) =>
    platforms.map((platform) => name.replace('*', platform)),
  );
  expect(missing.map(named).sort()).toEqual(known.sort());
  expect(missing.filter(({ optional }) => !optional)).toEqual([]);
});

test('nothing that firn needs at runtime runs a script when it is installed, but for what need not run', () => {
  // secp256k1 works without: its script only builds a library where the package brings none (docs/security.md).
  expect(runtime.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name)).toEqual(['secp256k1']);
});

test('firn itself has no script that an installation runs, or asks to review', () => {
  const scripts = Object.keys(JSON.parse(text('package.json')).scripts);
  expect(scripts).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(pre|post)?install$|^prepare$/)]));
});

test('everything that firn needs at runtime may be passed on', () => {
  const allowed = ['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0'];
  expect(runtime.length).toBeGreaterThan(20);
  expect(runtime.filter(({ license = '' }) => !allowed.includes(license)).map(named)).toEqual([]);
});

test('the bill of materials names everything that firn needs at runtime, with its hash', { tags: 'long' }, async () => {
  const { components } = JSON.parse(await run('scripts/writeSbom.js')) as {
    components: { group?: string; name: string; version: string; hashes?: unknown[] }[];
  };
  expect(components.map(named).sort()).toEqual(runtime.map(named).sort());
  const hashed = components.filter(({ hashes }) => hashes?.length).map(named);
  expect(hashed.sort()).toEqual(
    runtime
      .filter(({ integrity }) => integrity)
      .map(named)
      .sort(),
  );
});

test('the licences of everything that firn needs at runtime come with the package', async () => {
  expect(JSON.parse(text('package.json')).scripts.prepack).toContain('node scripts/writeLicenses.js');
  await run('scripts/writeLicenses.js');
  const sections = text('dist/THIRD_PARTY_LICENSES.txt').split(`\n${'-'.repeat(80)}\n`);
  expect(sections.map((section) => section.trim().split(' (')[0])).toEqual(
    runtime.map(({ name, version }) => `${name} ${version}`),
  );
  const bare = sections.filter((section) => !/permi(?:t|ssion)|redistribut/i.test(section));
  const installed = runtime.filter(({ path }) => existsSync(resolve(root, path)));
  expect(bare.length).toBe(runtime.length - installed.length);
});
