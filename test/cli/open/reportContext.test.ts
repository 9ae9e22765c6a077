import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { actions, catalogue, sources } from '../../../pipelines/index.ts';
import { reportContext } from '../../../src/cli/open/reportContext.ts';
import { replaceFileCalls } from '../../replaceFileCalls.ts';
import { temporary } from '../../temporaryFolders.ts';

/** What is told where the disk has this room. */
async function whereDiskHas(room: object): Promise<typeof reportContext> {
  replaceFileCalls(() => ({ statfs: async () => room }));
  return (await import('../../../src/cli/open/reportContext.ts')).reportContext;
}

test.each([
  ['a disk without a byte', { bfree: 0, bavail: 0 }, expect.stringContaining('is full: no run can read anything')],
  ['a disk with a block', { bfree: 1, bavail: 1 }, null],
  ['a drive that does not tell its room', { blocks: 0, bfree: 0, bavail: 0 }, null],
])('%s tells whether runs could note how they ended', async (_, room, unreadable) => {
  const warehouse = await temporary();
  const settings = { warehouse, sources: {}, pipelines: {}, publish: { keepVersions: 3 } };
  const context = await whereDiskHas({ blocks: 9, ...room });
  const told = () => context({ settings, registry: { sources, catalogue, actions } });
  // A copy of what was published is only read.
  expect((await told()).unreadable).toBe(null);
  await mkdir(join(warehouse, '.state'));
  await writeFile(join(warehouse, '.state', 'firn.duckdb'), '');
  expect((await told()).unreadable).toEqual(unreadable);
});

test('a run that waits in another container goes on for as long as it says so', async () => {
  const warehouse = await temporary();
  const settings = { warehouse, sources: {}, pipelines: {}, publish: { keepVersions: 3 } };
  const own = { format: 1, pid: 1, host: 'another', runId: 'one', command: 'run', startedAt: '2026-01-01T00:00:00Z' };
  const file = join(warehouse, '.state', 'runs', '20260101T000000000Z-one.json');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ ...own, finishedAt: null, exitCode: null, summary: {} }));
  const { runs } = await reportContext({ settings, registry: { sources, catalogue, actions } });
  await utimes(file, new Date(), new Date(Date.now() - 61_000));
  const { runs: later } = await reportContext({ settings, registry: { sources, catalogue, actions } });
  expect([...runs, ...later]).toMatchObject([{ isGoing: true }, { isGoing: false }]);
});

test('of what workers tell while it is read nothing lies ahead', async () => {
  const settings = { warehouse: await temporary(), sources: {}, pipelines: {}, publish: { keepVersions: 3 } };
  const outcomes = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { last: [], read: [], heardAt: Date.now() };
  };
  const told = { unresolved: async () => null, outcomes };
  const { now, workers } = await reportContext({ settings, registry: { sources, catalogue, actions } }, told);
  expect(now).toBeGreaterThanOrEqual(workers?.heardAt ?? Number.POSITIVE_INFINITY);
});

test('the daily quota of every source that has one is told, also of an own source', async () => {
  const quota = (perDay: number) => ({ url: 'http://127.0.0.1:1', quota: { perDay } });
  const { dailyQuota } = await reportContext({
    settings: {
      warehouse: await temporary(),
      sources: { node: { url: 'http://127.0.0.1:1' }, data: quota(7), info: quota(5) },
      pipelines: {},
      publish: { keepVersions: 3 },
    },
    registry: { sources, catalogue, actions },
  });
  expect(dailyQuota).toEqual({ data: 7, info: 5 });
});

test('the time of what rows tell is the one that their stream declares; a snapshot has none', async () => {
  const settings = { warehouse: await temporary(), sources: {}, pipelines: {}, publish: { keepVersions: 3 } };
  const { times } = await reportContext({ settings, registry: { sources, catalogue, actions } });
  expect(Object.fromEntries(times)).toMatchObject({
    'node/evm_blocks': 'timestamp',
    'node/platform_blocks': 'timestamp',
    'node/evm_active_rules_history': 'from_time',
    'data/latest_transactions': 'block_timestamp',
  });
  expect(times.has('node/platform_validators')).toBe(false);
});
