import { expect, test } from 'vitest';
import { exportRowRecord, exportRows } from '../../../pipelines/data-api/exportRows.ts';
import { RawValue } from '../../../src/core/json/rawValue.ts';
import { parsed } from '../../core/parse/parsed.ts';
import { network } from '../../transform/loadLedger.ts';

const place = { rowNumber: 1, rowHash: '00', occurrence: 0 };

test('a row has a cell for every column, whatever it is called and however often', () => {
  const record = exportRowRecord(['a', '__proto__', 'a', 'constructor'], ['1', '2', '3', '4'], place);
  const partition = { values: { export_id: 'e', operation_id: 'o' } };
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
