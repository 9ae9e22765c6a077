import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { chainMetrics } from '../../../pipelines/metrics-api/chainMetrics.ts';
import type { Ledger } from '../../../src/cluster/contract.ts';
import type { Stream } from '../../../src/core/stream/stream.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';
import { fetchOf } from '../../run/read/heightsStream.ts';
import { heightsCluster } from './heightsCluster.ts';
import { streamCluster } from './streamCluster.ts';

test('a batch is written once the one before it is committed, while the next one gathers', async () => {
  const { run, chain, heights, ledger } = await heightsCluster();
  const fetch = fetchOf(chain);
  // Each answer fills a batch.
  const large: Fetch = async (request) => ({ ...(await fetch(request)), bytes: 40e6 });
  const underWay: number[] = [];
  let sending = 0;
  const slow: Ledger = {
    ...ledger,
    nextBatch() {
      underWay.push(sending);
      return ledger.nextBatch();
    },
    async commit(...given) {
      sending++;
      await sleep(30);
      return ledger.commit(...given).finally(() => sending--);
    },
  };
  await run({ ledger: slow, fetch: { node: large } });
  expect(await heights()).toHaveLength(30);
  expect(underWay.length).toBeGreaterThan(6);
  expect(Math.max(...underWay)).toBe(0);
});

test('the first look at a list that is empty is a load, and a later one is none', async () => {
  const stream = chainMetrics as unknown as Stream;
  const { run, control } = await streamCluster(stream);
  const parameters = { chainIds: ['1'], metrics: ['txCount'], timeIntervals: ['day'], from: '2026-01-01' };
  const looks = async () => {
    const empty = { body: { results: [] }, fetchedAt: Date.now(), bytes: 1 };
    await run({ planned: [{ pipeline: 'p', stream, parameters }], fetch: { metrics: async () => empty } });
    return control.query('SELECT stream, rows_written FROM firn.load');
  };
  const first = [{ stream: stream.id, rows_written: '0' }];
  expect(await looks()).toEqual(first);
  expect(await looks()).toEqual(first);
});

test('whether a partition was read is not asked of one that has a cursor', async () => {
  const stream = chainMetrics as unknown as Stream;
  const { run, ledger } = await streamCluster(stream);
  const parameters = { chainIds: ['1'], metrics: ['txCount'], timeIntervals: ['day'], from: '2026-01-01' };
  const results = [{ value: 1, timestamp: Date.UTC(2026, 0, 1) / 1000 }];
  const asked: boolean[] = [];
  const wasRead: Ledger['wasRead'] = async (of) => {
    asked.push(await ledger.wasRead(of));
    return asked.at(-1) ?? false;
  };
  const metrics = async () => ({ body: { results }, fetchedAt: Date.now(), bytes: 1 });
  for (const _ of ['once', 'again'])
    await run({ ledger: { ...ledger, wasRead }, planned: [{ pipeline: 'p', stream, parameters }], fetch: { metrics } });
  expect(asked).toEqual([false]);
});
