import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import { readConfig } from '../../../src/cli/config/config.ts';
import { planStreams } from '../../../src/run/planStreams.ts';
import { temporary } from '../../temporaryFolders.ts';

/** The configuration of these lines, its streams checked. */
async function configured(...lines: readonly string[]) {
  const config = join(await temporary(), 'firn.yaml');
  await writeFile(config, lines.join('\n'));
  const settings = readConfig({ config });
  return { settings, planned: planStreams(settings, catalogue) };
}

const sources = ['sources:', '  data:', '    url: http://127.0.0.1:1'];
const pipelines = ['pipelines:', '  main:', '    streams:'];

test('parts that may be empty may have nothing after their name', async () => {
  const empty = ['    headers:', '    quota:', '    timeouts:', 'publish:'];
  const { settings, planned } = await configured(...sources, ...empty, ...pipelines, '      data/chains:');
  const written = await configured(
    ...sources,
    ...empty.map((line) => `${line} {}`),
    ...pipelines,
    '      data/chains: {}',
  );
  const withoutPlace = (some: typeof planned) => some.map((one) => ({ ...one, at: 0 }));
  expect(withoutPlace(planned)).toEqual(withoutPlace(written.planned));
  expect({ ...settings, placeOf: 0, warehouse: '' }).toEqual({ ...written.settings, placeOf: 0, warehouse: '' });
});

test.each([
  ['a parameter', [...sources, ...pipelines, '      data/chains: { network: }'], /:7:22: Stream data\/chains/],
  ['the streams', [...sources, ...pipelines], /:6:5: pipelines\.main\.streams is empty\.$/],
  ['a source', ['sources:', '  data:', 'pipelines: {}'], /:2:3: sources\.data is empty\.$/],
  ['a webhook', [...sources, 'notify:', 'pipelines: {}'], /:4:1: notify is empty\.$/],
  ['a stream that needs parameters', [...sources, ...pipelines, '      data/utxos:'], /:7:7: .*addresses is missing\./],
])('%s with nothing after its name is refused', async (_, lines, sentence) => {
  await expect(configured(...lines)).rejects.toThrow(sentence);
});

test.each([
  ['an unknown stream', ['      data/chain: {}'], ':7:7: There is no stream "data/chain".'],
  [
    'an unknown parameter',
    ['      data/chains:', '        limt: 5'],
    ':8:9: Stream data/chains: unknown option "limt".',
  ],
  [
    'an item of a list',
    ['      data/latest_transactions:', '        chainIds:', '          - "43114"', '          - [5]'],
    ':10:13: Stream data/latest_transactions: chainIds: ',
  ],
  [
    'a member of what an anchor names',
    ['      data/latest_transactions: &both { chainIds: [1], pageSize: x }', '      data/token_transfers: *both'],
    ':7:56: Stream data/latest_transactions: pageSize: ',
  ],
  [
    'a source that is not there',
    ['      metrics/chain_metrics: {}'],
    ':7:7: Stream metrics/chain_metrics reads the source "metrics"',
  ],
  [
    'a look back without a unit',
    ['      data/latest_transactions: { chainIds: [1], from: -1h, lookback: 0 }'],
    ':7:61: Stream data/latest_transactions: lookback: ',
  ],
  [
    'a file of addresses that is not there',
    ['      data/utxos: { addresses: { file: w.csv } }'],
    ':7:21: There is no ',
  ],
  [
    'a file of addresses with options that it has not',
    ['      data/utxos: { addresses: { file: w.csv, column: wallet } }'],
    ':7:21: Stream data/utxos: addresses: ',
  ],
])('%s is told with its line and column', async (_, lines, sentence) => {
  await expect(configured(...sources, ...pipelines, ...lines)).rejects.toThrow(`firn.yaml${sentence}`);
});

test.each([
  ['pipelines: []', ':4:1: pipelines: write members (name: value), not a list.'],
  [
    'pipelines: { a: { streams: { data/chains: true } } }',
    'streams.data/chains: write members (name: value), not true or false.',
  ],
  ['pipelines: { "": { streams: {} } }', ':4:1: pipelines: one has no name, or one that begins with "-"'],
  ['pipelines: {}\nwarehouse: [a]', ':5:1: warehouse: write text, not a list.'],
  ['pipelines: {}\npublish: { keepVersions: 0 }', ':5:12: publish.keepVersions: write 1 or more.'],
  ['pipelines: {}\npublish: { keepVersions: "3" }', ':5:12: publish.keepVersions: write a number, not text.'],
  [
    'pipelines: {}\npublish: { keepVersions: 1.5 }',
    ':5:12: publish.keepVersions: write a whole number, not a fraction.',
  ],
  ['pipelines: {}\nkeep: 99999999999d', ':5:1: keep: Write a number of days of at most five digits, such as 400d.'],
  ['pipelines: {}\nwarehouse: s3://bucket/firn', 'The warehouse is a folder of this machine, and s3:// begins a URL.'],
  ['pipelines: {}\nwarehouse: "a\\0b"', ':5:12: this text holds a NUL (\\0), which nothing here can have. Remove it.'],
  ['pipelines: {}\nlineage: { url: x }', ':5:12: lineage.url: write a URL that begins with http:// or https://'],
  [
    'pipelines: {}\nlineage: { url: "http://me:a@b/c@host" }',
    ':5:12: lineage.url: write / ? # and @ of a password as %2F %3F %23 and %40 (an @ behind the host, too), or',
  ],
  ['pipelines: {}\nlineage: { file: [x] }', ':5:12: lineage.file: write text, not a list.'],
  ['pipelines: {}\nlineage: { url: "http://x", file: y }', ':5:1: lineage: write { url } or { file }.'],
  ['pipelines: {}\nlineage: {}', ':5:1: lineage: write { url } or { file }.'],
  ['pipelines: {}\nextend: ""', ':5:1: extend is empty.'],
  ['pipelines: {}\ncontrol: x', 'control, stage and engine together, and stage and engine are missing.'],
  [
    'pipelines: { a: { streams: { data/staking_transactions: { txTypes: ["Add Validator"] } } } }',
    'txTypes: a type is one word, such as AddValidatorTx.',
  ],
  ['    concurrency: 0\npipelines: {}', ':4:5: sources.data.concurrency: write more than 0.'],
  ['pipelines: {}\ncontrol: ""', ':5:1: control is empty.'],
  [
    'pipelines: { a: { streams: { data/latest_transactions: { chainIds: [], from: 0 } } } }',
    'latest_transactions: chainIds is empty.',
  ],
  [
    'pipelines: { a: { streams: { data/latest_transactions: { chainIds: [43114, ""] } } } }',
    ':4:76: Stream data/latest_transactions: chainIds holds an empty text: write a name in its place, or remove it.',
  ],
  [
    'pipelines: { a: { streams: { data/utxos: { addresses: ["a,,b"] } } } }',
    ':4:56: Stream data/utxos: addresses holds',
  ],
  [
    'pipelines: { a: { streams: { data/utxos: { addresses: [a], assetId: " " } } } }',
    ':4:60: Stream data/utxos: assetId is empty.',
  ],
  [
    'pipelines: { a: { streams: { data/latest_transactions: { chainIds: [1], from: -30 } } } }',
    'latest_transactions: from: is below 0: write an age with its unit, such as -30d.',
  ],
])('%j is told in words', async (text, sentence) => {
  await expect(configured(...sources, ...text.split('\n'))).rejects.toThrow(sentence);
});

test('an address file may be named by the environment', async () => {
  const lines = [
    ...sources,
    ...pipelines,
    '      data/utxos: { addresses: { file: "$' + '{env:FIRN_TEST_WALLETS}" } }',
  ];
  await expect(configured(...lines)).rejects.toThrow(
    ':7:21: addresses takes a value from the environment variable FIRN_TEST_WALLETS, which is not set.',
  );
  const file = join(await temporary(), 'wallets.csv');
  await writeFile(file, 'P-fuji1abc\n');
  process.env['FIRN_TEST_WALLETS'] = file;
  try {
    expect((await configured(...lines)).planned).toMatchObject([{ parameters: { addresses: ['P-fuji1abc'] } }]);
  } finally {
    delete process.env['FIRN_TEST_WALLETS'];
  }
});

test('a variable that is called as what every object inherits is not set', async () => {
  await expect(configured('warehouse: "$' + '{env:constructor}"', ...sources, ...pipelines)).rejects.toThrow(
    'warehouse takes a value from the environment variable constructor, which is not set.',
  );
});

test('a value that holds itself is refused', async () => {
  await expect(configured('sources: &all', '  data: *all', 'pipelines: {}')).rejects.toThrow(
    'firn.yaml:2:9: this alias stands in what it names.',
  );
});

test('a file of more labelled addresses than a call takes arguments is read', { tags: 'long' }, async () => {
  const folder = await temporary();
  const lines = Array.from({ length: 150_000 }, (_, i) => `0x${i.toString(16).padStart(40, '0')},wallet ${i}`);
  await writeFile(join(folder, 'w.csv'), lines.join('\n'));
  const config = join(folder, 'firn.yaml');
  const stream = '      data/address_transactions: { addresses: { file: w.csv } }';
  await writeFile(config, [...sources, ...pipelines, stream].join('\n'));
  expect(readConfig({ config }).labels).toHaveLength(lines.length);
});

test.each([
  ['pipelines: {}', ':5:1: "pipelines" stands here twice. Keep one of the two.'],
  ['publish: { keepVersions: 3, "keepVersions": 4 }', ':5:29: "keepVersions" stands here twice.'],
])('a name that a map has twice is refused: %s', async (line, sentence) => {
  await expect(configured(...sources, 'pipelines: {}', line)).rejects.toThrow(`firn.yaml${sentence}`);
});

test('of very many options that there are not, the first are named', { tags: 'long' }, async () => {
  const options = Array.from({ length: 10_000 }, (_, i) => `option${i}: 1`);
  await expect(configured(...sources, 'pipelines: {}', ...options)).rejects.toThrow(
    /firn\.yaml:5:1: unknown options "option0", .*"option9" and 9990 more\. /,
  );
});

test('a name with bytes that are no UTF-8 is refused: it would lead to another folder', async () => {
  const config = join(await temporary(), 'firn.yaml');
  await writeFile(config, ['sources: {}', 'pipelines: {}'].join('\n'));
  // As Node gives the byte 0xff of an argument, and of a working folder.
  expect(() => readConfig({ config, warehouse: 'x\ufffdy' })).toThrow('x\ufffdy has bytes that are no UTF-8');
  expect(() => readConfig({ config: 'x\ufffdy/firn.yaml' })).toThrow('x\ufffdy/firn.yaml has bytes that are no UTF-8');
});

test('a configuration that another program hands over names whole paths: relative ones would lie in memory', async () => {
  const file = join(await temporary(), 'firn.yaml');
  const read = async (...lines: string[]) => {
    await writeFile(file, [...lines, 'sources: {}', 'pipelines: {}'].join('\n'));
    const handle = await open(file);
    try {
      return readConfig({ config: `/dev/fd/${handle.fd}` });
    } finally {
      await handle.close();
    }
  };
  expect(await read('warehouse: /srv/firn/warehouse')).toMatchObject({ warehouse: '/srv/firn/warehouse' });
  for (const [lines, named] of [
    [[], './warehouse'],
    [['warehouse: ./w'], './w'],
    [['warehouse: /srv/w', 'lineage: { file: lineage.jsonl }'], 'lineage.jsonl'],
  ] as const)
    await expect(read(...lines)).rejects.toThrow(`in whose folder nothing stays: ${named} cannot be relative to it`);
});
