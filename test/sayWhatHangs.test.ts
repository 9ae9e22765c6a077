import { expect, test } from 'vitest';
import { whatIsDone } from './sayWhatHangs.ts';

test.runIf(process.platform === 'linux')('each thread is told with its state and what it used', () => {
  // Threads come in the order of their names: 9999 after 10000.
  const [waited, ...threads] = whatIsDone().split('\n');
  expect(waited).toContain('PipeWrap');
  expect(threads).toContainEqual(expect.stringMatching(/^\S.* R \d+\+\d+ ticks \S+$/));
});
