import { expect, test } from 'vitest';
import { verdictMatrix } from '../../../src/cli/text/verdictMatrix.ts';

const count = (metric: string, time_interval: string, verdict: string, buckets: bigint) => ({
  chain_id: '43112',
  metric,
  time_interval,
  verdict,
  buckets,
});

test('counts what is rounded by itself, and names all that does not agree', () => {
  const text = verdictMatrix([
    count('avgTps', 'day', 'equal', 3n),
    count('avgTps', 'day', 'equal_as_double', 1n),
    count('avgTps', 'day', 'equal_delta', 1n),
    count('avgTps', 'day', 'equal_rounded', 4n),
    count('avgTps', 'day', 'served_provisional', 2n),
    count('txCount', 'hour', 'differs', 1n),
  ]);
  expect(text).toMatch(/^avgTps +5 equal, 4 rounded, 2 provisional$/m);
  expect(text).toMatch(/^txCount +1 differs$/m);
});
