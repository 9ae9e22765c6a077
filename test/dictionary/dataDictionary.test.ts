import { expect, onTestFinished, test } from 'vitest';
import { nameOf } from '../../src/core/text/sqlText.ts';
import { dataDictionary, splitUnit } from '../../src/dictionary/dataDictionary.ts';
import { readDictionary } from '../../src/dictionary/readDictionary.ts';
import { publishedTables } from '../../src/publish/files/publishedTables.ts';
import { publish } from '../../src/publish/publish.ts';
import { openReader } from '../../src/publish/reader/openReader.ts';
import { layouts, sampleWarehouse } from '../publish/sampleWarehouse.ts';

test('a table becomes a section with a row for each column', () => {
  const text = dataDictionary([
    {
      schema: 'raw',
      name: 'blocks',
      kind: 'table',
      comment: 'Blocks.',
      inFiles: true,
      sortedBy: ['chain_id', 'number'],
      columns: [
        { name: 'gas', type: 'BIGINT', parquetType: 'BIGINT', comment: 'Gas used. [gas]', example: '21000' },
        { name: 'weight', type: 'UBIGINT', parquetType: 'DECIMAL(20,0)', comment: 'a | b\nc', example: 'x|`\ny' },
        { name: 'note', type: 'VARCHAR', parquetType: 'VARCHAR', comment: null, example: null },
        { name: 'raw', type: 'BLOB', parquetType: 'BLOB', comment: null, example: '00'.repeat(100) },
      ],
    },
    { schema: 'mart', name: 'v', kind: 'view', comment: null, inFiles: false, sortedBy: [], columns: [] },
  ]);
  expect(text).toContain('## raw\n\nWhat the sources said');
  expect(text).toContain(
    '### raw.blocks\n\nBlocks. Files in order of `chain_id`, `number`.\n\n| column | type | unit |',
  );
  expect(text).toContain('| `gas` | BIGINT | gas | Gas used. | `21000` |');
  expect(text).toContain('| `weight` | UBIGINT → DECIMAL(20,0) |  | a \\| b c | `x\\|  y` |');
  expect(text).toContain('| `note` | VARCHAR |  |  |  |');
  expect(text).toContain(`| \`${'00'.repeat(23)}0…\` |`);
  expect(text).toContain('### mart.v\n\nA view.');
  expect(text).not.toContain('## staging');
});

test.each([
  ['Gas used. [gas]', { text: 'Gas used.', unit: 'gas' }],
  ['Start of the bucket [UTC].', { text: 'Start of the bucket', unit: 'UTC' }],
  ['A list [a, b] of things.', { text: 'A list [a, b] of things.', unit: '' }],
  ['', { text: '', unit: '' }],
])('%s', (comment, expected) => {
  expect(splitUnit(comment)).toEqual(expected);
});

test('the dictionary of a warehouse names every table with types and published examples', {
  tags: 'long',
}, async () => {
  const warehouse = await sampleWarehouse();
  const declared = await publishedTables(warehouse);
  await publish(warehouse, { layouts, runId: 'r1' });
  const reader = await openReader(warehouse.folder);
  onTestFinished(() => reader.close());
  const tables = await readDictionary({ declared, reader, layouts });
  expect(tables.map(nameOf)).toEqual(declared.map(nameOf));
  const blocks = tables.find(({ name }) => name === 'node_evm_blocks');
  expect(blocks).toMatchObject({ schema: 'raw', kind: 'table', inFiles: true, sortedBy: ['chain_id', 'number'] });
  const column = (name: string) => blocks?.columns.find((candidate) => candidate.name === name);
  expect(column('nonce')).toMatchObject({ type: 'UBIGINT', parquetType: 'DECIMAL(20,0)', example: '1' });
  expect(column('raw')).toMatchObject({ example: '00FF80616263' });
  expect(column('_extra')).toMatchObject({ example: null });
  expect(tables.find(({ name }) => name === 'evm_block')).toMatchObject({ kind: 'view', inFiles: false, sortedBy: [] });
  expect(dataDictionary(tables)).toContain('| `gas_used` | BIGINT | gas | Gas used by the block. | `21000` |');
  // What is published and no longer declared, or from a CSV file, is told by what readers see of it.
  const [shown] = (await readDictionary({ declared: [], reader, layouts })).filter(
    ({ name }) => name === 'node_evm_blocks',
  );
  expect(shown).toMatchObject({ kind: 'table', inFiles: true, comment: blocks?.comment });
  expect(shown?.columns.find(({ name }) => name === 'gas_used')).toEqual(column('gas_used'));
});
