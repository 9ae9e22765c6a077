import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/load/packageFiles.ts';

test('a program into which a bundler put this package is told so: its SQL is not there', () => {
  const root = resolve(import.meta.dirname, '../..');
  expect(packageRoot(import.meta.dirname)).toBe(root);
  expect(() => packageRoot(resolve(root, '..'))).toThrow(/at or above .*a bundler.*leave the package firn-etl out/);
});
