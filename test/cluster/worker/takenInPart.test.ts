/** @module-tag long */
import { expect, test } from 'vitest';
import { clusterText } from '../../../src/cli/text/clusterText.ts';
import { readProgress } from '../../../src/cluster/ledger/readProgress.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import { fetchOf, heightsStream, partitionOf } from '../../run/read/heightsStream.ts';
import { heightsCluster } from './heightsCluster.ts';

const planned = (settings: Parameters<typeof partitionOf>[0]) => [
  { pipeline: 'p', stream: { ...heightsStream, partitions: () => [partitionOf(settings)] }, parameters: {} },
];

async function opened() {
  const { run, chain, heights, ledger, control } = await heightsCluster();
  const partFrom = async () => (await ledger.standsAt({ stream: heightsStream.id, partition: 'all' })).partFrom;
  const told = async () => clusterText(await readProgress(control));
  return { run, chain, heights, partFrom, told };
}

test('what is read in part is known, and status tells it, also of stretches that were made to be read whole', async () => {
  const { run, chain, heights, partFrom, told } = await opened();
  const fetch = fetchOf(chain);
  const down: typeof fetch = async (request) => {
    if (request.path === '12..15') throw new FirnError('unavailable', 'The source is down.', { retryable: true });
    return fetch(request);
  };
  await run({ fetch: { node: down } });
  expect(await partFrom()).toBeNull();
  expect(await told()).not.toContain('in part');
  await run({ planned: planned({ part: true }) });
  expect([(await heights()).length, await partFrom()]).toEqual([30, 12]);
  expect(await told()).toMatch(/ \{"next":30\}, in part from 12 /);
});

test('what a backfill reads in part is known', async () => {
  const { run, heights, partFrom } = await opened();
  await run({ planned: planned({ from: 20 }) });
  await run({ planned: planned({ from: 20, part: true }), backfill: { from: '5' } });
  expect([(await heights()).length, await partFrom()]).toEqual([25, 5]);
});

test('what is asked for again in part is known', async () => {
  const { run, chain, heights, partFrom } = await opened();
  chain.wrong.add(13);
  await run();
  chain.wrong.clear();
  await run({ planned: planned({ part: true }) });
  expect([(await heights()).length, await partFrom()]).toEqual([30, 13]);
});

test('so is what was asked for again before the source had enough', async () => {
  const { run, chain, heights, partFrom } = await opened();
  chain.wrong.add(13).add(20);
  await run();
  chain.wrong.clear();
  const fetch = fetchOf(chain);
  const limited: typeof fetch = async (request) => {
    if (request.path === '20..20') throw new FirnError('rate_limited', 'It is enough.', { retryable: true });
    return fetch(request);
  };
  await run({ planned: planned({ part: true }), fetch: { node: limited } });
  expect([(await heights()).length, await partFrom()]).toEqual([29, 13]);
});
