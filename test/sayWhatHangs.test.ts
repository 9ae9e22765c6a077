import { expect, test } from 'vitest';
import { whatIsDone } from './sayWhatHangs.ts';

test.runIf(process.platform === 'linux')('each thread is told with its state and what it used', () => {
  const [waited, own] = whatIsDone().split('\n');
  expect(waited).toContain('PipeWrap');
  expect(own).toMatch(/^\S.* R \d+\+\d+ ticks \S+$/);
});
