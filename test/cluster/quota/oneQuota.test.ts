/** @module-tag long */
import { expect, test } from 'vitest';
import { quotaRound } from '../proof/quota.ts';

test.each([1, 2, 4])('%i workers use what one server offers, and are refused next to nothing', async (workers) => {
  const { used, refused } = await quotaRound(workers, 3);
  expect(used).toBeGreaterThanOrEqual(0.95);
  expect(refused).toBeLessThanOrEqual(0.01);
});
