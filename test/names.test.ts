import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

const files = ['src', 'pipelines', 'devnet/src'].flatMap((folder) =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return { path: relative(root, path), text: readFileSync(path, 'utf8') };
    }),
);

const exported = (text: string, kinds: string): string[] => [
  ...new Set(
    [...text.matchAll(new RegExp(`^export (?:async )?(?:${kinds}) (\\w+)`, 'gm'))].map(([, name = '']) => name),
  ),
];
const values = 'const|function\\*?|class';
const types = 'interface|type';

/** Files of a role: what they export is named by the folder that they describe. */
const roles = ['index.ts', 'source.ts'];

test('a file that exports one thing is named after it, or after its type', () => {
  const single = files.filter(
    ({ path, text }) => exported(text, values).length === 1 && !roles.includes(basename(path)),
  );
  expect(single.length).toBeGreaterThan(300);
  const wrong = single.filter(({ path, text }) => {
    const stem = basename(path, '.ts').toLowerCase();
    return !exported(text, `${values}|${types}`).some((name) => name.toLowerCase().includes(stem));
  });
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test('a type has one meaning: no two files of the pipeline export one name', () => {
  const found = new Map<string, string[]>();
  for (const { path, text } of files.filter((file) => !file.path.startsWith('devnet/')))
    for (const name of exported(text, types)) found.set(name, [...(found.get(name) ?? []), path]);
  expect(found.size).toBeGreaterThan(300);
  expect([...found].filter(([, paths]) => paths.length > 1)).toEqual([]);
});

test('constants are written as every other name', () => {
  const shouted = files.flatMap(({ path, text }) =>
    [...text.matchAll(/^(?:export )?const ([A-Z][A-Z0-9_]+)\b/gm)].map(([, name]) => `${path}: ${name}`),
  );
  expect(shouted).toEqual([]);
});
