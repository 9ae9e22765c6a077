import { expect, test } from 'vitest';
import { rowsText } from '../../../src/cli/text/rowsText.ts';

const found = {
  names: ['name', 'rows'],
  types: ['VARCHAR', 'BIGINT'],
  rows: [
    ['a\u001b[31m\nb', '5'],
    [null, '1000000'],
  ],
  more: false,
};

test('rows stand below each other, numbers right, and nothing in them acts on a terminal', () => {
  expect(rowsText(found)).toBe(
    ['name               rows', 'a\\u{1b}[31m\\nb        5', 'NULL            1000000'].join('\n'),
  );
  expect(rowsText({ ...found, rows: [] })).toBe('No rows.');
});

test('columns stay below each other where signs are wider than one column, or none', () => {
  const rows = [
    ['🎉漢字', '1'],
    ['e\u0301a', '2'],
  ];
  expect(rowsText({ ...found, rows })).toBe(['name    rows', '🎉漢字     1', 'e\u0301a         2'].join('\n'));
});

test('a table wider than the terminal is told row by row', () => {
  expect(rowsText(found, 23)).toBe(rowsText(found));
  expect(rowsText(found, 22)).toBe(['name  a\\u{1b}[31m\\nb', 'rows  5', '', 'name  NULL', 'rows  1000000'].join('\n'));
});
