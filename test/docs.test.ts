import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { catalogue } from '../pipelines/index.ts';
import { configJsonSchema } from '../src/cli/configJsonSchema.ts';
import { exampleOf, streamReference } from '../src/cli/streamReference.ts';
import { tablesOf } from '../src/run/tablesOf.ts';

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

test('the data dictionary knows every table and column that a stream fills', async () => {
  const dictionary = await readFile(join(docs, 'data-dictionary.md'), 'utf8');
  const sections = new Map(
    dictionary.split(/\n(?=#+ )/).map((section) => [/^#+ `?([\w.]+)`?/.exec(section)?.[1] ?? '', section]),
  );
  const missing = tablesOf(catalogue).flatMap((table) => {
    const section = sections.get(table.name) ?? '';
    return table.columns
      .filter(({ name }) => !section.includes(`\`${name}\``))
      .map(({ name }) => `${table.name}.${name}`);
  });
  expect(missing).toEqual([]);
});
