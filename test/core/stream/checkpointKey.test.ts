import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkpointKeyOf, fromCheckpointKey } from '../../../src/core/stream/checkpointKey.ts';

test('what a partition is called comes back from the key of what is read beside it, whatever its values hold', () => {
  const value = fc.string({ unit: fc.constantFrom('a', '|', '\\', ',', '=', ' ', '\n', 'backfill|', 'again 1') });
  const beside = fc.constantFrom('backfill', 'again 2026-01-01..2026-01-31');
  fc.assert(
    fc.property(value, beside, (partition, name) => {
      expect(fromCheckpointKey(checkpointKeyOf(partition, name))).toEqual({ partition, beside: name });
    }),
  );
});

test.each(['all', 'address=0xA|B', 'label=a|again,chain_id=1', ''])('nothing is read beside %j', (partition) => {
  expect(fromCheckpointKey(checkpointKeyOf(partition))).toEqual({ partition, beside: undefined });
});
