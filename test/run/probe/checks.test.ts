import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { catalogue, sources as declared } from '../../../pipelines/index.ts';
import type { ErrorCode } from '../../../src/core/firnError.ts';
import { planStreams } from '../../../src/run/planStreams.ts';
import { checkDisk, checkFolder, checkNodeVersion } from '../../../src/run/probe/checkMachine.ts';
import { checkBackfills, checkNetwork, checkQuotas, withGone } from '../../../src/run/probe/checkState.ts';
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
  ['chains that are not listed', [finding('chains', 'missing', 'not_found')], [['data chains', 'warn', 0]]],
  ['a service that is down', [finding('chains', 'unreachable', 'unavailable')], [['data chains', 'fail', 75]]],
  ['an endpoint that is not offered', [finding(stream, 'missing', 'not_offered')], [[stream, 'warn', 0]]],
  ['a wrong URL of a chain', [finding('chain C', 'missing', 'not_offered')], [['data chain C', 'fail', 1]]],
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
  expect(states([{ ...missing, about: 'bootstrapped', state: 'unreachable', code: 'unavailable' }])).toEqual([
    0, 0, 0, 75,
  ]);
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
