import { expect, test } from 'vitest';
import { project } from './cliHarness.ts';

test('before the first build says what to do', async () => {
  const { firn } = await project({ sources: {} });
  const { code, out } = await firn('reconcile');
  expect([code, out]).toEqual([1, expect.stringContaining('Nothing was built yet. Run `firn build` first.')]);
});

test('refuses an interval without a number to explain', async () => {
  const { firn } = await project({ sources: {} });
  expect(await firn('reconcile', '--interval', 'month')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--interval belongs to --explain'),
  });
});
