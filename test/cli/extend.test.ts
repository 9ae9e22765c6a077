import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Devnet, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readConfigured } from '../../src/cli/config/configured.ts';
import { makeReport } from '../../src/cli/tasks/writeReport.ts';
import { mainFile } from '../../src/load/packageFiles.ts';
import { openReader } from '../../src/publish/reader/openReader.ts';
import { json, localServer } from '../extract/localServer.ts';
import { placeState } from '../placeState.ts';
import { temporary } from '../temporaryFolders.ts';
import { project, runHere } from './cliHarness.ts';
import { runFirn } from './firnProcess.ts';

let net: Devnet;
/** A folder with a configuration that reads the node, and the example beside it. */
let example: string;
beforeAll(async () => {
  net = await startDevnet({ head: '3%' });
  example = await temporary();
  const config = join(example, 'firn.yaml');
  await writeFile(
    config,
    `# mine\nsources:\n  node: { url: "${net.url}" }\npipelines:\n  main: { streams: { node/platform_supply: {} } } # short\n`,
  );
  await placeState(join(example, 'warehouse'), undefined, { isBuilt: true });
  expect(await runHere(['--config', config, 'init', '--extend'])).toMatchObject({ code: 0, err: '' });
});
afterAll(() => net.close());

/** A copy of it. */
async function extended() {
  const folder = await temporary();
  const config = join(folder, 'firn.yaml');
  await cp(example, folder, { recursive: true });
  const firn = (...args: string[]) => runHere(['--config', config, ...args]);
  const write = async (name: string, text: string) => {
    const file = join(folder, 'my', name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  };
  return { folder, config, firn, write };
}

/** The metric of docs/extend.md, as it stands there. */
const [, ownMetric = ''] =
  /## A metric[\s\S]*?```sql\n([\s\S]*?)```/.exec(
    await readFile(join(import.meta.dirname, '..', '..', 'docs', 'extend.md'), 'utf8'),
  ) ?? [];

test('the example of firn init --extend is read, built, checked, published and described like all else', {
  tags: 'long',
}, async () => {
  const { folder, config, firn, write } = await extended();
  expect(await readFile(config, 'utf8')).toBe(
    `# mine\nextend: ./my\nsources:\n  info: { url: "${net.url}" }\n  node: { url: "${net.url}" }\npipelines:\n  main: { streams: { info/node_versions: {}, node/platform_supply: {} } } # short\n`,
  );
  const { json: plan } = await firn('--json', 'plan');
  expect(plan.partitions.map(({ stream }: { stream: string }) => stream).sort()).toEqual([
    'info/node_versions',
    'node/platform_supply',
  ]);
  // Before anything is read, what own streams fill is there already.
  expect((await firn('dictionary')).out).toContain('raw.info_node_versions');
  await write('models/mart/metric_ownBlocks.sql', ownMetric);
  const { json: report, code, err } = await firn('--json', 'run');
  expect([code, err]).toEqual([0, '']);
  expect(report.partitions).toContainEqual(expect.objectContaining({ stream: 'info/node_versions', rows: 1 }));
  expect(report.models).toContainEqual(expect.objectContaining({ name: 'mart.node_version' }));
  expect(report.audits).toContainEqual(
    expect.objectContaining({ name: 'assert_one_node_version', failedRows: 0, problem: null }),
  );
  const query = async (sql: string) => {
    const reader = await openReader(join(folder, 'warehouse'));
    try {
      return await reader.query(sql);
    } finally {
      reader.close();
    }
  };
  expect(await query('SELECT version, is_current, evm_version FROM mart.node_version')).toEqual([
    { version: 'avalanchego/1.14.2', is_current: true, evm_version: 'v1.14.2' },
  ]);
  expect(await query('SELECT rpc_protocol_version FROM raw.info_node_versions')).toEqual([
    { rpc_protocol_version: 45 },
  ]);
  const noDay = await firn('reconcile', '--explain', '43112', 'ownBlocks', '2026-02-31');
  expect([noDay.code, noDay.err]).toEqual([2, expect.stringContaining('"2026-02-31" is not a time. Write a date')]);
  const explained = await firn('reconcile', '--explain', '43112', 'ownBlocks', '2026-02-01');
  expect([explained.code, explained.err]).toEqual([0, '']);
  expect(explained.out).toContain('Blocks of a day');
  const { data } = await makeReport(await readConfigured({ config }));
  expect(data.metrics).toContainEqual(expect.objectContaining({ name: 'ownBlocks', title: 'Blocks a day' }));
  expect((await firn('dbt-project', join(folder, 'dbt'))).out).toContain('11 exposures');
  const dbt = (path: string) => readFile(join(folder, 'dbt', path), 'utf8');
  expect(await dbt('models/firn/mart.yml')).toContain('name: node_version');
  expect(await dbt('tests/firn/assert_one_node_version.sql')).toContain("source('mart', 'node_version')");
  expect(await dbt('models/firn/exposures.yml')).toContain("source('mart', 'node_version')");
  const { out: dictionary } = await firn('dictionary');
  for (const said of ['mart.node_version', 'raw.info_node_versions', 'When it was first seen', 'Version of the node.'])
    expect(dictionary).toContain(said);
  expect((await firn('streams')).out).toContain('info/node_versions');
  expect((await firn('doctor')).out).toMatch(/^ok +info\/node_versions +answers/m);
  expect((await firn('status')).out).toMatch(/info\/node_versions +up to date +1 /);
  const schema = JSON.parse(await readFile(join(folder, 'firn.schema.json'), 'utf8'));
  expect(Object.keys(schema.properties.sources.properties)).toContain('info');
  expect(Object.keys(schema.properties.pipelines.additionalProperties.properties.streams.properties)).toContain(
    'info/node_versions',
  );
  // What is broken names its file and line, and all else is published.
  const model = await write(
    'models/mart/broken.sql',
    '/*\ndescription: Nothing that is.\n*/\n\nSELECT\n  nothing\nFROM mart.node_version',
  );
  const audit = await write(
    'audits/assert_x.sql',
    '/*\nclaim: Nothing is wrong.\nprotects: [mart.node_version]\nseverity: warns\n*/\nSELECT 1 FROM\n  mart.nowhere',
  );
  const broken = await firn('run');
  expect(broken.code).toBe(1);
  expect(broken.out).toContain(`${model}:6: Binder Error`);
  expect(broken.out).toContain(`${audit}:7: Catalog Error`);
  expect(
    await query('SELECT (SELECT "version" FROM firn.published) AS version, count(*) AS n FROM mart.node_version'),
  ).toEqual([{ version: 2n, n: 1n }]);
});

test('an own metric that is served gets its verdicts, explanation and place in the report', {
  tags: 'long',
}, async () => {
  const { folder, config, firn, write } = await extended();
  const node = await startDevnet({ ledger: net.ledger, head: '8%' });
  onTestFinished(node.close);
  await write('models/mart/metric_ownBlocks.sql', ownMetric);
  const counts = new Map<number, number>();
  for (const { timestamp } of node.ledger.c.blocks) {
    const day = Math.floor(timestamp / 86_400) * 86_400;
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  const [, wrong = 0] = [...counts.keys()].filter((day) => day > 86_400);
  const served = [...counts].map(([timestamp, value]) => ({
    timestamp,
    value: timestamp === wrong ? value + 1 : value,
  }));
  const asked: string[] = [];
  const service = await localServer((response, _, request) => {
    asked.push(new URL(request.url, 'http://x').pathname);
    json(response, 200, { results: served.toReversed() });
  });
  const streams = (metrics: unknown) => ({
    'node/evm_blocks': { blockchainIds: ['C'], from: 0, traces: false },
    'metrics/chain_metrics': { chainIds: ['43112'], metrics, timeIntervals: ['day'] },
  });
  const sources = { node: { url: node.url }, metrics: { url: service.url } };
  const configure = (metrics: unknown) =>
    writeFile(config, JSON.stringify({ extend: './my', sources, pipelines: { main: { streams: streams(metrics) } } }));

  await configure(['ownBlock']);
  expect((await firn('plan')).err).toMatch(/ownBlock/);
  await configure(['ownBlocks']);
  const { code, err } = await firn('run');
  expect([code, err, new Set(asked)]).toEqual([3, '', new Set(['/v2/chains/43112/metrics/ownBlocks'])]);
  const day = new Date(wrong * 1000).toISOString().slice(0, 10);
  const reader = await openReader(join(folder, 'warehouse'));
  const verdicts = await reader.query(
    `SELECT verdict, count(*) > 1 AS several, min(bucket)::DATE::VARCHAR AS first FROM mart.reconciliation WHERE metric = 'ownBlocks'
     AND verdict IN ('equal', 'differs') GROUP BY verdict ORDER BY verdict`,
  );
  reader.close();
  expect(verdicts).toEqual([
    { verdict: 'differs', several: false, first: day },
    { verdict: 'equal', several: true, first: expect.any(String) },
  ]);
  const explained = await firn('reconcile', '--explain', '43112', 'ownBlocks', day);
  expect(explained.out).toContain(`served      ${(counts.get(wrong) ?? 0) + 1}`);
  const { data } = await makeReport(await readConfigured({ config }));
  expect(data.verdicts).toContainEqual(expect.objectContaining({ metric: 'ownBlocks', verdict: 'differs' }));
  const file = expect.stringMatching(/\bmy\/models\/mart\/metric_ownBlocks\.sql$/);
  expect(data.metrics).toContainEqual(expect.objectContaining({ name: 'ownBlocks', file }));
});

test.skipIf(process.platform === 'win32')(
  'a configuration that another program hands over is read once',
  { tags: 'long' },
  async () => {
    const { folder } = await extended();
    const given = `printf 'warehouse: %s\n' "$2/warehouse"; sed "s#\\./my#$2/my#" "$2/firn.yaml"`;
    const script = `"$0" "$1" --config <(${given}) streams`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script, process.execPath, mainFile(), folder]);
    expect(stdout).toContain('info/node_versions');
  },
);

test('what is made of a CSV of refs follows it in the same run, whatever else is new, and stays as it was where it is gone', {
  tags: 'long',
}, async () => {
  const { folder, firn, write } = await extended();
  const csv = join(folder, 'warehouse', 'refs', 'prices.csv');
  const prices = async (...usd: string[]) => {
    await mkdir(dirname(csv), { recursive: true });
    await writeFile(csv, ['usd', ...usd, ''].join('\n'));
  };
  const run = async () => {
    const { code, out } = await firn('run');
    const reader = await openReader(join(folder, 'warehouse'));
    const rows = await reader.query(
      'SELECT t.total, t.highest, v.highest AS shown FROM mart.price_total AS t CROSS JOIN mart.price_view AS v',
    );
    reader.close();
    return { code, out, rows };
  };
  const table = await write(
    'models/mart/price_total.sql',
    '/*\ndescription: Sum of the prices.\nkept: table\n*/\nSELECT CAST(sum(usd) AS DECIMAL(38,2)) AS total, max(usd) AS highest FROM refs.prices',
  );
  const view = await write(
    'models/mart/price_view.sql',
    '/*\ndescription: The highest price.\nfiles: { order: [highest] }\n*/\nSELECT max(usd) AS highest FROM refs.prices',
  );
  await prices('1.50', '2.00');
  expect(await run()).toMatchObject({ code: 0, rows: [{ total: '3.50', highest: '2.00', shown: '2.00' }] });
  // With more digits, the column has another type.
  await prices('1.50', '20000.5');
  expect(await run()).toMatchObject({ code: 0, rows: [{ total: '20002.00', highest: '20000.50', shown: '20000.50' }] });
  await rm(csv);
  const { code, out, rows } = await run();
  expect([code, rows]).toEqual([1, [{ total: '20002.00', highest: '20000.50', shown: '20000.50' }]]);
  for (const file of [table, view]) expect(out).toContain(`${file}:5: Catalog Error`);
});

test('a table kept by time that takes all columns of a CSV has those that it has by now', {
  tags: 'long',
}, async () => {
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  const streams = { 'node/evm_blocks': { blockchainIds: ['C'], from: 0, traces: false } };
  const configuration = { extend: './my', sources: { node: { url: devnet.url } }, pipelines: { main: { streams } } };
  const { folder, warehouse, firn, query } = await project(configuration, { isBuilt: true });
  for (const path of [join(folder, 'my/models/mart'), join(warehouse, 'refs')]) await mkdir(path, { recursive: true });
  const prices = (text: string) => writeFile(join(warehouse, 'refs/prices.csv'), text);
  await writeFile(
    join(folder, 'my/models/mart/priced.sql'),
    `/*\ndescription: Blocks with prices.\nkept: table by block_time\n*/
     SELECT b.chain_id, b.block_time, p.* FROM mart.fct_block AS b CROSS JOIN refs.prices AS p`,
  );
  await prices('usd\n1.5\n');
  expect((await firn('run')).code).toBe(0);
  await prices('usd,eur\n1.5,1.2\n');
  devnet.moveHead('4%');
  expect((await firn('run')).code).toBe(0);
  expect(await query('SELECT DISTINCT eur FROM mart.priced')).toEqual([{ eur: '1.2' }]);
});

test('a table kept by time that reads streams of its own alone is held back, and says why', {
  tags: 'long',
}, async () => {
  const { firn, write } = await extended();
  const header = (kept: string) => `/*\ndescription: Versions of the node, kept otherwise.\nkept: ${kept}\n*/\n`;
  const sql = 'SELECT version, _valid_from AS since FROM raw.info_node_versions';
  await write('models/mart/by_time.sql', `${header('table by since')}${sql}`);
  await write('models/mart/by_key.sql', `${header('earliest by version')}SELECT version, since FROM mart.whole`);
  await write('models/mart/whole.sql', `${header('table')}${sql}`);
  const { code, out } = await firn('run');
  expect(code).toBe(1);
  for (const name of ['by_time', 'by_key'])
    expect(out).toMatch(
      new RegExp(
        `my/models/mart/${name}\\.sql:5: it is kept as blocks of EVM chains change, and reads nothing of them: it would stay empty`,
      ),
    );
  expect(out).toMatch(/held back since .* by mart\.by_time: mart\.by_time/);
  expect(out).not.toMatch(/mart\.whole/);
});

test('a table kept by time has each row once as blocks come, though its SQL does not narrow itself', {
  tags: 'long',
}, async () => {
  const growing = await startDevnet({ head: '3%' });
  onTestFinished(() => growing.close());
  const { config, folder, firn, write } = await extended();
  await writeFile(
    config,
    `extend: ./my\nsources: { node: { url: "${growing.url}" } }\npipelines: { main: { streams: { node/evm_blocks: { traces: false } } } }\n`,
  );
  const header = '/*\ndescription: Blocks, kept by hour.\nkept: table by block_time\n*/\n';
  await write('models/mart/of_mart.sql', `${header}SELECT chain_id, block_time, "number" FROM mart.fct_block`);
  await write('models/mart/of_staging.sql', `${header}SELECT chain_id, block_time, "number" FROM staging.evm_block`);
  for (const head of ['4%', '5%', '6%'] as const) {
    expect((await firn('run')).code).toBe(0);
    growing.moveHead(head);
  }
  const reader = await openReader(join(folder, 'warehouse'));
  onTestFinished(() => reader.close());
  const blocks = '(SELECT count(*) FROM mart.fct_block)';
  expect(
    await reader.query(
      `SELECT ${blocks} > 10 AS some, ${blocks} = (SELECT count(*) FROM mart.of_mart) AS mart, ${blocks} = (SELECT count(*) FROM mart.of_staging) AS staging`,
    ),
  ).toEqual([{ some: true, mart: true, staging: true }]);
});

const stream = (name: string, source = `{ name: 'info', description: 'x', url: 'http://127.0.0.1:1' }`) => `
  import { defineSource, defineStream, text, z } from 'firn-etl';
  export const own = defineStream(defineSource(${source}), {
    name: '${name}', description: 'x', endpoint: 'x', parameters: z.strictObject({}), partitions: () => [{ values: {} }],
    schema: z.object({ a: text('a') }), key: ['a'], way: 'snapshot', *pages() {}, records: {},
  });`;

/** Declares a child of it. */
const child = (members: string, key: string) =>
  `children: { parts: { description: 'x', schema: z.object(${members}), key: ['${key}'], of: 'parts' } }`;

test.each<[string, string, string, RegExp]>([
  ['a file that is no module', 'streams/x.js', 'export const = 1;', /x\.js.*cannot be loaded/],
  ['a CommonJS module', 'streams/x.cjs', 'exports.a = 1;', /x\.cjs: is a CommonJS module\. Write it as an ES module/],
  ['a file that throws', 'streams/x.js', "\n\nthrow new Error('no luck');", /x\.js, line 3: cannot be loaded: no luck/],
  ['a file without a stream', 'streams/x.js', 'export const a = 1;', /x\.js: exports no stream/],
  [
    "a stream of firn's name",
    'streams/x.js',
    stream('chains')
      .replace('defineSource,', 'data,')
      .replace(/defineSource\(.*?\)/, 'data'),
    /x\.js: the stream "data\/chains" already exists, in firn/,
  ],
  [
    'another source of the same name',
    'streams/x.js',
    stream('y'),
    /x\.js: the source "info" already exists, in .*nodeVersions\.js/,
  ],
  [
    "a source of firn's name",
    'streams/x.js',
    stream('y', `{ name: 'node', description: 'x' }`),
    /x\.js: the source "node" already exists, in firn/,
  ],
  [
    "a table of firn's name",
    'streams/x.js',
    stream('transactions', `{ name: 'data_address', description: 'x' }`),
    /x\.js: the table "raw\.data_address_transactions" already exists, in firn/,
  ],
  [
    "a model of firn's name",
    'models/mart/fct_block.sql',
    '/*\ndescription: A number of its own.\n*/\nSELECT 1 AS a',
    /fct_block\.sql: the model "mart\.fct_block" already exists, in firn/,
  ],
  [
    'the table of verdicts',
    'models/mart/reconciliation.sql',
    '/*\ndescription: A number of its own.\n*/\nSELECT 1 AS a',
    /reconciliation\.sql: the model/,
  ],
  [
    'a model of no schema',
    'models/x.sql',
    '/*\ndescription: A number of its own.\n*/\nSELECT 1 AS a',
    /x\.sql: a model lies in a folder called staging or mart/,
  ],
  ['a model without header', 'models/mart/x.sql', 'SELECT 1 AS a', /x\.sql:1: write a header first/],
  [
    "an audit of firn's name",
    'audits/assert_utxos_unique.sql',
    '/*\nclaim: Nothing is wrong.\nprotects: [mart.fct_block]\nseverity: warns\n*/\nSELECT 1',
    /assert_utxos_unique\.sql: the audit/,
  ],
  [
    "a metric of another one's rank",
    'models/mart/metric_ownBlocks.sql',
    ownMetric.replace('rank: 1000', 'rank: 1 '),
    /my\/models\/mart\/metric_ownBlocks\.sql has the rank 1 of /,
  ],
  [
    "a metric of another name than its file's",
    'models/mart/metric_ownBlock.sql',
    ownMetric,
    /metric_ownBlock\.sql: it gives no rows of the metric ownBlock, .* Write 'ownBlock' AS metric, or rename the file/,
  ],
  ['an audit without header', 'audits/assert_x.sql', 'SELECT 1', /assert_x\.sql:1: write a header first/],
  ['one in a folder of its own', 'audits/x/assert_x.sql', 'SELECT 1', /audits\/x\/assert_x\.sql:1: write a header/],
])('%s is refused with 2 and its file', async (_, name, text, message) => {
  const { firn, write } = await extended();
  await write(name, text);
  const { code, err } = await firn('streams');
  expect(err).toMatch(message);
  expect(code).toBe(2);
});

/** Makes it one of the way `range`. */
const asRange = (members: string): [string, string] => [
  `way: 'snapshot', *pages() {}, records: {},`,
  `way: 'range', ahead: 2, *head() {}, *first() {}, *read() {}, ${members},`,
];

test.each<[string, [string, string], RegExp]>([
  ['a name', [`'own'`, `'Own Stream'`], /a stream cannot be called "Own Stream"/],
  ['a way', [`'snapshot'`, `'snapshoot'`], /own: "way" cannot be "snapshoot"\. Did you mean snapshot\?/],
  ['no way', [`way: 'snapshot',`, ''], /own: "way" cannot be left out/],
  ['no key', [`key: ['a'],`, ''], /own: a stream of the way "snapshot" needs key/],
  ['no records', ['records: {},', ''], /needs records/],
  ['no records but null', ['records: {},', 'records: null,'], /needs records/],
  [
    'records of an unknown kind',
    ['records: {},', `records: { at: 'list', each: 'items' },`],
    /own: "each" of "records" cannot be "items"\. Did you mean item\?/,
  ],
  [
    'records of an unknown kind among others',
    ['records: {},', `records: [{ at: 'list' }, { at: 'other', each: 'items' }],`],
    /own: "each" of "records" cannot be "items"/,
  ],
  ['a key of one name', [`['a']`, `'a'`], /"key" must be a list/],
  ['a key of no name', [`['a']`, '[]'], /"key" must be a list of names of columns, one at least/],
  ['files of no column', [`key: ['a'],`, `key: ['a'], files: { chain: 'b' },`], /has no column b for its .* files/],
  ['files by no time', [`key: ['a'],`, `key: ['a'], files: { time: 'a' },`], /a of table raw\.mine_own is no time, by/],
  [
    'a cursor of no column',
    [`key: ['a'],`, `key: ['a'], looksBack: { cursor: 'b' },`],
    /has no column b for its .*looksBack/,
  ],
  [
    'a way back without a time',
    [`key: ['a'],`, `key: ['a'], looksBack: { cursor: 'a' },`],
    /raw\.mine_own: "looksBack" needs a "time" or "files\.time"/,
  ],
  [
    'partitions that its key does not tell apart',
    [
      `key: ['a'], way: 'snapshot',`,
      `partitionColumns: [{ name: 'project', description: 'x' }], key: ['a'], way: 'slice',`,
    ],
    /raw\.mine_own: "key" lacks project: a row of one partition would take the place of another's with the same key/,
  ],
  [
    'a list that no child takes',
    [`{ a: text('a') }`, `{ a: text('a'), b: z.object({ tags: z.array(z.string()) }).nullish() }`],
    /raw\.mine_own: the list "b\.tags" fills nothing: declare a child with of: 'b\.tags', or make it a column by texts/,
  ],
  [
    'a list in a listed object that no child takes',
    [
      `{ a: text('a') }), key: ['a'],`,
      `{ a: text('a'), parts: z.array(z.object({ b: text('b'), tags: z.array(z.string()) })) }), key: ['a'], ${child(`{ b: text('b') }`, 'b')},`,
    ],
    /raw\.mine_own: the list "parts\.tags" fills nothing/,
  ],
  [
    'a child of no list',
    [
      `{ a: text('a') }), key: ['a'],`,
      `{ a: text('a'), Parts: z.array(z.object({ b: text('b') })) }), key: ['a'], ${child(`{ b: text('b') }`, 'b')},`,
    ],
    /raw\.mine_parts is of "parts", which is no z\.array\(…\) in the schema of raw\.mine_own\. Did you mean Parts\?/,
  ],
  [
    'a column that differs from another one by its case alone',
    [`key: ['a'],`, `partitionColumns: [{ name: 'A', description: 'x' }], key: ['A', 'a'],`],
    /raw\.mine_own declares column a twice, once for its partition or its parent: write named\(/,
  ],
  ['a size of no number', asRange(`position: 'a', size: '5'`), /own: "size" must be a whole number above 0/],
  ['a size of nothing', asRange(`position: 'a', size: 0`), /own: "size" must be a whole number above 0/],
  ['a position of no column', asRange(`position: 'b', size: 5`), /raw\.mine_own has no column b for its position/],
  [
    'a text as position',
    asRange(`position: 'a', size: 5`),
    /a of table raw\.mine_own is no integer, by which its rows/,
  ],
  [
    'a link of no column',
    asRange(`position: 'a', size: 5, link: { id: 'a', parent: 'b' }`),
    /raw\.mine_own has no column b for its position, link/,
  ],
  ['revisions of no column', [`key: ['a'],`, `key: ['a'], keepRevisionsOf: ['b'],`], /no column b whose changes could/],
  ['no child to keep', [`key: ['a'],`, `key: ['a'], keeps: { told: 'b' },`], /"keeps" names "b", and no such child/],
  [
    "a child's key of its parent's",
    [`key: ['a'],`, `key: ['a'], ${child(`{ a: text('a') }`, 'a')},`],
    /raw\.mine_parts: its key names "a", which is its parent's: .* named\('its_a', …\)/,
  ],
  [
    "a child's column of its parent's name",
    [`key: ['a'],`, `key: ['a'], ${child(`{ a: text('a'), b: text('b') }`, 'b')},`],
    /raw\.mine_parts declares column a twice, once for its partition or its parent: write named\(/,
  ],
  [
    'a column by another sign',
    [`{ a: text('a') }`, `{ a: text('a'), 'my-col': text('b') }`],
    /have a column my-col: write/,
  ],
  [
    'a column rowid',
    [`{ a: text('a') }`, `{ a: text('a'), rowid: text('b') }`],
    /have a column rowid: .*, and not rowid/,
  ],
  [
    'a child by another sign',
    [`key: ['a'],`, `key: ['a'], ${child(`{ b: text('b') }`, 'b').replace('parts', `'thing-parts'`)},`],
    /a table cannot be called raw\.mine_thing-parts: write/,
  ],
  ['no schema', [`z.object({ a: text('a') })`, `{ a: text('a') }`], /"schema" must be what z\.object/],
  ['a member without a column', [`text('a')`, 'z.string()'], /member a is neither .*: columns are made by text\(\)/],
  ['no source', ['defineSource(', 'Object('], /own: defineStream\(source, .* needs a source: node/],
  ['an async generator', ['*pages()', 'async *pages()'], /"pages" cannot be async/],
])('a declaration with %s is refused with 2, its file and line', async (_, [right, wrong], message) => {
  const { firn, write } = await extended();
  await write('streams/x.js', stream('own', `{ name: 'mine', description: 'x' }`).replace(right, wrong));
  const { code, err } = await firn('streams');
  expect(err).toMatch(/x\.js, line 3: cannot be loaded: /);
  expect(err).toMatch(message);
  expect(code).toBe(2);
});

test('a stream that is exported by several names, and by another file, is one', async () => {
  const { firn, write } = await extended();
  const own = stream('own', `{ name: 'mine', description: 'x', url: 'http://127.0.0.1:1' }`);
  await write('streams/x.js', `${own}\nexport default own;`);
  await write('streams/y.js', `export * from './x.js';`);
  const { code, out, err } = await firn('streams');
  expect([code, err, out.match(/mine\/own/g)]).toEqual([0, '', ['mine/own']]);
});

test('an audit that was changed looks again, also where nothing came', { tags: 'long' }, async () => {
  const { firn, write } = await extended();
  const codes: number[] = [];
  for (const where of ['false', 'false', 'true']) {
    const header = '/*\nclaim: Nothing is wrong.\nprotects: [mart.node_version]\nseverity: warns\n*/';
    await write('audits/assert_x.sql', `${header}\nSELECT 1 AS a WHERE ${where}`);
    codes.push((await firn('run')).code);
  }
  expect(codes).toEqual([0, 0, 3]);
});

test('models in a circle, and a name that an audit protects and nothing has, are told with their files; all else is published', {
  tags: 'long',
}, async () => {
  const { folder, firn, write } = await extended();
  const model = (sql: string) => `/*\ndescription: One in a circle.\n*/\n${sql}`;
  await write('models/mart/chicken.sql', model('SELECT 1 AS a FROM mart.egg'));
  await write('models/mart/egg.sql', model('SELECT 1 AS a FROM mart.chicken'));
  const audit = (sql: string) =>
    `/*\nclaim: Nothing is wrong.\nprotects: [mart.node_versoin]\nseverity: blocks\n*/\n${sql}`;
  // Whether or not it finds rows, and whether or not there is something new.
  for (const sql of ['SELECT 1 AS a WHERE false', 'SELECT 1 AS a WHERE false', 'SELECT 1 AS a']) {
    await write('audits/assert_x.sql', audit(sql));
    const { code, out } = await firn('run');
    expect(code).toBe(1);
    for (const said of [
      /my\/models\/mart\/chicken\.sql:4: it reads itself: mart\.chicken -> mart\.egg -> mart\.chicken\./,
      /my\/models\/mart\/egg\.sql:4: it reads itself/,
      /my\/audits\/assert_x\.sql: it protects mart\.node_versoin, which is not a relation/,
    ])
      expect(out).toMatch(said);
    expect(out).not.toMatch(/held back .*node_version/);
  }
  const reader = await openReader(join(folder, 'warehouse'));
  onTestFinished(() => reader.close());
  expect(await reader.query('SELECT count(*) AS n FROM mart.node_version')).toEqual([{ n: 1n }]);
});

test.each<[string, [string, string], RegExp]>([
  ['pages throw', ['*pages() {}', `*pages() {\n throw new Error('no luck'); }`], /x\.js, line 6: no luck/],
  ['partitions throw', ['() => [{ values: {} }]', `() => {\n throw new Error('no luck'); }`], /x\.js, line 5: no luck/],
  ['pages give no generator', ['*pages() {}', 'pages() { return []; }'], /asks by a generator/],
  ['pages yield no request', ['*pages() {}', `*pages() { yield '/info'; }`], /"kind" is one of get, post, rpc/],
  [
    'partitions are no list',
    ['[{ values: {} }]', '({ values: {} })'],
    /own: "partitions" must give a list of { values: {} }/,
  ],
  ['a partition has a value too many', ['values: {}', 'values: { b: 1 }'], /"partitions" must give/],
])('a stream whose %s fails alone, and says where', { tags: 'long' }, async (_, [right, wrong], message) => {
  const { config, firn, write } = await extended();
  const text = await readFile(config, 'utf8');
  await writeFile(config, text.replace('info/node_versions: {}', 'mine/own: {}, info/node_versions: {}'));
  await write(
    'streams/x.js',
    stream('own', `{ name: 'mine', description: 'x', url: '${net.url}' }`).replace(right, wrong),
  );
  const { code, json: synced } = await firn('--json', 'sync');
  expect(synced.partitions.find(({ stream }: { stream: string }) => stream === 'mine/own')).toMatchObject({
    outcome: 'failed',
    message: expect.stringMatching(message),
  });
  expect(synced.partitions.filter(({ outcome }: { outcome: string }) => outcome === 'done')).toHaveLength(2);
  expect(code).toBe(1);
});

/** The stream of docs/extend.md with a loop of its own, as it stands there. */
const [, ownLoop = ''] =
  /```js\n(\/\/ my\/streams\/orders\.js[\s\S]*?)```/.exec(
    await readFile(join(import.meta.dirname, '..', '..', 'docs', 'extend.md'), 'utf8'),
  ) ?? [];

test('a list whose service leads on in its own way is read to its end, with the lists in its records', {
  tags: 'long',
}, async () => {
  const order = (id: string) => ({ id, time: 1, items: ['x', 'y'].map((article) => ({ article, pieces: 2 })) });
  const shop = await localServer((response, n) =>
    json(response, 200, { data: { orders: [order(`o${n}`)] }, paging: { next: n < 3 ? `p${n}` : null } }),
  );
  const { config, firn, write } = await extended();
  await write('streams/orders.js', ownLoop);
  const configuration = { extend: './my', sources: { shop: { url: shop.url } } };
  await writeFile(
    config,
    JSON.stringify({ ...configuration, pipelines: { main: { streams: { 'shop/orders': {} } } } }),
  );
  const { code, json: synced, err } = await firn('--json', 'sync');
  expect([code, err, shop.received.map(({ url }) => url)]).toEqual([
    0,
    '',
    ['/orders', '/orders?cursor=p1', '/orders?cursor=p2'],
  ]);
  expect(synced.partitions).toMatchObject([{ stream: 'shop/orders', rows: 3, childRows: 6 }]);
});

test('a stream whose columns and key change is read again once it was dropped, without its file being taken away', {
  tags: 'long',
}, async () => {
  const shop = await localServer((response) => json(response, 200, { items: [{ a: '1', parts: [{ b: '1' }] }] }));
  const { config, folder, write } = await extended();
  // A process of its own each: Node loads a file once.
  const firn = (...args: string[]) => runFirn(['--config', config, ...args]);
  await writeFile(
    config,
    `extend: ./my\nsources: { mine: { url: "${shop.url}" } }\npipelines: { main: { streams: { mine/own: {} } } }\n`,
  );
  const declared = (key: string, of: string) =>
    stream('own', `{ name: 'mine', description: 'x' }`)
      .replace('text, z', 'int64, text, z')
      .replace(`{ a: text('a') }`, `{ a: ${of}('a'), parts: z.array(z.object({ b: text('b') })) }`)
      .replace(`key: ['a'], way: 'snapshot',`, `key: [${key}], way: 'slice', ${child(`{ b: text('b') }`, 'b')},`)
      .replace('*pages() {}, records: {}', `*pages() { yield { kind: 'get', path: '/' }; }, records: 'items'`);
  await write('streams/x.js', declared(`'a'`, 'text'));
  expect((await firn('sync')).code).toBe(0);
  for (const [changed, wrong] of [
    [declared(`'a'`, 'int64'), /raw\.mine_own\.a is VARCHAR .* run "firn state drop" for the stream/],
    [declared(`'a', 'position'`, 'text'), /The key of raw\.mine_own has a column position .*"firn state drop"/],
  ] as const) {
    await write('streams/x.js', changed);
    expect(await firn('sync')).toMatchObject({ code: 2, stderr: expect.stringMatching(wrong) });
    expect(await firn('doctor')).toMatchObject({ code: 2, stdout: expect.stringMatching(wrong) });
  }
  await write('streams/x.js', declared(`'a', 'position'`, 'int64'));
  expect((await firn('state', 'drop', 'mine/own')).code).toBe(0);
  expect((await firn('run')).code).toBe(0);
  const reader = await openReader(join(folder, 'warehouse'));
  onTestFinished(() => reader.close());
  expect(await reader.query('SELECT * EXCLUDE (_load_id, _extra) FROM raw.mine_parts')).toEqual([
    { a: 1n, position: 0, b: '1' },
  ]);
});

test('what a file logs goes to stderr, not into what is printed', { tags: 'long' }, async () => {
  const { config, write } = await extended();
  await write('streams/x.js', `console.log('hello');${stream('own', `{ name: 'mine', description: 'x' }`)}`);
  const { code, stdout, stderr } = await runFirn(['--config', config, '--json', 'streams']);
  expect([code, stderr, Object.keys(JSON.parse(stdout))]).toEqual([0, 'hello\n', ['streams']]);
});

const takesTypeScript = 'typescript' in process.features && process.features.typescript !== false;

test.each([
  [
    "const { z } = require('firn-etl');",
    /line 1: .*: require is not defined.* write import .* in place of require\.\n$/,
  ],
  ["import { z } from 'zod';", /Cannot find package 'zod' .* Write import \{ z \} from 'firn-etl' instead\.\n$/],
  ['\nexport const = 1;', /x\.js, line 2: cannot be loaded: Unexpected token '='\.\n$/],
  ["import './lib/wrong.js';", /x\.js, lib\/wrong\.js, line 3: cannot be loaded: Unexpected token ';'\.\n$/],
])('where Node refuses %j, the place or the remedy is told', { tags: 'long' }, async (text, message) => {
  const { config, write } = await extended();
  await write('streams/lib/other.js', 'export const = 1;');
  await write('streams/lib/wrong.js', '\n\nexport const a = ;');
  await write('streams/x.js', text);
  expect(await runFirn(['--config', config, 'streams'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(message),
  });
});

test('TypeScript is refused with 2 and its file where Node does not take it', { tags: 'long' }, async () => {
  const { config, write } = await extended();
  await write('streams/x.ts', 'export const a: number = 1;');
  const env = { NODE_OPTIONS: takesTypeScript ? '--no-experimental-strip-types' : '' };
  const { code, stderr } = await runFirn(['--config', config, 'streams'], { env });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/x\.ts: is TypeScript.*22\.18/)]);
});

test.runIf(takesTypeScript)(
  'TypeScript that Node takes is loaded without a warning, and what it cannot take is refused with 2 and its line',
  async () => {
    const { config, write } = await extended();
    const streams = () => runFirn(['--config', config, 'streams']);
    const own = stream('own', `{ name: 'typed', description: 'x', url: 'http://127.0.0.1:1' }`);
    await write('streams/x.ts', `export const a: number = 1;\n${own}`);
    expect(await streams()).toEqual({ code: 0, stdout: expect.stringContaining('typed/own'), stderr: '' });
    await write('streams/y.ts', '\nexport enum A { X }');
    expect(await streams()).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/y\.ts, line 2: cannot be loaded: .*enum/),
    });
  },
);

test('a folder that is not there, and a source that nobody reads, are told', async () => {
  const { config, firn, folder } = await extended();
  const text = await readFile(config, 'utf8');
  await writeFile(config, text.replace('  info:', '  inof:'));
  expect((await firn('plan')).err).toMatch(/firn\.yaml:4:3: unknown option "inof" in sources\. Did you mean info\?/);
  await writeFile(config, text.replace('./my', './mine'));
  const { code, err } = await firn('plan');
  expect([code, err]).toEqual([2, expect.stringContaining(`${folder}/mine has none of the folders streams, models`)]);
});
