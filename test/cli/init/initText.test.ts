import { expect, test } from 'vitest';
import { nextText } from '../../../src/cli/init/initText.ts';
import type { Finding } from '../../../src/run/probe/finding.ts';

test('an index that begins late was checked, another refusal was not', () => {
  const nextAfter = (more: object) => {
    const finding: Finding = { source: 'node', about: 'node/containers', state: 'refused', sentence: '', ...more };
    return nextText({ variables: [], assumed: null, refused: [] }, [finding], 'firn');
  };
  expect(nextAfter({ beginsLate: true })).toBe('Next: "firn plan" says what a sync will read, and "firn run" does it.');
  expect(nextAfter({})).toMatch(/^What could not be checked is written all the same/);
});
