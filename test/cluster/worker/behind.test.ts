/** @module-tag long */
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import type { PartitionResult } from '../../../src/run/read/syncOptions.ts';
import { heightsCluster } from './heightsCluster.ts';
import { testCluster } from './lakeOfTests.ts';

/** A cluster that reads, and gives what came of the last look. */
async function opened() {
  const { run, chain, heights, control } = await heightsCluster();
  return {
    chain,
    heights,
    control,
    async look(more: Parameters<typeof run>[0] = {}) {
      const results: PartitionResult[] = [];
      await run({ ...more, finished: (_, result) => results.push(result) });
      return results.at(-1);
    },
  };
}

test('a source that is the same as far as it goes is behind, and one that is another has shrunk', async () => {
  const { look, chain, heights } = await opened();
  await look();
  chain.head = 20;
  expect(await look()).toMatchObject({
    outcome: 'failed',
    code: 'unavailable',
    message: expect.stringMatching(
      /the source ends at 20, but 29 was read from it before.* the node that answers is behind/,
    ),
  });
  chain.name = 'b';
  expect(await look()).toMatchObject({ code: 'source_shrank', message: expect.stringContaining('ends at 20') });
  chain.head = 40;
  expect(await look()).toMatchObject({
    code: 'source_shrank',
    message: expect.stringContaining('no longer holds what was read from it as height 29'),
  });
  chain.head = null;
  expect(await look()).toMatchObject({ code: 'source_shrank', message: expect.stringContaining('ends at nothing') });
  chain.name = 'a';
  chain.head = 31;
  await look();
  expect(await heights()).toEqual(Array.from({ length: 32 }, (_, height) => height));
});

test('whether a source is behind is not said before what was read of it is applied', async () => {
  const { look, chain } = await opened();
  await look({ applyRest: undefined });
  chain.head = 20;
  expect(await look({ applyRest: undefined })).toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('is not applied yet'),
  });
  await look();
  expect(await look()).toMatchObject({ message: expect.stringContaining('the node that answers is behind') });
});

test('of a source that is behind nothing is taken, snapshots and what is new neither', async () => {
  const devnet = await startDevnet({ head: '4%' });
  onTestFinished(() => devnet.close());
  const streams = {
    'node/platform_blocks': {},
    'node/platform_validators': {},
    'node/containers': { indexes: ['X/block'] },
  };
  const { work, cluster } = await testCluster(devnet, streams);
  const loads = () =>
    cluster.control.query('SELECT stream, count(*) AS loads FROM firn.load GROUP BY stream ORDER BY stream');
  const look = async (select?: string[]) => {
    const results: PartitionResult[] = [];
    await work(true, { selection: select ? { select } : {}, finished: (_, result) => results.push(result) });
    return results;
  };
  await look(['node/platform_*']);
  const before = await loads();
  devnet.moveHead('2%');
  const results = await look();
  expect(new Set(results.map(({ code }) => code))).toEqual(new Set(['unavailable']));
  expect(results.find(({ stream }) => stream === 'node/platform_validators')?.message).toMatch(
    /^Nothing was taken from the source node: node\/\S+ \(\S+\): the source ends at .* the node that answers is behind/,
  );
  expect(await loads()).toEqual(before);
  devnet.moveHead('4%');
  expect(new Set((await look()).map(({ outcome }) => outcome))).toEqual(new Set(['done']));
});
