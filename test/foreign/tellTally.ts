import { afterAll } from 'vitest';
import { takeTally } from './tally.ts';

// After each file: how much was called and compared, as the table of docs/trust.md has it.
afterAll(() => {
  for (const [what, times] of takeTally()) console.log(`${what}: ${times.toLocaleString('en-US')}`);
});
