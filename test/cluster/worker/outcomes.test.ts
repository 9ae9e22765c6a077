import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { openLakeView } from '../../../src/cluster/lake/openLakeView.ts';
import { readOutcomes } from '../../../src/cluster/ledger/readProgress.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import { assessHealth } from '../../../src/report/health/assessHealth.ts';
import { readStatus } from '../../../src/report/read/readStatus.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';
import { startProxy } from '../../pipelines/node/startProxy.ts';
import { fetchOf, heightsStream } from '../../run/read/heightsStream.ts';
import { heightsCluster } from './heightsCluster.ts';
import { testCluster } from './lakeOfTests.ts';

const none = { records: 0, accepted: 0, streams: [], groups: [], heldBack: [] };

/** A cluster, and what status tells of it before anything is published. */
async function opened() {
  const cluster = await heightsCluster();
  const status = async (maxAgeMs?: number) => {
    const data = await readStatus({ query: async () => [] }, new Map(), {
      ...{
        now: Date.now(),
        firnVersion: '1',
        running: null,
        runs: [],
        unreadable: null,
        unresolved: none as never,
        dailyQuota: {},
      },
      ...{ pipelines: ['p'], times: new Map(), workers: await readOutcomes(cluster.control) },
    });
    return { ...assessHealth(data, maxAgeMs), streams: data.streams };
  };
  return { ...cluster, status };
}

test('what a worker could not read is told by status as long as it lasts, as what a run could not', {
  tags: 'long',
}, async () => {
  const { run, chain, status, control } = await opened();
  expect(await status()).toMatchObject({ exitCode: 0, streams: [] });
  await run();
  expect(await status()).toMatchObject({
    exitCode: 0,
    streams: [
      { stream: heightsStream.id, partitions: [{ partition: 'all', outcome: 'done', lastRead: expect.any(Number) }] },
    ],
  });
  chain.name = 'b';
  chain.head = 40;
  await run();
  expect(await status()).toMatchObject({
    exitCode: 1,
    findings: [
      {
        kind: 'failed',
        sentence: expect.stringMatching(
          /^node\/heights: 1 partition failed: .* no longer holds .* A "firn worker" that reads the stream clears this\.$/,
        ),
      },
    ],
    streams: [{ partitions: [{ outcome: 'failed', lastRead: expect.any(Number) }] }],
  });
  // Nobody has read it for a day, and others were read: it is not configured any more.
  await control.query(`INSERT INTO firn.partition VALUES ('node/other', 'all')`);
  await control.query(
    `INSERT INTO firn.part (stream, partition, outcome, looked_at) VALUES ('node/other', 'all', 'done', now() + interval '30 hours')`,
  );
  expect(await status()).toMatchObject({ exitCode: 0 });
  await control.query(`DELETE FROM firn.part WHERE stream = 'node/other'`);
  chain.name = 'a';
  await run();
  expect(await status()).toMatchObject({
    exitCode: 0,
    streams: [{ partitions: [{ outcome: 'done', message: null }] }],
  });
});

test('where no worker read anything for too long, that is told, however often is published meanwhile', async () => {
  const { run, control, status } = await opened();
  const hour = 3_600_000;
  const told = async (maxAgeMs?: number) =>
    (await status(maxAgeMs)).findings.filter(({ sentence }) => sentence.startsWith('No worker'));
  expect(await told(hour)).toMatchObject([{ sentence: expect.stringContaining('has read anything yet; at most 1 h') }]);
  await run();
  expect(await told(hour)).toEqual([]);
  await control.query(`UPDATE firn.part SET looked_at = looked_at - interval '3 hours'`);
  expect(await told(2 * hour)).toEqual([
    {
      kind: 'failed',
      sentence: expect.stringMatching(/ since .* UTC; at most 2 h is expected\. Start "firn worker"/),
      exitCode: 75,
    },
  ]);
  expect(await told(4 * hour)).toEqual([]);
  expect(await told()).toEqual([]);
  // One that reads a long list tells of it at its end, and holds it until then.
  await control.query(`UPDATE firn.part SET lease_until = now() + interval '1 minute'`);
  expect(await told(2 * hour)).toEqual([]);
});

test('one of whose stretches one cannot be read has failed, whatever its head says', { tags: 'long' }, async () => {
  const { run, chain, status } = await opened();
  const fetch = fetchOf(chain);
  const broken: Fetch = async (request) => {
    if (request.path === '12..15') throw new FirnError('unavailable', 'it is down');
    return fetch(request);
  };
  await run({ fetch: { node: broken } });
  expect(await status()).toMatchObject({
    exitCode: 75,
    findings: [{ kind: 'stale', sentence: expect.stringContaining('it is down') }],
    // Its end was reached, and not all before it: where it is said how late is too late, it has failed.
    streams: [{ lastRead: null }],
  });
  await run();
  expect(await status()).toMatchObject({ exitCode: 0, streams: [{ lastRead: expect.any(Number) }] });
});

test('a range is read to its end once its stretches are', { tags: 'long' }, async () => {
  const { run, chain, control } = await opened();
  const reads = async () => (await readOutcomes(control)).read.map(({ at }) => at);
  const fetch = fetchOf(chain);
  const seen: number[][] = [];
  const looking: Fetch = async (request) => {
    if (request.path === '12..15') seen.push(await reads());
    return fetch(request);
  };
  await run({ fetch: { node: looking } });
  expect(seen).toEqual([[]]);
  const first = await reads();
  expect(first).toEqual([expect.any(Number)]);
  chain.head = 35;
  const broken: Fetch = async (request) => {
    if (request.path === '30..33') throw new FirnError('unavailable', 'it is down');
    return fetch(request);
  };
  for (const _ of ['divided', 'looked at once more']) await run({ fetch: { node: broken } });
  expect(await reads()).toEqual(first);
  await run();
  expect((await reads())[0]).toBeGreaterThan(first[0] ?? 0);
});

test('a stretch of another chain has failed, for the worker that finds it and for status from then on', {
  tags: 'long',
}, async () => {
  const { run, chain, status } = await opened();
  const fetch = fetchOf(chain);
  chain.foreign.add(12);
  const late: Fetch = async (request) => {
    if (request.path === '0..3') throw new FirnError('unavailable', 'it is down');
    return fetch(request);
  };
  await run({ fetch: { node: late } });
  const failed: (string | undefined)[] = [];
  await run({ finished: (_, { outcome, code }) => outcome === 'failed' && failed.push(code) });
  expect(failed).toEqual(['contract']);
  await run();
  const sentence = expect.stringContaining('position 12 does not follow 11');
  expect(await status()).toMatchObject({ exitCode: 4, findings: [{ sentence }] });
});

test('what a read begins from and cannot be had fails that part, and no worker', { tags: 'long' }, async () => {
  const { run, ledger, heights, status } = await opened();
  let left = 1;
  const lossy: typeof ledger = {
    ...ledger,
    async waiting(of) {
      if (left-- > 0) throw new FirnError('unavailable', 'the bucket is gone');
      return ledger.waiting(of);
    },
  };
  await run({ ledger: lossy });
  expect(await status()).toMatchObject({
    exitCode: 75,
    findings: [{ sentence: expect.stringContaining('the bucket is gone') }],
  });
  await run({ ledger: lossy });
  expect(await heights()).toHaveLength(30);
  expect(await status()).toMatchObject({ exitCode: 0 });
});

test('what a budget of a lookup leaves is told', { tags: 'long' }, async () => {
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  const chainIds = ['43112'];
  const { work, cluster, rows } = await testCluster(devnet, {
    'data/latest_transactions': { chainIds, from: 0 },
    'data/transaction_details': { chainIds, streams: ['latest_transactions'], budget: 3 },
  });
  const behind = async () => {
    const { last } = await readOutcomes(cluster.control);
    return last.find(({ stream }) => stream === 'data/transaction_details')?.behind;
  };
  await work();
  const keys = (await rows())['raw.data_latest_transactions']?.length ?? 0;
  expect(keys).toBeGreaterThan(6);
  expect(await behind()).toBe(keys - 3);
  await work(true);
  expect(await behind()).toBe(keys - 6);
});

test('what was read and is offered no more has failed, and what was never read has not', { tags: 'long' }, async () => {
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  let isOff = true;
  const proxy = await startProxy(devnet.url, async ({ method }) =>
    isOff && method === 'platform.getCurrentValidators'
      ? { error: { code: -32601, message: 'the method does not exist' } }
      : undefined,
  );
  const { work, cluster, settings } = await testCluster(proxy, { 'node/platform_validators': {} });
  const view = await openLakeView(settings);
  onTestFinished(() => view.close());
  const outcome = async () => {
    await work(true);
    return (await readOutcomes(cluster.control)).last[0];
  };
  expect(await outcome()).toMatchObject({ outcome: 'not_offered' });
  isOff = false;
  expect(await outcome()).toMatchObject({ outcome: 'done', message: null });
  const { unresolved } = await view.state();
  isOff = true;
  // Reads that bring nothing are no loads.
  await cluster.control.query(`UPDATE firn.load SET committed_at = '2026-01-01'`);
  await cluster.control.query(`UPDATE firn.part SET read_at = '2026-02-03 04:05:06Z'`);
  expect(await outcome()).toMatchObject({
    outcome: 'failed',
    message: expect.stringMatching(/^This was read until 2026-02-03 04:05 UTC and is not offered any more/),
  });
  // A server of the report learns of it, and of what a stretch failed with.
  const known = (await view.state()).unresolved;
  expect(known).not.toBe(unresolved);
  await cluster.control.query(
    `INSERT INTO firn.part (stream, partition, first_position, last_position, outcome) SELECT stream, partition, 0, 1, 'failed' FROM firn.partition LIMIT 1`,
  );
  expect((await view.state()).unresolved).not.toBe(known);
});
