import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { catalogue } from '../pipelines/index.ts';
import { configJsonSchema } from '../src/cli/configJsonSchema.ts';
import { exampleOf, streamReference } from '../src/cli/streamReference.ts';
import { tablesOf } from '../src/core/stream.ts';
import { eachMetric } from '../src/transform/eachMetric.ts';
import { metricsOf } from '../src/transform/metricsOf.ts';
import { readModels } from '../src/transform/readModels.ts';
import { some } from './some.ts';

const docs = resolve(import.meta.dirname, '..', 'docs');

// `npx vitest run test/docs.test.ts -u` writes the pages again.
test('the reference of the streams is that of the catalogue', async () => {
  await expect(streamReference(catalogue)).toMatchFileSnapshot(join(docs, 'streams.md'));
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

/** The sections of the data dictionary, by table. */
async function dictionarySections(): Promise<Map<string, string>> {
  const dictionary = await readFile(join(docs, 'data-dictionary.md'), 'utf8');
  return new Map(
    dictionary.split(/\n(?=#+ )/).map((section) => [/^#+ `?([\w.]+)`?/.exec(section)?.[1] ?? '', section]),
  );
}

/** Cells of the lines that describe columns: name, type, unit, description, example. */
const columnCells = (section: string) =>
  section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.slice(2, -2).split(/ ?(?<!\\)\| ?/));

test('the data dictionary knows every table and column that a stream fills', async () => {
  const sections = await dictionarySections();
  const missing = tablesOf(catalogue).flatMap((table) => {
    const section = sections.get(table.name) ?? '';
    return table.columns
      .filter(({ name }) => !section.includes(`\`${name}\``))
      .map(({ name }) => `${table.name}.${name}`);
  });
  expect(missing).toEqual([]);
});

test('the data dictionary knows every model, with its description and those of its columns', async () => {
  const sections = await dictionarySections();
  const models = await readModels();
  const metrics = metricsOf(models);
  const written = models.map((model) => eachMetric(model, metrics));
  const missing = written.flatMap(({ name, columns }) => {
    const described = new Map(columnCells(sections.get(name) ?? '').map(([column, , , text]) => [column, text]));
    if (described.size === 0) return [name];
    return Object.keys(columns).flatMap((column) => (described.get(`\`${column}\``) ? [] : [`${name}.${column}`]));
  });
  expect(missing).toEqual([]);
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
