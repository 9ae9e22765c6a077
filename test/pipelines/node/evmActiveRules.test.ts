import { expect, test } from 'vitest';
import { ruleState } from '../../../pipelines/node/evmActiveRules.ts';

test.each([
  ['true', true],
  ['false', false],
  ['constructor', null],
])('a rule of the value %s is in force: %s', (value, is_active) => {
  expect(ruleState({ value: () => value, children: {} })).toEqual({ columns: { is_active } });
});
