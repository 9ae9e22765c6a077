import { expect, test } from 'vitest';
import { streamHealth } from '../../../src/report/health/streamHealth.ts';
import type { StreamState } from '../../../src/report/reportData.ts';

test.each<[string, readonly object[], number]>([
  ['failed', [{ outcome: 'failed' }, { outcome: 'done' }], 0],
  ['failed', [{ outcome: 'done' }], 1],
  ['stopped', [{ outcome: 'stopped' }, { outcome: 'dropped' }], 0],
  ['stopped', [{ outcome: 'done', behind: 5 }], 0],
  ['dropped', [{ outcome: 'dropped' }, { outcome: 'not_offered' }], 0],
  ['not offered', [{ outcome: 'not_offered' }, { outcome: 'done' }], 0],
  ['up to date', [{ outcome: 'done' }, { outcome: null }], 0],
  ['read', [{ outcome: null }], 0],
])('a stream is %s by its worst partition (%j, %i that are not named)', (word, partitions, unnamedFailures) => {
  expect(streamHealth({ partitions, unnamedFailures } as unknown as StreamState).word).toBe(word);
});

test('how far a stream is behind is the sum of what its partitions are', () => {
  const partitions = [{ behind: 2 }, { behind: null }, { behind: 3 }];
  expect(streamHealth({ partitions, unnamedFailures: 0 } as unknown as StreamState).behind).toBe(5);
});
