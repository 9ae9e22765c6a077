import { expect, test } from 'vitest';
import { WorkerTeller } from '../../../src/cli/runs/workerTeller.ts';
import type { PartitionResult } from '../../../src/run/read/syncOptions.ts';

const read = { outcome: 'done', rows: 0, childRows: 0, quarantined: 0, seconds: 1 } as PartitionResult;
const failed = (code: string, message: string) => ({ ...read, outcome: 'failed', code, message }) as PartitionResult;

test('what a part fails with is told once as long as it is the same, and its end, too', () => {
  const lines: string[] = [];
  const teller = new WorkerTeller({ note: (line) => void lines.push(line) });
  const of = (part: number, result: PartitionResult) =>
    teller.finished({ stream: 'node/x', partition: 'all', part }, result);
  const down = failed('unavailable', 'The bucket does not answer.');
  for (const part of [1, 2]) of(part, down);
  // Another part of the partition that can be read says nothing of those.
  of(3, read);
  for (const part of [1, 2]) of(part, { ...down, message: 'The bucket does not answer: query 2.' });
  expect(lines).toEqual(['node/x (all): The bucket does not answer.', 'node/x (all): The bucket does not answer.']);
  of(1, failed('contract', 'It is another chain.'));
  of(1, read);
  of(1, read);
  of(2, { ...read, rows: 2 });
  of(2, down);
  expect(lines.slice(2)).toEqual([
    'node/x (all): It is another chain.',
    'node/x (all): could be read again',
    'node/x (all): 2 rows and 0 child rows in 1.0 s',
    'node/x (all): The bucket does not answer.',
  ]);
  expect(teller.sums).toMatchObject({ parts: 10, failed: 6, rows: 2 });
  expect(teller.exitCode(false)).toBe(75);
});
