import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { catalogue } from '../../pipelines/index.ts';
import { readConfig } from '../../src/cli/config/config.ts';
import { planStreams } from '../../src/run/planStreams.ts';
import { temporary } from '../temporaryFolders.ts';
import { runHere } from './cliHarness.ts';

/** Runs `firn <args>` with a configuration of these lines. */
async function withConfig(lines: readonly string[], ...args: string[]) {
  const folder = await temporary();
  const config = join(folder, 'firn.yaml');
  await writeFile(config, lines.join('\n'));
  const { code, out, err } = await runHere(['--config', config, ...args]);
  return { code, out, err, config, folder };
}

const sources = ['sources:', '  node: { url: "http://127.0.0.1:1" }', '  data: { url: "http://127.0.0.1:1" }'];
const streams = (...lines: string[]) => [
  ...sources,
  'pipelines:',
  '  main:',
  '    streams:',
  ...lines.map((l) => `      ${l}`),
];

test.each([
  ['an unknown option', ['sync', '--fast'], /unknown option '--fast'.*\n\(firn sync --help lists/s],
  ['an unknown option of the program', ['--nothing', 'sync'], /unknown option '--nothing'\n\(firn --help lists/],
  ['an unknown command', ['snyc'], /unknown command 'snyc'.*\n?.*sync/],
  ['a missing argument', ['state', 'reset'], /missing required argument 'stream'\n\(firn state reset --help lists/],
  ['a number that is none', ['devnet', '--port', 'high'], /'high'.*whole number/],
  ['a choice that is none', ['schedule', '--print', 'rc'], /Allowed choices are cron, systemd/],
  ['an argument too many', ['sync', 'everything'], /too many arguments/],
  ['a nearly right option', ['sync', '--selct', 'node/*'], /unknown option '--selct'.*Did you mean --select/s],
  ['a nearly right command of a group', ['state', 'rest'], /no command "state rest"\. Did you mean reset\?.*drop/],
  ['a wrong command of a group', ['quarantine', 'reply'], /no command "quarantine reply"\. Did you mean replay/],
  ['a port out of range', ['serve', '--port', '70000'], /'70000'.*from 0 to 65535/],
  ['a port below the range', ['devnet', '--port', '-1'], /'-1'.*from 0 to 65535/],
  [
    'an interval that does not exist',
    ['reconcile', '--interval', 'days'],
    /'days'.*Did you mean day\?.*hour, day, week, month/,
  ],
  ['a day that no calendar has', ['state', 'drop', '--before', '2026-02-31'], /'2026-02-31'.*such as 2025-03-01/],
  ['a duration without unit', ['sync', '--max-time', '30'], /'30'.*no unit\. Write 30s, 30m, 30h or 30d/],
  ['a sample of nothing', ['verify', '--against-source', '0'], /'0'.*whole number from 1/],
  [
    'two kinds of proof at once',
    ['verify', '--evidence', '--against-source'],
    /'--evidence \[range\]' cannot be used with option '--against-source \[containers\]'/,
  ],
  [
    'two lists at once',
    ['quarantine', 'list', '--all', '--accepted'],
    /'--accepted' cannot be used with option '--all'/,
  ],
  ['nothing at once', ['worker', '--at-once', '0'], /'0'.*whole number from 1/],
  ['more rows than can be counted', ['query', 'SELECT 1', '--limit', '9'.repeat(20)], /whole number from 1/],
  ['a limit that no number holds', ['sync', '--max-units', '9'.repeat(20)], /whole number of at most 15 digits/],
  ['more days than a calendar has', ['state', 'drop', '--keep', '999999d'], /'999999d'.*at most five digits/],
  [
    'days that end before they begin',
    ['backfill', '--again', '2026-11-05..2026-11-03'],
    /Write 2026-11-03\.\.2026-11-05\./,
  ],
  [
    'a day to read again that is none',
    ['backfill', '--again', 'yesterday'],
    /yesterday is not a day\. Write 2026-11-03/,
  ],
  ['two ways back at once', ['backfill', '--from', '1', '--again', '2026-11-03'], /Say either how far down to read/],
  ['a reason of nothing', ['quarantine', 'accept', '1', '--reason', ' '], /--reason is empty/],
  ['an id that is none', ['quarantine', 'reopen', '0'], /"0" is not an id\. The first column of "firn quarantine"/],
  [
    'a bucket too many',
    ['reconcile', '--explain', '1', 'txCount', '2026-02-07', '2026-02-08'],
    /takes a chain, a metric and a bucket/,
  ],
  ['an interval of nothing', ['reconcile', '--interval', 'week'], /--interval belongs to --explain/],
  ['an empty warehouse', ['-w', '', 'run'], /'-w, --warehouse <folder>' is empty/],
  ['an empty URL', ['init', '--node', ''], /'--node <url>' is empty/],
  ['an empty URL of several', ['init', '--rpc', 'http://127.0.0.1:1', ''], /'--rpc <url\.\.\.>' is empty/],
  ['an empty folder of an example', ['init', '--extend', ''], /'--extend \[folder\]' is empty/],
  ['an empty file of a report', ['report', '-o', ''], /'-o, --out <file>' is empty/],
  ['an empty file of the dictionary', ['dictionary', '--out', ''], /'--out <file>' is empty/],
  ['an empty file of the status', ['status', '--prometheus', ''], /'--prometheus <file>' is empty/],
  ['an empty argument', ['dbt-project', ''], /argument 'folder' is empty/],
  [
    'heights that end before they begin',
    ['devnet', '--gaps', 'P/block:9-5'],
    /'P\/block:9-5'.*a place and its heights/,
  ],
  ['a place that is no index', ['devnet', '--gaps', 'P/tx:1'], /'P\/tx:1'.*a place and its heights/],
  [
    'a fault more often than always',
    ['devnet', '--faults', '429=2'],
    /a share from 0 to 1, as in 429=0\.1, but has "2"/,
  ],
  ['a speed that is no number', ['devnet', '--speed', 'x'], /speed "x" is not a number of times such as 3600x/],
  [
    'a moment that is none',
    ['devnet', '--ledger', 'test/fixtures/node-ledger-signed', '--head', 'nonsense'],
    /head "nonsense" is neither a share such as 70%/,
  ],
  ['a recording that is not there', ['devnet', '--ledger', '/nowhere'], /\/nowhere: no such folder/],
  ['a lie that there is none of', ['demo', '--served-faults', 'liee', '--folder', '/nowhere/at/all'], /liee.*lie/],
])('%s is refused with 2 and a hint', async (_, args, sentence) => {
  const { code, out, err } = await runHere(args);
  expect(code).toBe(2);
  expect(err).toMatch(sentence);
  expect(out).toBe('');
});

test('a folder of a demo that cannot be made is told with the option that names another', async () => {
  const { code, err } = await runHere(['demo', '--folder', '/dev/null/demo']);
  expect(code).toBe(73);
  expect(err).toMatch(
    /^firn: Could not make the folder \/dev\/null\/demo: ENOTDIR.* Name another one with --folder\.\n$/,
  );
});

test('a folder is no configuration', async () => {
  const folder = await temporary();
  const { code, err } = await runHere(['--config', folder, 'status']);
  expect(code).toBe(2);
  expect(err).toContain(
    `${folder} is a folder, not a configuration. Name the file in it: --config ${folder}/firn.yaml`,
  );
});

test('no command shows the help and is refused', async () => {
  const { code, out, err } = await runHere([]);
  expect(code).toBe(2);
  expect(err).toMatch(/Usage: firn/);
  expect(out).toBe('');
});

test.each([['--help'], ['--version']])('%s is no failure', async (option) => {
  const { code, out, err } = await runHere([option]);
  expect(code).toBe(0);
  expect(out).not.toBe('');
  expect(err).toBe('');
});

test('a configuration that is not there says how to get one', async () => {
  const folder = await temporary();
  const { code, err } = await runHere(['--config', join(folder, 'firn.yaml'), 'sync']);
  expect(code).toBe(2);
  expect(err).toMatch(/There is no configuration .*firn\.yaml.*firn init/);
});

test('a log has one line of a run that could not begin', async () => {
  const { code, out, err } = await runHere(['--quiet', '--config', join(await temporary(), 'firn.yaml'), 'run']);
  expect(code).toBe(2);
  expect(out).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z firn run exit=2 reason="There is no configuration .*"\n$/);
  expect(err).toMatch(/^firn: There is no configuration/);
});

test.each<[string, string[], RegExp]>([
  ['broken YAML', [...sources, 'pipelines: {', '  main: ]'], /not valid YAML.*line 5/s],
  ['a tab in YAML', ['warehouse: .', 'sources:', '\tnode: {}'], /not valid YAML.*line 3/s],
  ['the same key twice', ['warehouse: a', 'warehouse: b'], /firn\.yaml:2:1: "warehouse" stands here twice/],
  [
    'a look back where rows have numbers',
    streams('node/evm_blocks: { lookback: 1h }'),
    /Stream node\/evm_blocks takes no lookback: its rows have numbers without a hole between them/,
  ],
  [
    'a look back where all is read',
    streams('data/validators: { lookback: 1h }'),
    /Stream data\/validators takes no lookback: it is read whole at every run/,
  ],
  [
    'a look back without a unit',
    streams('data/latest_transactions: { chainIds: [43114], lookback: 3600 }'),
    /Stream data\/latest_transactions: lookback: is a duration such as 1h or 2d/,
  ],
  [
    'an unknown key',
    [...sources, '  metrix: { url: "http://127.0.0.1:1" }'],
    /firn\.yaml:\d+:\d+: unknown option "metrix" in sources\. Did you mean metrics\? There are: node, data, metrics\./,
  ],
  ['a file with nothing in it', [''], /firn\.yaml: sources is missing\.$/m],
  ['a key without a value', [...sources, 'pipelines:'], /firn\.yaml:\d+:\d+: pipelines is empty\.$/m],
  [
    'a variable in another form',
    [
      'warehouse: .',
      'sources:',
      '  node: { url: "http://a.example", headers: { authorization: "$' + '{NODE_KEY}" } }',
      'pipelines: {}',
    ],
    /firn\.yaml:3:\d+: what begins with "\$\{" there is no variable\. Write \$\{env:NAME\}/,
  ],
  [
    'an end before the beginning',
    streams(
      'data/address_transactions: { chainIds: [43114], addresses: [0x000000000000000000000000000000000000dead], from: 9, to: 5 }',
    ),
    /Stream data\/address_transactions: from \(9\) lies behind to \(5\): there is nothing between/,
  ],
  [
    'dates in the wrong order',
    streams('node/evm_blocks: { from: 2026-02-01, to: 2026-01-01 }'),
    /from \(2026-02-01\) lies behind to \(2026-01-01\)/,
  ],
  [
    'ages in the wrong order',
    streams('node/evm_blocks: { from: -1d, to: -30d }'),
    /from \(-1d\) lies behind to \(-30d\)/,
  ],
  [
    'a warehouse in the home folder of a shell',
    ['warehouse: ~/wh', ...sources, 'pipelines: {}'],
    /firn\.yaml:1:\d+: warehouse: "~" stands for no folder here\. Write the whole path, such as \/srv\/firn\/warehouse\./,
  ],
  [
    'a root that readers would look up in their own folder',
    ['warehouse: .', 'publish: { root: mnt/wh }', ...sources, 'pipelines: {}'],
    /firn\.yaml:2:\d+: publish\.root: is looked up by readers in any folder: write the whole path/,
  ],
  ['an empty warehouse', ["warehouse: ''", ...sources, 'pipelines: {}'], /firn\.yaml:1:\d+: warehouse is empty\./],
  [
    'a warehouse whose name DuckDB cannot take',
    ["warehouse: 'wh?t'", ...sources, 'pipelines: {}'],
    /wh\?t: what follows/,
  ],
  ['an unknown key of the file', ['warehose: a', ...sources, 'pipelines: {}'], /"warehose"\. Did you mean warehouse\?/],
  [
    'an unknown key inside a list of pipelines',
    [...sources, 'pipelines:', '  main:', '    steams: {}'],
    /"steams" in pipelines\.main\. Did you mean streams\?/,
  ],
  [
    'an unknown key of an rpc',
    ['sources:', '  node: { rpc: { C: { url: "http://a.example", header: {} } } }', 'pipelines: {}'],
    /"header" in sources\.node\.rpc\.C\. Did you mean headers\?/,
  ],
  ['a missing part', sources, /pipelines/],
  [
    'a URL that is none',
    ['sources: { node: { url: "localhost" } }', 'pipelines: {}'],
    /firn\.yaml:1:\d+: sources\.node\.url/,
  ],
  [
    'a URL of another kind',
    ['sources: { node: { url: "ftp://a.example" } }', 'pipelines: {}'],
    /firn\.yaml:1:\d+: sources\.node\.url/,
  ],
  [
    'a network that is none',
    ['sources:', '  data: { url: "http://127.0.0.1:1", network: main }', 'pipelines: {}'],
    /firn\.yaml:2:\d+: sources\.data\.network: "main" is not known\. Did you mean mainnet\?/,
  ],
  [
    'a quota that is none',
    ['sources:', '  data:', '    url: "http://127.0.0.1:1"', '    quota: { perMinute: -1 }', 'pipelines: {}'],
    /firn\.yaml:4:\d+: sources\.data\.quota\.perMinute/,
  ],
  [
    'a host to download from that is a URL',
    [
      'sources:',
      '  data:',
      '    url: "http://127.0.0.1:1"',
      '    downloadHosts: ["https://a.example"]',
      'pipelines: {}',
    ],
    /firn\.yaml:4:\d+: sources\.data\.downloadHosts: write a host without https/,
  ],
  [
    'an option that a stream does not have, and each that it has once',
    streams('node/containers: { indexs: [C/block] }'),
    /unknown option "indexs"\. Did you mean indexes\? There are: indexes, decode, allowIncomplete\.$/m,
  ],
  ['no streams', [...sources, 'pipelines: {}'], /names no streams/],
  ['an unknown stream', streams('node/container: {}'), /no stream "node\/container".*Did you mean node\/containers/],
  [
    'an unknown parameter',
    streams('node/evm_blocks: { blockchainIds: [C], form: 1 }'),
    /node\/evm_blocks.*"form"\. Did you mean from\?.*blockchainIds/s,
  ],
  [
    'a parameter of the wrong kind',
    streams('node/containers: { indexes: [C/blocks] }'),
    /node\/containers.*indexes.*Did you mean C\/block\?/,
  ],
  [
    'an unknown metric',
    [...streams('metrics/chain_metrics: { chainIds: [43114], metrics: [txcount] }'), 'warehouse: w'].map((line) =>
      line.replace('  data:', '  metrics:'),
    ),
    /: metrics: "txcount" is not known\. Did you mean txCount\?/,
  ],
  [
    'an unknown interval',
    streams('metrics/chain_metrics: { chainIds: [43114], timeIntervals: [dy] }').map((line) =>
      line.replace('  data:', '  metrics:'),
    ),
    /: timeIntervals: "dy" is not known\. Did you mean day\?/,
  ],
  [
    'a bound that is none, before anything is read',
    streams('data/latest_transactions: { chainIds: ["1"], from: yesterday }'),
    /Stream data\/latest_transactions: from: "yesterday" is neither a height, a date such as 2026-01-20, nor an age/,
  ],
  [
    'a word where a list belongs',
    streams('metrics/chain_metrics: { chainIds: [43114], metrics: txCount }').map((line) =>
      line.replace('  data:', '  metrics:'),
    ),
    /metrics: "txCount" is no list\. Write \[txCount\], or all\./,
  ],
  [
    'a chain where a list of them belongs',
    streams('data/latest_transactions: { chainIds: 43114 }'),
    /chainIds: 43114 is no list\. Write \[43114\]\./,
  ],
  [
    'a file of addresses where a list of them belongs',
    streams('data/address_transactions: { chainIds: ["43114"], addresses: many.csv }'),
    /addresses: "many\.csv" is no list\. Write \[many\.csv\], or \{ file: many\.csv \} if it names a file\./,
  ],
  [
    'a second document',
    [...sources, 'pipelines: {}', '---', 'pipelines: {}'],
    /a second document begins at line 5 \(---\)/,
  ],
  ['a missing parameter', streams('data/address_transactions: { chainIds: ["1"] }'), /address_transactions.*addresses/],
  ['a stream of a source that is not there', streams('metrics/chain_metrics: { chainIds: ["1"] }'), /sources\.metrics/],
  ['a file of addresses that is not there', streams('data/utxos: { addresses: { file: w.csv } }'), /w\.csv/],
])('%s is refused with 2, and the place is named', async (_, lines, sentence) => {
  const { code, out, err, config } = await withConfig(lines, 'sync');
  expect(err).toMatch(sentence);
  expect(code).toBe(2);
  expect(out).toBe('');
  expect(err).toContain(config);
});

test('a variable that the warehouse needs is named, and its name alone', async () => {
  const lines = ['warehouse: "$' + '{env:FIRN_TEST_UNSET}"', 'sources: {}', 'pipelines: {}'];
  const { code, err } = await withConfig(lines, 'status');
  expect(code).toBe(2);
  expect(err).toMatch(
    /firn\.yaml:1:1: warehouse takes a value from the environment variable FIRN_TEST_UNSET, which is not set/,
  );
  // Another warehouse takes its place.
  expect((await withConfig(lines, '--warehouse', await temporary(), 'status')).err).toMatch(
    /^firn: Nothing was published/,
  );
});

test('a configuration that is not UTF-8 is refused', async () => {
  const { config } = await withConfig([], 'streams');
  await writeFile(config, Buffer.from('warehouse: caf\xe9\nsources: {}\npipelines: {}\n', 'latin1'));
  expect(() => readConfig({ config })).toThrow(/is not text in UTF-8\. Save it as UTF-8/);
});

test('numbers are taken where text is wanted, with every digit', async () => {
  const lines = streams(
    'data/latest_transactions: { chainIds: [43114, 123456789012345678901] }',
    `data/token_transfers: { chainIds: [43114], addresses: [0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC, 0x${'0'.repeat(39)}1] }`,
  );
  const settings = readConfig({ config: (await withConfig(lines, 'streams')).config });
  const planned = planStreams(settings, catalogue);
  expect(planned.map(({ parameters }) => [parameters['chainIds'], parameters['addresses']])).toEqual([
    [['43114', '123456789012345678901'], undefined],
    [['43114'], ['0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC', `0x${'0'.repeat(39)}1`]],
  ]);
});

test('what lists have in common is merged from an anchor', async () => {
  const lines = streams(
    'data/latest_transactions: &chain { chainIds: ["43114"], from: -30d }',
    'data/token_transfers: { <<: *chain, from: -1d, addresses: ["0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc"] }',
  );
  const settings = readConfig({ config: (await withConfig(lines, 'streams')).config });
  expect(settings.pipelines['main']?.streams['data/token_transfers']).toMatchObject({
    chainIds: ['43114'],
    from: '-1d',
  });
});

test('an unknown pipeline says which there are', async () => {
  const { code, err } = await withConfig(streams('node/containers: {}'), 'sync', '--pipeline', 'mian');
  expect(code).toBe(2);
  expect(err).toMatch(/no pipeline "mian"\. Did you mean main\?/);
});

test('one word of a selection that matches nothing is refused, though another matches', async () => {
  const { code, err } = await withConfig(streams('node/containers: {}'), 'sync', '-s', 'node/*', 'node/container');
  expect(code).toBe(2);
  expect(err).toMatch(/Nothing matches node\/container .*Did you mean node\/containers\?/);
});

test('a selection that matches nothing says what there is', async () => {
  const { code, err } = await withConfig(streams('node/containers: {}'), 'sync', '--select', 'data/*');
  expect(code).toBe(2);
  expect(err).toMatch(/Nothing matches data\/\* .*node\/containers/);
});

test('a schedule that is none is refused', async () => {
  const lines = [...sources, 'pipelines:', '  main:', '    schedule: "every day"', '    streams: {}'];
  const { code, err } = await withConfig(lines, 'schedule', '--print', 'cron');
  expect(code).toBe(2);
  expect(err).toMatch(/Write a cron expression of five fields/);
});

test('init overwrites nothing unless it is told to', async () => {
  const { code, err, config } = await withConfig(['warehouse: mine'], 'init');
  expect(code).toBe(2);
  expect(err).toMatch(/already exists.*--force/);
  expect((await runHere(['--config', config, 'init', '--force', '--node', 'http://127.0.0.1:1'])).code).toBe(0);
});

test.each([[], ['--force']])(
  'init writes nothing where the folder of the example is there already %s',
  async (...force) => {
    const { config, folder } = await withConfig(['warehouse: mine'], 'streams');
    await mkdir(join(folder, 'my'));
    await writeFile(join(folder, 'my', 'package.json'), '{ "mine": true }');
    const fresh = join(folder, 'new.yaml');
    for (const file of force.length > 0 ? [config, fresh] : [fresh]) {
      const args = ['--config', file, 'init', '--extend', '--node', 'http://127.0.0.1:1', ...force];
      expect(await runHere(args)).toMatchObject({
        code: 2,
        err: expect.stringMatching(/my already exists\. Name another/),
      });
    }
    expect(await readFile(config, 'utf8')).toBe('warehouse: mine');
    expect((await readdir(folder)).toSorted()).toEqual(['firn.yaml', 'my']);
  },
);

test('an example that could not be written whole is written by the next init', async () => {
  const { config, folder } = await withConfig(
    [...sources, 'pipelines: { main: { streams: { node/platform_supply: {} } } }'],
    'streams',
  );
  const schema = join(folder, 'firn.schema.json');
  await mkdir(schema);
  const init = () => runHere(['--config', config, 'init', '--extend']);
  expect(await init()).toMatchObject({ code: 73, err: expect.stringContaining('Could not write') });
  expect(await readdir(folder)).not.toContain('my');
  await rm(schema, { recursive: true });
  expect(await init()).toMatchObject({ code: 0, err: '' });
  expect(await readFile(config, 'utf8')).toContain('extend: ./my');
});

test('a folder of an example that cannot be made is told by its name', async () => {
  const { config } = await withConfig(
    [...sources, 'pipelines: { main: { streams: { node/platform_supply: {} } } }'],
    'streams',
  );
  expect(await runHere(['--config', config, 'init', '--extend', '/proc/1/my'])).toMatchObject({
    code: 73,
    err: expect.stringMatching(/^firn: Could not write \/proc\/1\/my: ENOENT.*Name a folder that can be written\.\n$/),
  });
});

test('what a killed init left of an example is written whole by the next one', async () => {
  const { config, folder } = await withConfig(
    [...sources, 'pipelines: { main: { streams: { node/platform_supply: {} } } }'],
    'streams',
  );
  await cp('examples/extend', join(folder, 'my'), { recursive: true });
  const stream = join(folder, 'my', 'streams', 'nodeVersions.js');
  const text = await readFile(stream, 'utf8');
  await writeFile(stream, text.slice(0, 100));
  expect(await runHere(['--config', config, 'init', '--extend'])).toMatchObject({ code: 0, err: '' });
  expect(await readFile(stream, 'utf8')).toBe(text);
  expect(await readFile(config, 'utf8')).toContain('extend: ./my');
});

test('with --json a refusal is an object on stdout and a sentence on stderr', async () => {
  const { code, out, err } = await withConfig([...sources, 'pipelines: {}'], '--json', 'sync');
  expect(code).toBe(2);
  expect(JSON.parse(out)).toEqual({
    error: { code: 'config', message: expect.stringContaining('names no streams'), exitCode: 2 },
  });
  expect(err).toMatch(/^firn: /);
});

test('with --json a wrong command line is an object on stdout, too', async () => {
  const { code, out } = await runHere(['--json', 'sync', '--fast']);
  expect(code).toBe(2);
  expect(JSON.parse(out)).toMatchObject({ error: { code: 'usage', exitCode: 2 } });
});

test.each([
  ['sign', 'Name a command: message, tx'],
  ['cluster', 'Name a command: up, down, status'],
])('with --json %s alone says which commands it has', async (group, message) => {
  const { code, out } = await runHere(['--json', group]);
  expect(code).toBe(2);
  expect(JSON.parse(out)).toEqual({ error: { code: 'usage', message, exitCode: 2 } });
});
