import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { actions, catalogue } from '../pipelines/index.ts';
import { configJsonSchema } from '../src/cli/config/configJsonSchema.ts';
import { exampleOf, streamReference } from '../src/cli/tasks/streamReference.ts';
import { icebergCatalogSql } from '../src/cluster/local/trinoFiles.ts';
import { tablesOf } from '../src/core/stream/stream.ts';
import { dataDictionary } from '../src/dictionary/dataDictionary.ts';
import { declaredTables } from '../src/dictionary/declaredTables.ts';
import { readDictionary } from '../src/dictionary/readDictionary.ts';
import { layoutsOf } from '../src/run/layoutsOf.ts';
import { readModels } from '../src/transform/models/readModels.ts';
import { some } from './some.ts';

const docs = resolve(import.meta.dirname, '..', 'docs');

// `npx vitest run test/docs.test.ts -u` writes the pages again.
test('the reference of the streams is that of the catalogue', async () => {
  await expect(streamReference(catalogue)).toMatchFileSnapshot(join(docs, 'streams.md'));
});

test('the tables that a catalog in PostgreSQL needs are those that firn cluster up makes', async () => {
  expect(await readFile(join(docs, 'cluster.md'), 'utf8')).toContain(icebergCatalogSql);
});

test('the JSON Schema for editors is that of the configuration', async () => {
  await expect(`${JSON.stringify(configJsonSchema(catalogue), null, 2)}\n`).toMatchFileSnapshot(
    join(docs, 'firn.schema.json'),
  );
});

test.each(catalogue.map((stream) => [stream.id, stream] as const))(
  'the example of %s is a configuration that it takes',
  (_, stream) => {
    expect(stream.parameters.safeParse(exampleOf(stream)).error?.issues).toBeUndefined();
  },
);

// The dictionary is written from the demo's warehouse: `npm start`, then
// `node dist/cli/main.js --config warehouse/demo/firn.yaml dictionary --out docs/data-dictionary.md`.

test('each table that keeps versions of its rows says so', () => {
  const kept = tablesOf(catalogue).filter(({ columns }) => columns.some(({ name }) => name === '_valid_to'));
  const silent = some(kept).filter(({ description }) => !/history|one version per change/.test(description));
  expect(silent.map(({ name }) => name)).toEqual([]);
});

/** The sections of the data dictionary, by table. */
async function dictionarySections(): Promise<Map<string, string>> {
  return sectionsOf(await readFile(join(docs, 'data-dictionary.md'), 'utf8'));
}

const sectionsOf = (dictionary: string): Map<string, string> =>
  new Map(dictionary.split(/\n(?=#+ )/).map((section) => [/^#+ `?([\w.]+)`?/.exec(section)?.[1] ?? '', section]));

/** Cells of the lines that describe columns: name, type, unit, description, example. */
const columnCells = (section: string) =>
  section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.slice(2, -2).split(/ ?(?<!\\)\| ?/));

/** A table's text, and what is said of each of its columns but for the examples, which are those of the demo. */
const said = (section: string) => [section.split('\n')[2], ...columnCells(section).map((cells) => cells.slice(0, 4))];

test('the data dictionary has every table and column of a warehouse, with type, unit and text', {
  tags: 'long',
}, async () => {
  const declared = [...catalogue, ...actions];
  const models = await readModels();
  const tables = await readDictionary({
    declared: await declaredTables(tablesOf(declared), models),
    reader: { query: async () => [] },
    layouts: layoutsOf(declared, models),
  });
  const written = await dictionarySections();
  const own = sectionsOf(dataDictionary(tables));
  for (const [name, section] of own) expect(said(written.get(name) ?? ''), name).toEqual(said(section));
  expect([...written.keys()].filter((name) => !own.has(name))).toEqual([]);
});

test('the marts that analysts begin with say everything of themselves: text, types, units, an example', async () => {
  const sections = await dictionarySections();
  const facts = ['block', 'transaction', 'log', 'token_transfer', 'internal_transaction', 'contract_creation'];
  const primary = ['primary_transaction', 'utxo', 'staking', 'validator_day'];
  const names = ['dim_chain', 'dim_address', 'dim_token', ...[...facts, ...primary].map((name) => `fct_${name}`)];
  for (const name of [...names, 'metric', 'metric_daily', 'reconciliation']) {
    const section = sections.get(`mart.${name}`) ?? '';
    expect(section.split('\n')[2], name).toMatch(/^[A-Z].*\.$/);
    const cells = columnCells(section);
    for (const [column, type, , text] of some(cells))
      expect([type !== '', text !== ''], `${name}.${column}`).toEqual([true, true]);
    expect(cells.filter(([, , unit]) => unit !== '').length, name).toBeGreaterThan(0);
    const examples = cells.filter(([, , , , example]) => example !== '').length;
    expect(examples, name).toBeGreaterThan(cells.length / 2);
  }
});
