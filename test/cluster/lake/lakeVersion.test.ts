import { expect, test } from 'vitest';
import { lakeVersion } from '../../../src/cluster/lake/lakeVersion.ts';
import { readMacros } from '../../../src/cluster/render/expandMacros.ts';

const versionWith = (macros: string) => lakeVersion([], readMacros(macros));

test('models have another version where a macro says something else, and the same where it is laid out otherwise', () => {
  const version = versionWith(`CREATE OR REPLACE MACRO twice(n) AS n * 2;`);
  expect(versionWith(`-- Two of them.\nCREATE OR REPLACE MACRO twice(n) AS n *\n  2;`)).toBe(version);
  expect(versionWith('CREATE OR REPLACE MACRO twice(n) AS n * 3;')).not.toBe(version);
  expect(versionWith(`CREATE OR REPLACE MACRO twice(n, m) AS n * 2;`)).not.toBe(version);
});
