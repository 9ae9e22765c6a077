import { join } from 'node:path';
import { asyncBufferFromFile, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { expect, test } from 'vitest';
import type { Warehouse } from '../../src/load/state/warehouse.ts';
import { type ManifestFile, type ManifestTable, readCurrent } from '../../src/publish/manifest.ts';
import { publish } from '../../src/publish/publish.ts';
import { some } from '../some.ts';
import { cut, sampleWarehouse } from './sampleWarehouse.ts';

// A second engine, which shares no code with DuckDB, reads every published file back: the rows must be those of the state
// database, value by value.

type Cell = string | null;

/** The rows of a file with every value as exact text. */
async function readFile(folder: string, file: ManifestFile): Promise<Record<string, Cell>[]> {
  const buffer = await asyncBufferFromFile(join(folder, 'lake', file.path));
  const metadata = await parquetMetadataAsync(buffer);
  const scales = bareDecimals(metadata);
  const rows = await parquetReadObjects({
    file: buffer,
    metadata,
    compressors,
    utf8: false,
    parsers: { timestampFromMicroseconds: (micros: bigint) => micros, dateFromDays: (days: number) => days },
  });
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(value, scales.get(name))])),
  );
}

/** hyparquet, like many tools, turns decimals into doubles: without their label the exact bytes come through. */
function bareDecimals(metadata: FileMetaData): Map<string, number> {
  const scales = new Map<string, number>();
  let column = '';
  for (const element of metadata.schema) {
    // The items of a list are named `element`, below a group `list`.
    if (element.name !== 'list' && element.name !== 'element') column = element.name;
    if (element.converted_type !== 'DECIMAL') continue;
    scales.set(column, element.scale ?? 0);
    delete element.converted_type;
    delete element.logical_type;
  }
  return scales;
}

function textOf(value: unknown, scale: number | undefined): Cell {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) {
    const hex = Buffer.from(value).toString('hex').toUpperCase();
    return scale === undefined ? hex : decimalText(BigInt.asIntN(value.length * 8, BigInt(`0x${hex}`)), scale);
  }
  if (Array.isArray(value)) return JSON.stringify(value.map((item) => textOf(item, scale)));
  return scale !== undefined ? decimalText(BigInt(value as bigint), scale) : String(value);
}

function decimalText(digits: bigint, scale: number): string {
  if (scale === 0) return String(digits);
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  return `${digits < 0n ? '-' : ''}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

/** The same texts, from the state database. */
async function expectedRows(warehouse: Warehouse, table: ManifestTable): Promise<Record<string, Cell>[]> {
  const columns = table.columns.map(({ name, type }) => {
    if (type === 'BLOB') return `hex("${name}") AS "${name}"`;
    if (type === 'DATE') return `CAST("${name}" - DATE '1970-01-01' AS VARCHAR) AS "${name}"`;
    if (type === 'TIMESTAMP') return `CAST(epoch_us("${name}") AS VARCHAR) AS "${name}"`;
    if (type.endsWith('[]')) return `CAST(to_json(CAST("${name}" AS VARCHAR[])) AS VARCHAR) AS "${name}"`;
    return `CAST("${name}" AS VARCHAR) AS "${name}"`;
  });
  const rows = await warehouse.query<Record<string, Cell>>(
    `SELECT ${columns.join(', ')} FROM ${table.schema}.${table.name}`,
  );
  const doubles = table.columns.filter(({ type }) => type === 'DOUBLE').map(({ name }) => name);
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(doubles.map((name) => [name, String(Number(row[name]))])),
  }));
}

const inOrder = (rows: readonly Record<string, Cell>[], names: readonly string[]) =>
  rows.map((row) => JSON.stringify(names.map((name) => row[name] ?? null))).sort();

test('another engine reads the same rows from the files', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  await warehouse.run(`
    CREATE TYPE main.colour AS ENUM ('red', 'white');
    CREATE TABLE mart.odd_types AS SELECT
      170141183460469231731687303715884105727::HUGEINT // 10 - i AS huge, i::UTINYINT AS tiny, 4294967295::UINTEGER AS wide,
      'white'::main.colour AS colour, (i * -1.000000000000000001)::DECIMAL(38,18) AS coins, i > 4 AS flag,
      (i - 3)::DECIMAL(9,2) / 4 > 0 AS other, (i - 3.25)::DECIMAL(9,2) AS cents, (i - 3.5)::DECIMAL(18,9) AS parts,
      [i::UBIGINT, 18446744073709551615] AS numbers, DATE '1969-07-20' + i::INTEGER AS landed, i::SMALLINT AS small
    FROM range(10) AS r(i)`);
  await publish(warehouse, { ...cut, runId: 'r1' });
  const manifest = await readCurrent(warehouse.folder);
  const tables = manifest?.tables.filter(({ files }) => files.length > 0) ?? [];
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['node_evm_blocks', 'odd_types']));
  for (const table of some(tables)) {
    const rows = (await Promise.all(table.files.map((file) => readFile(warehouse.folder, file)))).flat();
    const names = table.columns.map(({ name }) => name);
    expect(inOrder(rows, names), table.name).toEqual(inOrder(await expectedRows(warehouse, table), names));
  }
});

test('amounts of more than 28 digits stand beside as text, in full', { tags: 'long' }, async () => {
  const warehouse = await sampleWarehouse();
  await publish(warehouse, { ...cut, runId: 'r1' });
  const table = (await readCurrent(warehouse.folder))?.tables.find(({ name }) => name === 'node_evm_blocks');
  const rows = (await Promise.all(table?.files.map((file) => readFile(warehouse.folder, file)) ?? [])).flat();
  const seen = new Map(rows.map((row) => [row['value_text'] ?? row['value'], row['value_exact']]));
  const nines = '9'.repeat(38);
  expect(seen.get(nines)).toBe(nines);
  expect(seen.get(`-${nines}`)).toBe(`-${nines}`);
  expect(seen.get('0')).toBe(null);
  expect(seen.get('4')).toBe(null);
  const wide = String(2n ** 256n - 1n);
  expect(seen.get(wide)).toBe(wide);
});
