import { expect, test } from 'vitest';
import { temporaryWarehouse } from './temporaryWarehouse.ts';

const columns =
  'target_exponent, min_price_exponent, settled_height, settled_gas_unix, settled_gas_numerator, settled_excess';

test('members of headers that an earlier version kept as RLP stand in their columns after the upgrade', async () => {
  const before = await temporaryWarehouse([]);
  await before.run(`
    CREATE TABLE raw.node_containers_c_blocks AS SELECT * FROM (VALUES
      (1, []), (2, ['0x05', '0x80', '0x8201f4', '0x846a6896f0', '0x7f', '0x8180']),
      (3, ['0x00', '0x01', '0x887fffffffffffffff', '0x80', '0x80', '0x80', '0x07', '0xa0'])
    ) AS decoded ("number", unknown_header_fields);
    DELETE FROM main.firn_schema_version WHERE "version" >= 151`);
  before.close();
  const warehouse = await temporaryWarehouse([], before.folder);
  expect(
    await warehouse.query(
      `SELECT [${columns}] AS members, unknown_header_fields AS unknown FROM raw.node_containers_c_blocks ORDER BY "number"`,
    ),
  ).toEqual([
    { members: '[NULL, NULL, NULL, NULL, NULL, NULL]', unknown: '[]' },
    { members: '[5, 0, 500, 1785239280, 127, 128]', unknown: '[]' },
    { members: '[0, 1, 9223372036854775807, 0, 0, 0]', unknown: "['0x07', '0xa0']" },
  ]);
});
