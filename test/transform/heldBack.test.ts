import { expect, test } from 'vitest';
import { FirnError } from '../../src/core/firnError.ts';
import type { Audit } from '../../src/transform/audits/parseAudit.ts';
import type { AuditResult } from '../../src/transform/audits/runAudits.ts';
import type { BrokenModel } from '../../src/transform/builds/buildModels.ts';
import { holdBack, unknownProtected } from '../../src/transform/heldBack.ts';
import { parseModel } from '../../src/transform/models/parseModel.ts';
import { temporaryWarehouse } from '../load/temporaryWarehouse.ts';

test('what an audit objects to is held back until it runs and finds nothing, or is no audit any more', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run('CREATE TABLE mart.a AS SELECT 1 AS n; CREATE TABLE mart.b AS SELECT 1 AS n');
  const audits = ['assert_a', 'assert_b'].map((name) => ({ name }) as Audit);
  const result = (name: string, failedRows: number): AuditResult => ({
    name,
    file: `${name}.sql`,
    description: 'n is 2.',
    severity: 'blocks',
    protects: [`mart.${name.at(-1)}`],
    failedRows,
    example: null,
    problem: null,
    seconds: 0,
  });
  const heldAfter = async (results: readonly AuditResult[], known = audits) =>
    (await holdBack(warehouse, [], results, { models: [], audits: known })).map(({ relation }) => relation);
  expect(await heldAfter([result('assert_a', 1), result('assert_b', 1)])).toEqual(['mart.a', 'mart.b']);
  // The first one could not be run: nobody knows whether what it objected to is mended.
  expect(await heldAfter([result('assert_b', 0)])).toEqual(['mart.a']);
  expect(await heldAfter([result('assert_a', 0)])).toEqual([]);
  expect(await heldAfter([result('assert_a', 1)])).toEqual(['mart.a']);
  expect(await heldAfter([], audits.slice(1))).toEqual([]);
});

test('what a model that fails would make is held back until the model is built', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run('CREATE TABLE mart."A" AS SELECT 1 AS n; CREATE TABLE mart.b AS SELECT 1 AS n');
  const broken = { name: 'mart.A', error: new FirnError('failed', 'wrong'), leftOut: new Set(['mart.a']) };
  const heldAfter = (some: readonly BrokenModel[]) => holdBack(warehouse, some, [], { models: [], audits: [] });
  expect(await heldAfter([broken])).toMatchObject([{ relation: 'mart.A', audit: 'mart.A', reason: 'wrong' }]);
  expect(await heldAfter([])).toEqual([]);
});

test('a name that an audit protects and nothing has is told, and holds nothing back', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run('CREATE TABLE mart.a AS SELECT 1 AS n; CREATE VIEW staging.b AS SELECT 1 AS n');
  const models = [parseModel('mart.new', 'new.sql', '/*\ndescription: Not built yet.\n*/\nSELECT 1 AS n')];
  const known = ['mart.a', 'staging.*', 'mart.new', 'mart.reconciliation', 'firn.load'];
  const audit = { file: 'x.sql', protects: ['mart.jam', ...known, 'raw.jam_*'] };
  const told = (pattern: string) => `x.sql: it protects ${pattern}, which is not a relation. Correct the name.`;
  const unknown = await unknownProtected(warehouse, [audit, audit, { file: 'y.sql', protects: known }], models);
  expect(unknown.map(({ message }) => message)).toEqual([told('mart.jam'), told('raw.jam_*')]);
  const found = { name: 'assert_x', description: 'n is 2.', severity: 'blocks', failedRows: 1, example: null } as const;
  const result: AuditResult = { ...found, file: 'x.sql', problem: null, seconds: 0, protects: ['mart.jam', 'mart.a'] };
  const held = await holdBack(warehouse, [], [result], { models, audits: [] });
  expect(held.map(({ relation }) => relation)).toEqual(['mart.a']);
});
