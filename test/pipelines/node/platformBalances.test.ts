import { expect, test } from 'vitest';
import { platformBalances } from '../../../pipelines/node/platformBalances.ts';

test('an address is one partition, whether it is written with its chain, without it, or twice', () => {
  const addresses = ['P-local1a', 'local1a', 'local1b', 'P-local1b'];
  const partitions = platformBalances.partitions({ addresses } as never, {} as never);
  expect(partitions.map(({ values }) => values)).toEqual([{ address: 'local1a' }, { address: 'local1b' }]);
});
