import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../../src');

/** What a file exports from others, and where each is declared. */
function exportsOf(file: string): { readonly name: string; readonly from: string }[] {
  const text = readFileSync(file, 'utf8');
  const named = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm)].flatMap(
    ([, names = '', from = '']) =>
      names.split(',').flatMap((one) => {
        const name = one.trim().replace(/^type /, '');
        return name === '' ? [] : [{ name, from: join(file, '..', from) }];
      }),
  );
  const all = [...text.matchAll(/^export \* from '([^']+)'/gm)];
  return [...named, ...all.flatMap(([, from = '']) => exportsOf(join(file, '..', from)))];
}

test('every name that the package exports says what it is', () => {
  const names = exportsOf(join(root, 'library/index.ts'));
  expect(names.length).toBeGreaterThan(100);
  const silent = names.filter(({ name, from }) => {
    const declaration = `^export (?:async )?(?:const|function\\*?|class|interface|type) ${name}\\b`;
    const [before] = readFileSync(from, 'utf8').split(new RegExp(declaration, 'm'));
    return !before?.trimEnd().endsWith('*/');
  });
  // It is exported on from where it is declared, with its text.
  expect(silent.map(({ name }) => name)).toEqual(['RunReport']);
});
