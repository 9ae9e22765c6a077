/** @module-tag long */
import { expect, test } from 'vitest';
import { readProgress } from '../../../src/cluster/ledger/readProgress.ts';
import { queryLake } from '../../../src/cluster/worker/queryLake.ts';
import { heightsStream, partitionOf } from '../../run/read/heightsStream.ts';
import { heightsCluster } from './heightsCluster.ts';

const planned = (settings: Parameters<typeof partitionOf>[0]) => [
  { pipeline: 'p', stream: { ...heightsStream, partitions: () => [partitionOf(settings)] }, parameters: {} },
];

async function opened() {
  const { lake, control, ...cluster } = await heightsCluster();
  const rows = async () => {
    const all = await queryLake<{ height: bigint; extra: string | null }>(
      lake,
      `SELECT height, extra FROM ${heightsStream.table.name} ORDER BY height`,
    );
    return all.map(({ height, extra }) => `${height}${extra ? '+' : ''}`).join(' ');
  };
  const partFrom = async () => (await readProgress(control)).partitions[0]?.partFrom;
  return { ...cluster, lake, control, rows, partFrom };
}

const upTo = (last: number, isWhole: (height: number) => boolean) =>
  Array.from({ length: last + 1 }, (_, height) => `${height}${isWhole(height) ? '+' : ''}`).join(' ');

test('what was read in part is read again once all of it is wanted, once', async () => {
  const { run, chain, rows, partFrom } = await opened();
  chain.head = 11;
  await run();
  chain.head = 29;
  await run({ planned: planned({ part: true }) });
  expect([await rows(), await partFrom()]).toEqual([upTo(29, (height) => height < 12), 12]);
  await run();
  await run();
  expect([await rows(), await partFrom()]).toEqual([upTo(29, () => true), null]);
  chain.asked.length = 0;
  chain.head = 31;
  await run();
  expect([await rows(), chain.asked.filter((path) => /\d\.\./.test(path))]).toEqual([upTo(31, () => true), ['30..31']]);
});
