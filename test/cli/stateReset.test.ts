import { expect, test } from 'vitest';
import { project } from './cliHarness.ts';

test('a reset of nothing is an error, for people and for machines', async () => {
  const { firn } = await project({ sources: {} });
  const { code, out, err } = await firn('state', 'reset', 'node/containers');
  expect([code, out, err]).toEqual([1, '', expect.stringContaining('There is no checkpoint of node/containers.')]);
  expect((await firn('--json', 'state', 'reset', 'node/containers', 'x')).json).toMatchObject({
    error: { code: 'not_found', message: expect.stringContaining('(x)'), exitCode: 1 },
  });
});
