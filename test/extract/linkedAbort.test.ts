import { expect, onTestFinished, test } from 'vitest';
import { linkedAbort } from '../../src/extract/linkedAbort.ts';

test('many may follow one signal, as the clients of many chains do, without a warning of Node', async () => {
  const warnings: Error[] = [];
  const hear = (warning: Error) => warnings.push(warning);
  process.on('warning', hear);
  onTestFinished(() => void process.off('warning', hear));
  const outer = new AbortController();
  const links = Array.from({ length: 20 }, () => linkedAbort(outer.signal));
  await new Promise((resolve) => setImmediate(resolve));
  outer.abort();
  expect(links.every(({ signal }) => signal.aborted)).toBe(true);
  expect(warnings).toEqual([]);
});
