import { expect, test } from 'vitest';
import { exportRowRecord, exportRows } from '../../../pipelines/data-api/exportRows.ts';
import { RawValue } from '../../../src/core/json/rawValue.ts';
import { parsed } from '../../core/parse/parsed.ts';
import { network } from '../../transform/loadLedger.ts';

test('a row has a cell for every column, whatever it is called and however often', () => {
  const place = { rowNumber: 1, rowHash: '00', occurrence: 0 };
  const record = exportRowRecord(['a', '__proto__', 'a', 'constructor'], ['1', '2', '3', '4'], place);
  const partition = { values: { export_id: 'e', operation_id: 'o' } };
  const { rows } = parsed(exportRows, partition, network, [RawValue.from(record)]);
  expect(rows[0]?.['cells']).toBe('{"a":"1","__proto__":"2","a (2)":"3","constructor":"4"}');
});
