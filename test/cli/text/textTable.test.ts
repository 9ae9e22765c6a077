import { expect, onTestFinished, test } from 'vitest';
import { textTable } from '../../../src/cli/text/textTable.ts';

const header = ['stream', 'rows', 'newest', 'note'];
const rows = [
  ['node/evm_blocks', 12345, '2026-04-04', ''],
  ['data/chains', 2, '', 'failed'],
];
const whole = [
  'stream             rows  newest      note',
  'node/evm_blocks  12,345  2026-04-04',
  'data/chains           2              failed',
].join('\n');

test('a table that has room stands in one line a row', () => {
  expect(textTable(header, rows, 43)).toBe(whole);
  expect(textTable(header, [], 43)).toBe('');
});

test('a row without room goes on below, its columns one below the other, and no line is empty', () => {
  expect(textTable(header, rows, 42)).toBe(
    [
      'stream             rows  newest',
      '  note',
      'node/evm_blocks  12,345  2026-04-04',
      'data/chains           2',
      '  failed',
    ].join('\n'),
  );
  expect(textTable(header, rows, 24)).toBe(
    [
      'stream             rows',
      '  newest      note',
      'node/evm_blocks  12,345',
      '  2026-04-04',
      'data/chains           2',
      '              failed',
    ].join('\n'),
  );
});

test('a column wider than a line has one of its own, whole', () => {
  expect(textTable(['a', 'b', 'c'], [['1', 'x'.repeat(30), '2']], 10)).toBe(
    ['a', '  b', '  c', '1', `  ${'x'.repeat(30)}`, '  2'].join('\n'),
  );
});

test('a cell is one line, and cut where it is very long', () => {
  expect(textTable(['a'], [[`b\nc${'x'.repeat(1000)}`]])).toBe(`a\nb\\nc${'x'.repeat(496)}… (cut)`);
});

test('on a terminal its width counts, and through a pipe none', () => {
  const { isTTY, columns } = process.stdout;
  onTestFinished(() => void Object.assign(process.stdout, { isTTY, columns }));
  Object.assign(process.stdout, { isTTY: true, columns: 30 });
  expect(textTable(header, rows)).toBe(textTable(header, rows, 30));
  Object.assign(process.stdout, { isTTY: false });
  expect(textTable(header, rows)).toBe(whole);
});
