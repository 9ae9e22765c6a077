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

test('a reset of what is read key by key forgets which keys were looked up', async () => {
  const { firn, open, query } = await project({ sources: {} });
  const state = await open();
  await state.run(`INSERT INTO firn.lookup VALUES ('data/transaction_details', 'a', '1', 'found', 1), ('data/transaction_details', 'a', '2', 'found', 1),
    ('data/transaction_details', 'b', '1', 'found', 1), ('node/evm_traces', 'a', '1', 'found', 1)`);
  state.close();
  const reset = ['--json', 'state', 'reset', 'data/transaction_details'];
  expect((await firn(...reset, 'a')).json).toEqual({
    stream: 'data/transaction_details',
    partitions: ['a'],
    backfills: [],
  });
  expect(await query('SELECT stream, "partition" FROM firn.lookup ORDER BY ALL')).toEqual([
    { stream: 'data/transaction_details', partition: 'b' },
    { stream: 'node/evm_traces', partition: 'a' },
  ]);
});

test('a reset says which backfill stays, and doctor that it is not over', async () => {
  const { firn, open, query } = await project({
    sources: { node: { url: 'http://127.0.0.1:1' } },
    pipelines: { main: { streams: { 'node/containers': {} } } },
  });
  const state = await open();
  await state.run(
    ['P', 'X']
      .flatMap((chain) => [`${chain}/block`, `${chain}/block|backfill`])
      .map(
        (key) =>
          `INSERT INTO firn.checkpoint VALUES ('node/containers', 'index_name=${key}', '{"asked":"7"}', 1, now()::TIMESTAMP)`,
      )
      .join(';'),
  );
  state.close();
  const goesOn = '"firn backfill node/containers --from 7" goes on.';
  const { code, out } = await firn('state', 'reset', 'node/containers');
  expect([code, out.trim().split('\n')]).toEqual([
    0,
    ['Forgot 2 checkpoints of node/containers.', `A backfill from 7 is under way and stays: ${goesOn}`],
  ]);
  expect(await query('SELECT "partition" FROM firn.checkpoint ORDER BY 1')).toEqual(
    ['P', 'X'].map((chain) => ({ partition: `index_name=${chain}/block|backfill` })),
  );
  expect(await firn('state', 'reset', 'node/containers', 'index_name=P/block|backfill')).toMatchObject({
    code: 2,
    err: expect.stringContaining(goesOn),
  });
  expect((await firn('doctor')).out).toContain(`A backfill from 7 is not over: ${goesOn}`);
});
