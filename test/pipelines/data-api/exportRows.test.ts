import { expect, test } from 'vitest';
import { exportRowRecord, exportRows } from '../../../pipelines/data-api/exportRows.ts';
import { RawValue } from '../../../src/core/json/rawValue.ts';
import { parsed } from '../../core/parse/parsed.ts';
import { network } from '../../transform/loadLedger.ts';

const place = { rowNumber: 1, rowHash: '00', occurrence: 0 };
const partition = { values: { export_id: 'e', operation_id: 'o' } };

test('a row has a cell for every column, whatever it is called and however often', () => {
  const record = exportRowRecord(['a', '__proto__', 'a', 'constructor'], ['1', '2', '3', '4'], place);
  const { rows } = parsed(exportRows, partition, network, [RawValue.from(record)]);
  expect(rows[0]?.['cells']).toBe('{"a":"1","__proto__":"2","a (2)":"3","constructor":"4"}');
});

test.each([
  [
    ['a', 'a (2)', 'a', 'a', 'a (2)'],
    ['a', 'a (2)', 'a (3)', 'a (4)', 'a (2) (2)'],
  ],
  [
    ['a', 'a', 'a (2)', 'a (3)', 'a'],
    ['a', 'a (2)', 'a (2) (2)', 'a (3)', 'a (4)'],
  ],
  [Array<string>(1_600).fill(''), ['', ...Array.from({ length: 1_599 }, (_, i) => ` (${i + 2})`)]],
])('columns of the same name are numbered: %j', (header, names) => {
  const cells = header.map((_, i) => `${i}`);
  const record = exportRowRecord(header, cells, place) as { cells: object };
  expect(Object.entries(record.cells)).toEqual(names.map((name, i) => [name, cells[i]]));
});

test('a header is looked at once, however many rows it has', () => {
  let looks = 0;
  const header = new Proxy(['a', 'a', 'time'], {
    get(of, name) {
      looks++;
      return Reflect.get(of, name);
    },
  });
  const first = exportRowRecord(header, ['1', '2', '2026-01-01'], place);
  looks = 0;
  expect(exportRowRecord(header, ['1', '2', '2026-01-01'], place)).toEqual(first);
  expect(looks).toBe(0);
});

/** The stored row of cells under a header. */
const rowOf = (header: readonly string[], cells: readonly string[]) =>
  parsed(exportRows, partition, network, [RawValue.from(exportRowRecord(header, cells, place))]).rows[0];

test.each([
  ['1767861301', '2026-01-08T08:35:01.000Z'],
  ['999999999', '2001-09-09T01:46:39.000Z'],
  ['1767861301500', '2026-01-08T08:35:01.500Z'],
  ['2026-01-08', '2026-01-08T00:00:00.000Z'],
  ['2026-01-08 08:35:01', '2026-01-08T08:35:01.000Z'],
  ['2026-01-08T08:35:01.123456789Z', '2026-01-08T08:35:01.123Z'],
  ['2026-01-08 08:35:01 UTC', '2026-01-08T08:35:01.000Z'],
  ['2026-01-08T10:35:01+0200', '2026-01-08T08:35:01.000Z'],
  ['2026-01-08 10:35:01 +02:00', '2026-01-08T08:35:01.000Z'],
  ['2026-02-30', null],
  ['2026-13-01', null],
  ['08/01/2026', null],
  ['12345678', null],
  ['12345678901234', null],
  ['', null],
])('the time %j of a row is %s', (cell, time) => {
  const micros = rowOf(['Time'], [cell])?.['row_time'] ?? null;
  expect(micros === null ? null : new Date(Math.floor(Number(micros) / 1000)).toISOString()).toBe(time);
});

test('common columns are found under the first of their names that a header has, and stay empty where they do not fit', () => {
  const header = ['Block', 'Block Number', 'To', 'From Address', 'chain', 'Tx-Hash', 'Method', 'Value'];
  const evm = `0x${'Ab'.repeat(20)}`;
  expect(rowOf(header, ['1', ' 18446744 ', 'P-avax1', evm, 'C', 'h', 'send', '1.5'])).toMatchObject({
    block_number: 18446744,
    to_address: null,
    from_address: evm.toLowerCase(),
    chain_id: 'C',
    tx_hash: 'h',
    tx_type: 'send',
    amount_text: '1.5',
  });
  expect(rowOf(['height'], [`${'9'.repeat(19)}`])?.['block_number']).toBeNull();
});
