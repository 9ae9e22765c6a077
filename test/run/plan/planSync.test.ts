import { type DevnetOptions, startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import type { Stream } from '../../../src/core/stream/stream.ts';
import { shownPosition } from '../../../src/run/plan/planSync.ts';
import { project, sourcesOf } from '../../cli/cliHarness.ts';

const stream = (id: string) => catalogue.find((one) => one.id === id) as Stream;

test.each([
  [undefined, 'the beginning'],
  ['-24h', '-24h'],
  [0, '0'],
])('what was never read begins at "from" (%s)', (from, text) => {
  expect(shownPosition(stream('data/latest_transactions'), null, from)).toBe(text);
});

test.each<[string, Record<string, unknown>, string]>([
  ['metrics/chain_metrics', { newest: 1_772_323_200 }, 'newest 2026-03-01 00:00:00'],
  [
    'data/primary_transactions',
    { cursor: 1_775_195_746, since: { time: 1_768_867_200 } },
    'cursor 2026-04-03 05:55:46, since 2026-01-20 00:00:00',
  ],
  // A height is no time, however large.
  ['data/latest_transactions', { cursor: 1_775_195_746, since: { height: 7 } }, 'cursor 1775195746, since height 7'],
  [
    'data/latest_transactions',
    { cursor: 3538, reading: { token: 'secret', at: 1, newest: 9, until: {} } },
    'cursor 3538, an unfinished read',
  ],
  ['data/address_transactions', { next: 3498, since: 1_768_867_200 }, 'next 3498, since 2026-01-20 00:00:00'],
  ['data/chains', { readAt: 1_795_393_915_577 }, 'read 2026-11-23 00:31:55'],
  ['node/evm_active_rules_history', { asked: [0, 1_607_144_400] }, 'asked 2'],
  // What is no time of this calendar stays a number.
  ['metrics/chain_metrics', { newest: 1e18 }, 'newest 1000000000000000000'],
])('%s at %j: %s', (id, position, text) => {
  expect(shownPosition(stream(id), position)).toBe(text);
});

test('a plan says of an index that was switched on late, or holds nothing yet, that it will not do', async () => {
  const devnet = await startDevnet({ head: '3%', gaps: { 'C/block': [[1, 5]], 'X/block': [[1, 5000]] } });
  onTestFinished(() => devnet.close());
  const streams = { 'node/containers': { indexes: ['C/block', 'X/block', 'X/tx'], decode: false } };
  const { firn } = await project({ sources: sourcesOf(devnet), pipelines: { main: { streams } } });
  const { code, json } = await firn('--json', 'plan');
  const empty = {
    to: 'nothing yet',
    note: expect.stringContaining('/X/block holds nothing yet. If its chain has blocks'),
  };
  expect(code).toBe(4);
  expect(json.partitions).toMatchObject([
    { code: 'contract', note: expect.stringContaining('begins with the block of height 6, not with the first one') },
    empty,
    { to: 'nothing yet' },
  ]);
  const { partitions } = (await firn('--json', 'sync')).json;
  expect(partitions.flatMap(({ notes = [] }: { notes?: string[] }) => notes)).toEqual([empty.note]);
});

test.each<[string, object, string]>([
  ['the latest', {}, '-24h'],
  ['the latest from a date on', { from: '2026-01-20' }, '2026-01-20'],
  ['the history of an address', { addresses: ['P-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t'] }, 'the beginning'],
])('a plan says where the first read of %s begins', async (_, parameters, from) => {
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  const streams = { 'data/primary_transactions': { blockchainIds: ['p-chain'], ...parameters } };
  const { firn } = await project({ sources: sourcesOf(devnet), pipelines: { main: { streams } } });
  expect((await firn('--json', 'plan')).json.partitions).toMatchObject([{ from, requests: 1, computeUnits: 100 }]);
});

test.each<[string, DevnetOptions, object]>([
  ['has the index of the P-Chain', {}, {}],
  ['has it, and gives JSON too', {}, { json: true }],
  ['does not have it', { without: ['index'] }, {}],
  ['has one that was switched on late', { gaps: { 'P/block': [[1, 5]] } }, {}],
])(
  'a plan says how many requests P-Chain blocks take of a node that %s',
  { tags: 'long' },
  async (_, options, parameters) => {
    const devnet = await startDevnet({ head: '3%', ...options });
    onTestFinished(() => devnet.close());
    const streams = { 'node/platform_blocks': { from: 1, ...parameters } };
    const { firn } = await project({ sources: sourcesOf(devnet), pipelines: { main: { streams } } });
    for (const head of ['3%', '3.2%']) {
      devnet.moveHead(head);
      const [planned] = (await firn('--json', 'plan')).json.partitions;
      const [read] = (await firn('--json', 'sync')).json.partitions;
      expect([planned.rows, planned.requests]).toEqual([read.rows, read.requests]);
    }
  },
);

test.each([
  ['nothing is new', '3%'],
  ['more is', '3.2%'],
])('a plan counts what was read in part and is wanted whole, where %s', { tags: 'long' }, async (_, head) => {
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  const configured = (traces: boolean) => ({
    sources: sourcesOf(devnet),
    pipelines: { main: { streams: { 'node/evm_blocks': { from: 3, traces } } } },
  });
  const { firn, configure, query } = await project(configured(false));
  await firn('sync');
  devnet.moveHead(head);
  await configure(configured(true));
  const [planned] = (await firn('--json', 'plan')).json.partitions;
  expect(planned.requests).toBeGreaterThan(1);
  await firn('sync');
  const [held] = await query('SELECT count(*)::INTEGER AS rows FROM raw.node_evm_blocks');
  const note = 'was read in part from 3 on, and is read again';
  expect(planned).toMatchObject({ from: '3', note, ...held });
  expect((await firn('--json', 'plan')).json.partitions).toMatchObject([{ rows: 0, requests: 1 }]);
});
