import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { catalogue } from '../pipelines/index.ts';
import { readConfig } from '../src/cli/config/config.ts';
import { planStreams } from '../src/run/planStreams.ts';
import { parseAudit } from '../src/transform/audits/parseAudit.ts';
import { parseModel } from '../src/transform/models/parseModel.ts';
import { blocksOf, readPages } from './pages.ts';
import { some } from './some.ts';
import { recordedFolder } from './sql/recordedWarehouse.ts';
import { temporary } from './temporaryFolders.ts';

const docs = resolve(import.meta.dirname, '..', 'docs');
// CONTRIBUTING has a test of its own, which does what it says.
const pages = (await readPages()).filter(({ file }) => file !== 'CONTRIBUTING.md');
const blocks = pages.flatMap(blocksOf);
const ofKind = (kind: string) => some(blocks.filter((block) => block.kind === kind));

/** Sources of every kind, for blocks that only name streams. */
const sources = {
  node: { url: 'http://127.0.0.1:9650' },
  data: { url: 'http://d', network: 'fuji' },
  metrics: { url: 'http://m' },
};

test.each(ofKind('yaml').map((block) => [block.place, block.text] as const))(
  'the configuration of %s is one that firn takes',
  async (_, text) => {
    const folder = await temporary();
    await writeFile(join(folder, 'wallets.csv'), `address\n0x${'a'.repeat(40)}\n`);
    for (const [, name = ''] of text.matchAll(/\$\{env:(\w+)\}/g)) vi.stubEnv(name, 'given');
    onTestFinished(() => void vi.unstubAllEnvs());
    const given = parse(text) as Record<string, object>;
    const isStreams = Object.keys(given).every((name) => name.includes('/'));
    const whole = isStreams ? { pipelines: { main: { streams: given } } } : given;
    const streams = { 'data/chains': {} };
    const config = join(folder, 'firn.yaml');
    await writeFile(config, stringify({ sources, pipelines: { main: { streams } }, ...whole }));
    const settings = readConfig({ config });
    const named = Object.values(settings.pipelines).flatMap((pipeline) => Object.keys(pipeline.streams));
    expect(
      planStreams(settings, catalogue)
        .map(({ stream }) => stream.id)
        .sort(),
    ).toEqual(named.sort());
  },
);

test.each(
  ofKind('sql')
    .filter(({ text }) => text.startsWith('/*'))
    .map((block) => [block.place, block.text] as const),
)('the header of %s is one that firn reads', (place, text) => {
  const parsed = text.includes('claim:') ? parseAudit(place, text) : parseModel('mart.metric_own', place, text);
  expect(parsed.description).toMatch(/\.$/);
});

test('every query of the pages runs on what is published', async () => {
  const changelog = await readFile(join(docs, '..', 'CHANGELOG.md'), 'utf8');
  const places = [
    // In a sentence, behind the prompt of DuckDB's shell, as an argument in quotes, a block of its own.
    /`(SELECT [^`]+ FROM [^`]+)`/g,
    /^D (.*);$/gm,
    /"(SELECT [^\n]* FROM [^\n]*)"\)?(?:\.pl\(\))?$/gm,
    /```sql\n +(SELECT [^`]*?)```/g,
  ];
  const queries = [...pages.map(({ text }) => text), changelog].flatMap((text) =>
    places.flatMap((place) => [...text.matchAll(place)].map(([, sql = '']) => sql)),
  );
  expect(queries.length).toBeGreaterThan(7);
  const instance = await DuckDBInstance.create(join(await recordedFolder(), 'analytics.duckdb'), {
    access_mode: 'READ_ONLY',
  });
  const reader = await instance.connect();
  onTestFinished(() => {
    reader.closeSync();
    instance.closeSync();
  });
  for (const sql of queries) await expect(reader.run(sql), sql).resolves.toBeDefined();
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
}

/** The schemas of a member, of which there may be several where a document has several forms. */
function membersOf(schema: Schema, name: string): Schema[] {
  const { properties = {}, additionalProperties: others, anyOf = [], items } = schema;
  const own = properties[name] ?? (typeof others === 'object' ? others : undefined);
  return [
    ...(own ? [own] : []),
    ...(items ? membersOf(items, name) : []),
    ...anyOf.flatMap((one) => membersOf(one, name)),
  ];
}

/** Whether one of the documents has what a path leads to, such as `partitions[].outcome`. */
const leads = (schemas: readonly Schema[], path: string) =>
  path.split('.').reduce((at, part) => at.flatMap((one) => membersOf(one, part.replace('[]', ''))), schemas).length > 0;

test('every member that the page of JSON names is in a document of its command', async () => {
  const { text } = some(pages.filter(({ file }) => file === 'docs/json.md'))[0] ?? { text: '' };
  const schemaAt = async (file: string) => JSON.parse(await readFile(join(docs, file), 'utf8')) as Schema;
  const rows = [...text.matchAll(/^\| `[^|]*\|([^|]*)\|([^|]*)\|$/gm)];
  for (const [, links = '', members = ''] of some(rows)) {
    const schemas = await Promise.all(
      [...links.matchAll(/\((json\/[\w-]+\.json)\)/g)].map(([, file = '']) => schemaAt(file)),
    );
    // `.key` is a member of what the last whole path is one of.
    let parent = '';
    const paths = [...members.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    // What begins with a dash is the option with which a document has the members behind it.
    for (const path of some(paths.filter((one) => !one.startsWith('-')))) {
      const whole = path.startsWith('.') ? `${parent}${path}` : path;
      expect(leads(schemas, whole), `${links}: ${whole}`).toBe(true);
      if (path === whole) parent = path.slice(0, path.lastIndexOf('.'));
    }
  }
  const scripts = [...text.matchAll(/^firn --json (\w+) \| jq (?:-r )?'(.*)'$/gm)];
  for (const [, command, program = ''] of some(scripts)) {
    const schema = await schemaAt(`json/${command}.json`);
    for (const [, path = ''] of some(program.matchAll(/(?<=[\s'[(]|^)\.([a-z][\w.[\]]*?\w)(?=[\]\s,})]|\[\]|$)/gi)))
      expect(leads([schema], path), `${command}: ${path}`).toBe(true);
  }
});
