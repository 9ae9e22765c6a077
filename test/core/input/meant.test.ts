import { expect, test } from 'vitest';
import { meant } from '../../../src/core/input/meant.ts';

test.each([
  ['metrix', ['node', 'data', 'metrics'], 'Did you mean metrics? There are: node, data, metrics.'],
  ['txcount', ['txCount', 'gasUsed'], 'Did you mean txCount? There are: txCount, gasUsed.'],
  ['mian', ['main'], 'Did you mean main? There is: main.'],
  ['block', ['C/block', 'P/block', 'X/tx'], 'Did you mean C/block or P/block? There are: C/block, P/block, X/tx.'],
  ['something else', ['node', 'data'], 'There are: node, data.'],
  ['', ['node', 'data'], 'There are: node, data.'],
  ['x', [], 'There is none.'],
  ['x'.repeat(1_000_000), ['node'], 'There is: node.'],
])('of %.20s', (word, known, sentence) => {
  expect(meant(word, known)).toBe(sentence);
});
