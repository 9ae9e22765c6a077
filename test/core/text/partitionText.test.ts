import { expect, test } from 'vitest';
import { partitionText } from '../../../src/core/text/partitionText.ts';

test.each([
  ['it ends at 4', 'node/x (all): it ends at 4'],
  ['node/x (all): it ends at 4', 'node/x (all): it ends at 4'],
  ['node/x: it ends at 4', 'node/x (all): it ends at 4'],
  ['It waits for node/x: it ends at 4', 'node/x (all): It waits for node/x: it ends at 4'],
  [undefined, 'node/x (all): '],
])('of a partition is said %j', (message, text) => {
  expect(partitionText({ stream: 'node/x', partition: 'all', ...(message !== undefined && { message }) })).toBe(text);
});
