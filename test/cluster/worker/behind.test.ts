import { expect, test } from 'vitest';
import type { PartitionResult } from '../../../src/run/read/syncStreams.ts';
import { heightsCluster } from './heightsCluster.ts';

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
