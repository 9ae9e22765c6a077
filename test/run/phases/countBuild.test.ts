import { expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { countBuild } from '../../../src/run/phases/steps.ts';

const error = new FirnError('contract', 'It does not fit.');
const passed = { problem: null, failedRows: 0 };

test.each([
  ['in which all is well', [], [passed], []],
  ['with a model that broke', [{ error }], [passed], ['contract: It does not fit.']],
  ['with an audit that could not look', [], [{ problem: 'No such table.', failedRows: 0 }], ['failed: No such table.']],
  ['with an audit that found rows', [], [passed, { problem: null, failedRows: 2 }], [3]],
  ['with audits that found rows', [], Array(2).fill({ problem: null, failedRows: 2 }), [3]],
])('a build %s', (_, broken, audits, wanted) => {
  const told: unknown[] = [];
  const fail = (failure: unknown) => told.push(`${(failure as FirnError).code}: ${(failure as FirnError).message}`);
  countBuild({ fail, count: (code) => told.push(code) }, broken as never, audits as never);
  expect(told).toEqual(wanted);
});
