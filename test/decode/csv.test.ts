import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCsv } from '../../src/decode/csv.ts';

async function rowsOf(...chunks: string[]): Promise<string[][]> {
  const rows: string[][] = [];
  for await (const some of readCsv(iterate(chunks))) rows.push(...some);
  return rows;
}

async function* iterate(chunks: readonly string[]): AsyncGenerator<string> {
  yield* chunks;
}

test.each([
  ['', []],
  [
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['\uFEFFa\n1', [['a'], ['1']]],
  ['a\r\n1\r2\n', [['a'], ['1'], ['2']]],
  ['a\r\n\r\n\n1\n', [['a'], ['1']]],
  [
    'a,\n,\n,,\n',
    [
      ['a', ''],
      ['', ''],
      ['', '', ''],
    ],
  ],
  ['""\n', [['']]],
  ['"a,""b""\r\nc",d\n', [['a,"b"\r\nc', 'd']]],
  ['a"b,"c"d\n', [['a"b', 'cd']]],
])('reads %j', async (text, rows) => {
  expect(await rowsOf(text)).toEqual(rows);
});

test.each([
  ['a quote inside a plain cell', ['a', '"b,"c"\n'], [['a"b', 'c']]],
  ['a mark of the byte order, behind nothing', ['', '\uFEFFa\n'], [['a']]],
  ['that mark, inside the text', ['a', '\uFEFFb\n'], [['a\uFEFFb']]],
  ['the line feed of a CRLF', ['a\r', '\n1\n'], [['a'], ['1']]],
])('reads a piece that begins with %s', async (_, pieces, rows) => {
  expect(await rowsOf(...pieces)).toEqual(rows);
});

test('a text that ends inside quotes was cut', async () => {
  await expect(rowsOf('a\n1\n"2')).rejects.toThrow('inside a quoted cell of row 3');
});

test('gives every cell back, however it is quoted and wherever the pieces of the text end', {
  tags: 'long',
}, async () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.constantFrom('', '"', '\r\n', ',', 'a,b', '\u0000', '😀', '\u202Eabc', '\uFEFF'),
  );
  const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.array(fc.nat(40), { maxLength: 8 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      async (rows, cuts, end) => {
        const text = rows.map((cells) => cells.map(quoted).join(',') + end).join('');
        expect(await rowsOf(...pieces(text, cuts))).toEqual(rows);
      },
    ),
  );
});

const quoted = (cell: string) => (/^$|[",\r\n]|^\uFEFF/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

function pieces(text: string, cuts: readonly number[]): string[] {
  const ends = cuts.filter((cut) => cut < text.length).sort((a, b) => a - b);
  return [...ends, text.length].map((end, i) => text.slice(i === 0 ? 0 : ends[i - 1], end));
}
