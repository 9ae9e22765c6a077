import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { catalogue, sources as declared } from '../../../pipelines/index.ts';
import type { ErrorCode } from '../../../src/core/firnError.ts';
import { planStreams } from '../../../src/run/planStreams.ts';
import { checkDisk, checkFolder, checkNodeVersion } from '../../../src/run/probe/checkMachine.ts';
import { checkBackfills, checkBegin, checkNetwork, checkQuotas, withGone } from '../../../src/run/probe/checkState.ts';
import { checksOf } from '../../../src/run/probe/doctorCheck.ts';
import type { Finding } from '../../../src/run/probe/finding.ts';
import type { StateFacts } from '../../../src/run/probe/readState.ts';
import { settingsSchema } from '../../../src/run/settings.ts';
import { temporary } from '../../temporaryFolders.ts';

test.each([
  ['20.19.0', 'ok'],
  ['20.19', 'ok'],
  ['20.20.1', 'ok'],
  ['22.0.0', 'ok'],
  ['100.0.0', 'ok'],
  ['20.18.9', 'fail'],
  ['18.20.4', 'fail'],
  ['9.99.0', 'fail'],
])('Node %s: %s', (version, state) => {
  expect(checkNodeVersion(version, '>=20.19')).toMatchObject({ state, exitCode: state === 'ok' ? 0 : 1 });
});

test('a link that leads nowhere, as to a disk that is not mounted, is no folder that a run makes', async () => {
  const folder = await temporary();
  const link = join(folder, 'warehouse');
  await symlink(join(folder, 'unmounted'), link);
  expect(await checkFolder(link)).toMatchObject([{ state: 'fail', exitCode: 73 }]);
  expect(await checkFolder(join(folder, 'new'))).toMatchObject([{ state: 'ok' }, {}]);
});

test('a link inside the warehouse ends every run', async () => {
  const folder = await temporary();
  await symlink(await temporary(), join(folder, '.state'));
  const sentence = expect.stringMatching(/\.state is a symbolic link/);
  expect(await checkFolder(folder)).toMatchObject([{ state: 'fail', exitCode: 2, sentence }]);
});

test('a file is no folder of a warehouse', async () => {
  const file = join(await temporary(), 'file');
  await writeFile(file, '', { mode: 0o755 });
  expect(await checkFolder(file)).toMatchObject([{ state: 'fail', exitCode: 73 }]);
});

test.each([
  [5e8, 'fail', 73],
  [5e9, 'warn', 0],
  [5e10, 'ok', 0],
])('%d bytes free: %s', (free, state, exitCode) => {
  expect(checkDisk(free, '/warehouse')).toMatchObject({ state, exitCode });
});

test('a disk that takes hardly more files, whatever room it has', () => {
  const { state, exitCode, sentence } = checkDisk(100e9, '/warehouse', 12);
  expect([state, exitCode, sentence]).toEqual(['fail', 73, expect.stringContaining('/warehouse takes 12 more files')]);
  expect(checkDisk(100e9, '/warehouse', 1e6)).toMatchObject({ state: 'ok' });
});

const finding = (about: string, state: Finding['state'], code?: ErrorCode): Finding => ({
  source: 'data',
  about,
  state,
  sentence: about,
  ...(code && { code }),
});
const stream = 'data/validators fuji';

test.each<[string, Finding[], [string, string, number][]]>([
  [
    'all well',
    [finding('chains', 'ok'), finding('key', 'ok')],
    [
      ['data chains', 'ok', 0],
      ['data key', 'ok', 0],
    ],
  ],
  [
    'a refused key is told once',
    [
      finding('chains', 'refused', 'unauthorized'),
      finding(stream, 'refused', 'unauthorized'),
      finding('key', 'refused', 'unauthorized'),
    ],
    [['data key', 'fail', 77]],
  ],
  [
    'chains that are not listed, where the streams answer',
    [finding('chains', 'missing', 'not_found'), finding(stream, 'ok')],
    [[stream, 'ok', 0]],
  ],
  [
    'chains that a service refuses to list, where the streams answer',
    [finding('chains', 'refused', 'refused'), finding(stream, 'ok')],
    [[stream, 'ok', 0]],
  ],
  [
    'chains that are not listed, where nothing but the key is known',
    [finding('chains', 'missing', 'not_found'), finding('key', 'ok')],
    [
      ['data chains', 'warn', 0],
      ['data key', 'ok', 0],
    ],
  ],
  [
    'a host that is another one is told once',
    [finding(stream, 'refused', 'unauthorized'), finding('host', 'refused', 'config')],
    [['data host', 'fail', 2]],
  ],
  [
    'a key that one source refuses says nothing of another',
    [finding('key', 'refused', 'unauthorized'), { ...finding('chains', 'refused', 'unauthorized'), source: 'metrics' }],
    [
      ['data key', 'fail', 77],
      ['metrics chains', 'warn', 0],
    ],
  ],
  [
    'a URL at which there is no node, beside a service that answers',
    [{ ...finding('network', 'missing', 'not_offered'), source: 'node' }, finding(stream, 'ok')],
    [
      ['node network', 'fail', 1],
      [stream, 'ok', 0],
    ],
  ],
  [
    'traces and receipts that are refused',
    [finding('chain C', 'ok'), finding('traces C', 'refused', 'refused'), finding('receipts C', 'refused', 'refused')],
    [
      ['data chain C', 'ok', 0],
      ['data traces C', 'warn', 0],
      ['data receipts C', 'warn', 0],
    ],
  ],
  ['chains that are not listed', [finding('chains', 'missing', 'not_found')], [['data chains', 'warn', 0]]],
  ['a service that is down', [finding('chains', 'unreachable', 'unavailable')], [['data chains', 'fail', 75]]],
  ['an endpoint that is not offered', [finding(stream, 'missing', 'not_offered')], [[stream, 'warn', 0]]],
  ['a wrong URL of a chain', [finding('chain C', 'missing', 'not_offered')], [['data chain C', 'fail', 1]]],
  ['a chain that is down', [finding('chain C', 'unreachable', 'unavailable')], [['data chain C', 'fail', 75]]],
  ['a URL at which there is no node', [finding('network', 'missing', 'not_offered')], [['data network', 'fail', 1]]],
  [
    'a node that offers no info API',
    [finding('network', 'missing', 'not_offered'), finding(stream, 'ok')],
    [
      ['data network', 'warn', 0],
      [stream, 'ok', 0],
    ],
  ],
  ['a path that is not there', [finding(stream, 'missing', 'not_found')], [[stream, 'fail', 1]]],
  ['a stream that does not fit', [finding(stream, 'missing', 'config')], [[stream, 'fail', 2]]],
  ['not now', [finding(stream, 'unreachable', 'rate_limited')], [[stream, 'fail', 75]]],
  ['a quota that is used up', [finding('quota', 'refused', 'rate_limited')], [['data quota', 'warn', 0]]],
])('%s', (_, findings, checks) => {
  expect(checksOf(findings).map(({ name, state, exitCode }) => [name, state, exitCode])).toEqual(checks);
});

const state: StateFacts = {
  begun: new Map(),
  schemaVersion: 1,
  network: { id: 1, name: 'mainnet' },
  chains: { C: '43114' },
  genesis: { C: '0x31ce' },
  read: new Set(['node/containers index_name=C/block']),
  used: { data: 950 },
};

test('what was read before and is not offered any more fails, but not while the node is bootstrapping', () => {
  const missing = { source: 'node', state: 'missing', sentence: 'x', code: 'not_offered' } as const;
  const containers = (index: string) => ({
    ...missing,
    about: `node/containers ${index}`,
    stream: 'node/containers',
    partition: { values: { index_name: index } },
  });
  const findings = [containers('C/block'), containers('P/block'), { ...missing, about: 'chain C' }];
  const states = (more: readonly Finding[] = []) =>
    checksOf(withGone(state, [...findings, ...more])).map(({ exitCode }) => exitCode);
  expect(states()).toEqual([75, 0, 75]);
  const late = { ...missing, about: 'bootstrapped', state: 'unreachable', code: 'unavailable' } as const;
  expect(states([late])).toEqual([0, 0, 0, 75]);
  expect(states([{ ...late, source: 'other' }])).toEqual([75, 0, 75, 75]);
  expect(states([{ ...late, state: 'ok' }])).toEqual([75, 0, 75, 0]);
  expect(checksOf(withGone(null, findings)).map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
});

const network = { networkId: 1, network: 'mainnet', hrp: 'avax', chains: [] };
const offers = {};
const chain = (genesisHash: string | null) =>
  ({
    name: 'C',
    chainId: '43114',
    genesisHash,
    height: 1,
    blocks: 'genesis',
    receipts: 'genesis',
    traces: 'none',
  }) as const;
const nodeWith = (genesisHash: string | null) => ({ ...other, networkId: 1, chains: [chain(genesisHash)] });
const other = { state: 'ok', networkId: 5, chains: [], listed: [], findings: [] } as const;

test.each([
  ['the same network', { network, offers }, 'ok'],
  ['another network id', { network, offers: { node: other } }, 'fail'],
  ['the same genesis', { network, offers: { node: nodeWith('0x31ce') } }, 'ok'],
  ['a genesis that is not told', { network, offers: { node: nodeWith(null) } }, 'ok'],
  ['a node that does not say its network', { network, offers: { node: { ...other, networkId: null } } }, 'ok'],
  [
    'a chain that was not read',
    { network, offers: { node: { ...nodeWith(null), chains: [{ ...chain('0x4d77'), name: 'L1', chainId: '99' }] } } },
    'ok',
  ],
  ['another genesis', { network, offers: { node: nodeWith('0x4d77') } }, 'fail'],
  ['another network of the data service', { network: { ...network, network: 'fuji' }, offers }, 'fail'],
  ['a network that nobody names', { network: { ...network, network: 'unknown' }, offers }, 'ok'],
] as const)('%s', (_, told, wanted) => {
  expect(checkNetwork(state, told)).toMatchObject([{ state: wanted, exitCode: wanted === 'ok' ? 0 : 2 }]);
});

test('networks are told by the names that they have everywhere', () => {
  const held = { ...state, network: { id: 12345, name: 'fuji' } };
  const sentenceOf = (told: typeof network) => checkNetwork(held, { network: told, offers: {} })[0]?.sentence;
  expect(sentenceOf({ ...network, network: 'fuji' })).toBe('the warehouse holds local (network 12345), served as fuji');
  expect(sentenceOf({ ...network, network: 'mainnet', networkId: 1 })).toMatch(
    /: it holds local \(network 12345\), served as fuji, the sources belong to mainnet \(network 1\)\. Point/,
  );
});

test('a warehouse that pinned nothing cannot be of another network', () => {
  expect(checkNetwork(null, { network, offers })).toEqual([]);
  expect(checkNetwork({ ...state, network: null }, { network, offers })).toEqual([]);
  const named = { ...state, network: { id: null, name: 'mainnet' } };
  expect(checkNetwork(named, { network, offers: { node: other } })).toMatchObject([{ state: 'ok' }]);
  const unnamed = { ...state, network: { id: null, name: 'unknown' } };
  expect(checkNetwork(unnamed, { network, offers })).toMatchObject([{ state: 'ok' }]);
});

test.each([
  [1_000, 'warn'],
  [1_100, 'ok'],
])('950 units of a daily quota of %d: %s', (perDay, wanted) => {
  const { sources } = settingsSchema(declared).parse({
    sources: { data: { url: 'http://127.0.0.1:1', quota: { perDay } }, metrics: { url: 'http://127.0.0.1:1' } },
    pipelines: {},
  });
  expect(checkQuotas(state, sources)).toMatchObject([{ name: 'data daily quota', state: wanted }]);
});

test.each<[string, object, Partial<StateFacts>, RegExp | null]>([
  ['begins earlier than it was read from', { from: 3 }, {}, /"firn backfill node\/platform_blocks --from 3"/],
  ['begins where it was read from', { from: 7 }, {}, null],
  ['was not read yet', { from: 3 }, { read: new Set() }, null],
  ['was read in part', { from: 7 }, { partFrom: new Map([['node/platform_blocks all', 9]]) }, /^From height 9 on/],
])('a stream that %s', (_, parameters, facts, sentence) => {
  const settings = settingsSchema(declared).parse({
    sources: { node: { url: 'http://127.0.0.1:1' } },
    pipelines: { main: { streams: { 'node/platform_blocks': parameters } } },
  });
  const read = { read: new Set(['node/platform_blocks all']), begun: new Map([['node/platform_blocks all', '7']]) };
  expect(checkBegin({ ...state, ...read, ...facts }, planStreams(settings, catalogue), network)).toEqual(
    sentence === null
      ? []
      : [{ name: 'node/platform_blocks', state: 'warn', exitCode: 0, sentence: expect.stringMatching(sentence) }],
  );
});

test('a backfill that is not over is told where its partition is configured, with how it goes on', () => {
  const settings = settingsSchema(declared).parse({
    sources: { node: { url: 'http://127.0.0.1:1' } },
    pipelines: { main: { streams: { 'node/platform_blocks': {} } } },
  });
  const planned = planStreams(settings, catalogue);
  const of = (stream: string, partition: string) => ({ stream, partition, asked: '7' });
  const backfills = [of('node/platform_blocks', 'all'), of('node/platform_blocks', 'gone'), of('node/containers', 'a')];
  expect(checkBackfills({ ...state, backfills }, planned, network)).toMatchObject([
    {
      name: 'node/platform_blocks',
      state: 'warn',
      exitCode: 0,
      sentence: 'A backfill from 7 is not over: "firn backfill node/platform_blocks --from 7" goes on.',
    },
  ]);
  // Each by itself: a stream has one line.
  for (const one of backfills.slice(1))
    expect(checkBackfills({ ...state, backfills: [one] }, planned, network)).toEqual([]);
  expect(checkBackfills(null, planned, network)).toEqual([]);
});
