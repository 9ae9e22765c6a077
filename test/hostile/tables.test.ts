import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { transactionExports as service } from '../../pipelines/data-api/operations.ts';
import { csvBounds } from '../../src/core/json/bounds.ts';
import { tablesOf } from '../../src/core/stream/stream.ts';
import { loadReferences } from '../../src/references/loadReferences.ts';
import type { ExportContext } from '../../src/run/exports/exportContext.ts';
import { loadExportRows } from '../../src/run/exports/loadExportRows.ts';
import { temporaryWarehouse } from '../load/temporaryWarehouse.ts';
import { temporary } from '../temporaryFolders.ts';
import { columns, hostileFiles, values } from './hostileFiles.ts';

const most = csvBounds.columns;

test.each<[name: string, said: RegExp]>([
  ['a CSV with 20,001 columns', /^Row 1 of the CSV has more than 1600 columns/],
  ['a CSV with a row longer than its header', /^Row 2 of the CSV has more than 1600 columns/],
  ['a CSV with a row of ten million commas', /^Row 3 of the CSV has more than 1600 columns/],
  ['a CSV with a cell that never ends', /^Row 2 of the CSV is longer than 1048576 characters/],
  ['a CSV with a quote that is not closed', /^Row 2 of the CSV is longer than .* not closed/],
])('an export that is %s is refused with a sentence', async (name, said) => {
  const warehouse = await temporaryWarehouse(tablesOf([service.operations, service.rows]));
  const context = { service, network: {}, runId: 'run', signal: new AbortController().signal } as unknown;
  const file = join(await temporary(), 'export.csv');
  await writeFile(file, hostileFiles[name]?.bytes() ?? '');
  const options = { exportId: 'export', operationId: 'one', file, sha256: '', maxBytes: 1e9 };
  const loading = loadExportRows(context as ExportContext, warehouse, options);
  await expect(loading).rejects.toMatchObject({ code: 'contract', message: expect.stringMatching(said) });
});

test('files in refs/ that are no tables are refused before DuckDB sees them, and as wide ones as are taken are loaded', async () => {
  const warehouse = await temporaryWarehouse([]);
  const files: Readonly<Record<string, string>> = {
    'long_header.csv': `${columns(30_000)}\n1\n`,
    'long_line.csv': `a,b\n1,2\n1,${'x'.repeat(1.2e6)}\n`,
    'no_header.csv': 'x'.repeat(1e6),
    'one_more.csv': `${columns(most + 1)}\n${values(most + 1)}\n`,
    'wide.csv': `${columns(300)}\n${`${values(300)}\n`.repeat(100)}`,
  };
  await mkdir(join(warehouse.folder, 'refs'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(warehouse.folder, 'refs', name), content);
  const before = process.memoryUsage.rss();
  const problems = await loadReferences(warehouse);
  // It took 4 GB in one statement.
  expect(process.memoryUsage.rss() - before).toBeLessThan(512 * 2 ** 20);
  expect(problems.map(({ message }) => message)).toEqual([
    'refs/long_header.csv was not loaded: its first line is longer than 65536 bytes, and should name the columns.',
    'refs/long_line.csv was not loaded: it has a line of more than 1048576 bytes, so a quote may not be closed.',
    'refs/no_header.csv was not loaded: its first line is longer than 65536 bytes, and should name the columns.',
    'refs/one_more.csv was not loaded: Row 1 of the CSV has more than 1600 columns. That is no row of a table: a quote is not closed, or this is not the file that was asked for.',
  ]);
  const [wide] = await warehouse.query('SELECT count(*) AS n, sum(c299) AS sum FROM refs.wide');
  expect(wide).toEqual({ n: 100n, sum: '29950.00' });
});
