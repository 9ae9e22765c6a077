/** @module-tag long */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { some } from './some.ts';
import { temporary } from './temporaryFolders.ts';

const root = resolve(import.meta.dirname, '..');

interface Block {
  readonly kind: string;
  readonly path: string;
  readonly text: string;
}

/** The code blocks of a page that name a file. */
const blocksOf = (page: string): Block[] =>
  [...page.matchAll(/^```(\w+) (\S+)\n([\s\S]*?)^```$/gm)].map(([, kind = '', path = '', text = '']) => ({
    kind,
    path,
    text,
  }));

/** A copy of the repository without what no test here needs. Files that nothing changes are links. */
async function copied(): Promise<string> {
  const folder = await temporary();
  const isLarge = (file: string) =>
    /^\/(test\/fixtures|devnet\/ledger)$|\/(node_modules|\.venv)$/.test(file.slice(root.length));
  for (const part of ['src', 'pipelines', 'sql', 'docs', 'test', 'devnet'])
    await cp(join(root, part), join(folder, part), { recursive: true, filter: (file) => !isLarge(file) });
  for (const part of ['package.json', 'tsconfig.json', 'vitest.config.ts', 'CONTRIBUTING.md'])
    await cp(join(root, part), join(folder, part));
  for (const part of ['node_modules', 'test/fixtures', 'devnet/ledger'])
    await symlink(join(root, part), join(folder, part));
  return folder;
}

/** Does what a block says: writes a new file, or changes one. */
async function apply(folder: string, { kind, path, text }: Block): Promise<void> {
  const file = join(folder, path);
  const before = await readFile(file, 'utf8').catch(() => null);
  if (kind !== 'diff') {
    expect(before, `${path} already exists`).toBe(null);
    await mkdir(dirname(file), { recursive: true });
    return writeFile(file, text);
  }
  const lines = text.split(/(?<=\n)/);
  const side = (other: string) =>
    lines
      .filter((line) => !line.startsWith(other))
      .map((line) => line.slice(1))
      .join('');
  expect(before?.split(side('+')), `what ${path} is said to have`).toHaveLength(2);
  await writeFile(file, before?.replace(side('+'), () => side('-')) ?? '');
}

/** Smaller tests for the audit and the metric's mirror: those that the page names read a whole ledger. */
const more = `
import { expect, test } from 'vitest';
import { computeMetric } from '../devnet/src/services/metrics/computeMetric.ts';
import { buildModels } from '../src/transform/builds/buildModels.ts';
import { runAudits } from '../src/transform/audits/runAudits.ts';
import { temporaryWarehouse } from './transform/warehouse.ts';

test('the audit finds what it is about', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  await buildModels(warehouse);
  const failed = async () => (await runAudits(warehouse)).find(({ name }) => name === 'assert_gas_used_within_limit')?.failedRows;
  expect(await failed()).toBe(0);
  await warehouse.run('INSERT INTO mart.fct_block BY NAME SELECT 1 AS "number", 2 AS gas_used, 1 AS gas_limit, 43112 AS chain_id');
  expect(await failed()).toBe(1);
  await dispose();
});

test('the embedded network computes the metric', () => {
  const block = (number, transactions) => ({ number, time: 1_700_000_000 + number, transactions });
  const rows = computeMetric('emptyBlocks', 'day', [[block(0, []), block(1, []), block(2, [{}])]]);
  expect(rows.map(({ value }) => value.num)).toEqual([1n]);
});
`;

interface Tested {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

/** What `npm run check` remembers of the repository, said of a copy: what nothing changed there is not compiled again. */
async function rememberTypes(folder: string, file: string): Promise<void> {
  const packages = join(root, 'node_modules');
  const known = await readFile(join(packages, '.cache', 'tsc.tsbuildinfo'), 'utf8').catch(() => '{}');
  const names = known.replaceAll('"../../', '"./').replaceAll('"../', `"${relative(folder, packages)}/`);
  await writeFile(join(folder, file), names);
}

/** What the compiler finds wrong in a copy. */
async function typeErrors(folder: string): Promise<string> {
  const file = 'tsc.tsbuildinfo';
  await rememberTypes(folder, file);
  // Threads of the compiler look at much twice.
  const args = ['--noEmit', '--singleThreaded', '--incremental', '--tsBuildInfoFile', file];
  return promisify(execFile)(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...args], {
    cwd: folder,
  }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

/** Runs tests of a copy, and of the models only those of the new one. */
async function tested(folder: string, files: readonly string[]): Promise<Tested[]> {
  const { VITEST: _, VITEST_MODE: __, VITEST_POOL_ID: ___, VITEST_WORKER_ID: ____, ...env } = process.env;
  const report = join(folder, 'report.json');
  const args = ['run', '-u', '--maxWorkers=1', '--reporter=json', `--outputFile=${report}`];
  const only = ['-t', '^(?!(mart|staging|firn)\\.(?!metric_emptyBlocks))'];
  await promisify(execFile)(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), ...args, ...only, ...files],
    {
      cwd: folder,
      env,
    },
  ).catch((error: { code: unknown; stderr: string }) => expect([error.code, error.stderr]).toEqual([1, '']));
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as {
    testResults: { assertionResults: Tested[] }[];
  };
  return testResults.flatMap(({ assertionResults }) => assertionResults);
}

test('what CONTRIBUTING walks through can be done as it says', async () => {
  const folder = await copied();
  const blocks = some(blocksOf(await readFile(join(root, 'CONTRIBUTING.md'), 'utf8')));
  for (const block of blocks) await apply(folder, block);
  expect(await typeErrors(folder)).toBe('');
  await writeFile(join(folder, 'test/tried.test.ts'), more);
  const own = blocks.filter(({ kind, path }) => kind === 'ts' && path.endsWith('.test.ts')).map(({ path }) => path);
  expect(own).toHaveLength(3);
  const named = ['docs', 'firstDay', 'importRule', 'tried', 'pipelines/wrongAnswers', 'cli/jsonSchemas', 'sql/models'];
  const results = await tested(folder, [...own, ...named.map((name) => `test/${name}.test.ts`)]);
  const ran = results.filter(({ status }) => ['passed', 'failed'].includes(status));
  // The dictionary is written from a demo: until then this test fails, as the page says.
  expect(
    ran
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => [fullName, failureMessages[0]?.split('\n')[0]?.slice(0, 200)]),
  ).toEqual([
    ['the data dictionary has every table and column of a warehouse, with type, unit and text', expect.any(String)],
  ]);
  const passed = ran.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName);
  for (const name of [
    'the version of a node is kept once',
    'info/node_versions refuses {"message":"maintenance"}',
    'lists every model',
    'the state has a table of notes',
    'mart.metric_emptyBlocks blocks without a transaction, but for the genesis block',
    'docs/json has the schema of models',
    'the audit finds what it is about',
    'the embedded network computes the metric',
  ])
    expect(passed).toContain(name);
  expect(await readFile(join(folder, 'docs/streams.md'), 'utf8')).toContain('info/node_versions');
  expect(await readFile(join(folder, 'docs/first-day.md'), 'utf8')).toContain('emptyBlocks');
});
