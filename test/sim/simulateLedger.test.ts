import { expect, test } from 'vitest';
import { ledgerStreams, simulateLedger } from './simulateLedger.ts';

test('what is read of the recorded network while all goes wrong is what is read at once', {
  tags: 'long',
}, async () => {
  let requests = 0;
  for (const seed of [19, 20, 22]) requests += (await simulateLedger({ seed, days: 1, everyHours: 12 })).requests;
  expect(requests).toBeGreaterThan(50);
});

test('every stream that the embedded network has something for may be drawn', async () => {
  const ids = Object.keys(await ledgerStreams());
  expect(ids).toContain('node/evm_blocks');
  expect(ids.length).toBeGreaterThan(20);
});
