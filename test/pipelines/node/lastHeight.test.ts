import { expect, test } from 'vitest';
import { lastHeight } from '../../../pipelines/node/lastHeight.ts';
import type { Asking } from '../../../src/core/requests/page.ts';

/** Of blocks 0 to 40, ten seconds apart. @returns the height, and what was asked for */
function last(to: string | number | undefined, next: number): [number, number[]] {
  const asked: number[] = [];
  // biome-ignore lint/correctness/useYield: it knows the answers
  const timeOf = function* (height: number): Asking<number> {
    asked.push(height);
    return height * 10;
  };
  const step = lastHeight(to, { next, head: 40, brackets: undefined }, timeOf).next();
  return [step.value as number, asked];
}

test('is the head, or the last height below a bound; once that is reached, one question tells', () => {
  expect(last(undefined, 0)).toEqual([40, []]);
  expect(last(30, 0)).toEqual([30, []]);
  expect(last(50, 0)).toEqual([40, []]);
  expect(last('1970-01-01T00:03:20Z', 0)[0]).toBe(19);
  expect(last('1970-01-01T00:03:20Z', 20)).toEqual([19, [20]]);
});
