import { expect, test } from 'vitest';
import { reportContext } from '../../src/cli/reportContext.ts';
import { temporaryFolder } from '../load/temporaryWarehouse.ts';

test('the daily quota of every source that has one is told, also of an own source', async () => {
  const quota = (perDay: number) => ({ url: 'http://127.0.0.1:1', quota: { perDay } });
  const { dailyQuota } = await reportContext({
    warehouse: await temporaryFolder(),
    sources: { node: { url: 'http://127.0.0.1:1' }, data: quota(7), info: quota(5) },
    pipelines: {},
    publish: { keepVersions: 3 },
  });
  expect(dailyQuota).toEqual({ data: 7, info: 5 });
});
