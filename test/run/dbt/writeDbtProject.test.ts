/** @module-tag long */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { catalogue } from '../../../pipelines/index.ts';
import { tablesOf } from '../../../src/core/stream/stream.ts';
import { publish } from '../../../src/publish/publish.ts';
import { openReader } from '../../../src/publish/reader/openReader.ts';
import { writeDbtProject } from '../../../src/run/dbt/writeDbtProject.ts';
import { readAudits } from '../../../src/transform/audits/readAudits.ts';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { temporary } from '../../temporaryFolders.ts';

// `npm run test:dbt` builds such a project with dbt.

interface Source {
  readonly name: string;
  readonly database: string;
  readonly tables: readonly {
    readonly name: string;
    readonly description?: string;
    readonly columns: readonly object[];
  }[];
}

/** What a warehouse with all tables, and nothing in them, published. */
async function published() {
  const warehouse = await temporaryWarehouse(tablesOf(catalogue));
  await buildModels(warehouse);
  const { readerDatabase } = await publish(warehouse, { runId: 'r' });
  const reader = await openReader(warehouse.folder);
  onTestFinished(() => reader.close());
  return { reader, readerDatabase };
}

test('a source for every table, a test that runs for every audit, an exposure for every notebook; what is yours stays', async () => {
  const { reader, readerDatabase } = await published();
  const folder = await temporary();
  const audits = await readAudits();
  const write = () => writeDbtProject(folder, { reader, database: readerDatabase, audits });
  const text = (path: string) => readFile(join(folder, path), 'utf8');
  expect(await write()).toEqual({
    folder,
    sources: expect.any(Number),
    tests: audits.length,
    exposures: 10,
    leftOut: [],
    kept: [],
  });

  const { sources } = parse(await text('models/firn/mart.yml')) as { sources: Source[] };
  expect(sources[0]).toMatchObject({ name: 'mart', database: 'analytics' });
  const metric = sources[0]?.tables.find(({ name }) => name === 'metric');
  expect(metric?.description).toMatch(/metric/);
  expect(metric?.columns).toContainEqual({ name: 'chain_id', data_type: 'VARCHAR', description: expect.any(String) });

  // What dbt makes of a test: its sources become the tables of the attached database.
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  onTestFinished(() => {
    connection.closeSync();
    instance.closeSync();
  });
  await connection.run(`ATTACH '${readerDatabase}' AS analytics (READ_ONLY)`);
  for (const { name, severity } of audits) {
    const written = await text(`tests/firn/${name}.sql`);
    expect(written).toContain(`severity='${severity === 'blocks' ? 'error' : 'warn'}'`);
    const sql = written
      .replace(/\{\{ config.*\}\}/, '')
      .replaceAll(/\{\{ source\('(\w+)', '(\w+)'\) \}\}/g, 'analytics."$1"."$2"');
    expect((await connection.runAndReadAll(sql)).getRowsJson(), name).toEqual([]);
  }

  const { exposures } = parse(await text('models/firn/exposures.yml')) as {
    exposures: { name: string; depends_on: string[] }[];
  };
  expect(exposures.find(({ name }) => name === 'notebook_04_staking')?.depends_on).toContain(
    "source('mart', 'fct_staking')",
  );
  for (const { name, depends_on } of exposures) expect(depends_on.length, name).toBeGreaterThan(0);
  const profile = parse(await text('profiles.yml')) as { firn: { outputs: { dev: { attach: object[] } } } };
  expect(profile.firn.outputs.dev.attach).toEqual([
    { path: `{{ env_var('FIRN_DATABASE', '${readerDatabase}') }}`, alias: 'analytics', read_only: true },
  ]);

  await writeFile(join(folder, 'models/trusted_metric.sql'), 'SELECT 1');
  await writeFile(join(folder, 'tests/firn/mine.sql'), 'SELECT 2');
  await writeFile(join(folder, 'tests/firn/assert_gone.sql'), await text('tests/firn/assert_utxos_unique.sql'));
  await writeFile(join(folder, 'tests/firn/assert_blocks_unique.sql'), 'SELECT 3');
  expect((await write()).kept).toEqual(
    expect.arrayContaining(['models/trusted_metric.sql', 'tests/firn/assert_blocks_unique.sql']),
  );
  expect(await text('tests/firn/assert_blocks_unique.sql')).toBe('SELECT 3');
  expect(await text('models/trusted_metric.sql')).toBe('SELECT 1');
  const tests = await readdir(join(folder, 'tests/firn'));
  expect([tests.includes('mine.sql'), tests.includes('assert_gone.sql'), tests.length]).toEqual([
    true,
    false,
    audits.length + 1,
  ]);
});

test('a copy of a notebook takes the place of the one it was made of; its cells may be text, and what is no notebook is named', async () => {
  const { reader, readerDatabase } = await published();
  const [folder, notebooks] = [await temporary(), await temporary()];
  const write = () => writeDbtProject(folder, { reader, database: readerDatabase, audits: [], notebooks });
  const python = `db.sql("FROM mart.fct_block").df()\ndb.execute(\n'''SELECT 1 FROM mart.fct_log'''\n)\ndb.sql(text)`;
  const cells = ['# My staking', '%%sql\nFROM mart.metric', python].map((source) => ({ cell_type: 'code', source }));
  await writeFile(join(notebooks, '04-staking.ipynb'), JSON.stringify({ cells }));
  expect(await write()).toMatchObject({ exposures: 10 });
  const { exposures } = parse(await readFile(join(folder, 'models/firn/exposures.yml'), 'utf8')) as {
    exposures: { name: string }[];
  };
  expect(exposures.filter(({ name }) => name === 'notebook_04_staking')).toMatchObject([
    { label: 'My staking', depends_on: ['fct_block', 'fct_log', 'metric'].map((name) => `source('mart', '${name}')`) },
  ]);
  await writeFile(join(notebooks, 'new.ipynb'), '');
  await expect(write()).rejects.toThrow(/new\.ipynb is no notebook/);
});
