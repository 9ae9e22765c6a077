import { beforeAll, expect, test, vi } from 'vitest';
import { type Project, project } from './cliHarness.ts';
import { publishedSample } from './publishedSample.ts';

vi.setConfig({ testTimeout: 120_000 });

const locked = {
  sources: {
    node: { url: '$' + '{env:FIRN_TEST_UNSET_URL}', headers: { authorization: '$' + '{env:FIRN_TEST_UNSET_HEADER}' } },
    data: { url: 'http://127.0.0.1:1', key: '$' + '{env:FIRN_TEST_UNSET_KEY}' },
  },
  notify: { webhook: '$' + '{env:FIRN_TEST_UNSET_HOOK}' },
  pipelines: {
    chains: { schedule: '0 * * * *', streams: { 'data/chains': {} } },
    node: { streams: { 'node/platform_supply': {} } },
  },
};

let firn: Project['firn'];
beforeAll(async () => {
  ({ firn } = await publishedSample(locked));
});

test('commands that ask no source need no key', { tags: 'long' }, async () => {
  const built = await project(locked, { isBuilt: true });
  for (const command of ['build', 'publish', 'verify']) {
    const { code, err } = await built.firn(command);
    expect([command, code, err]).toEqual([command, 0, expect.not.stringContaining('FIRN_TEST_UNSET_KEY')]);
  }
  for (const args of [
    ['status'],
    ['report'],
    ['quarantine'],
    ['quarantine', 'replay'],
    ['state'],
    ['state', 'drop', 'data/chains', '--dry-run'],
    ['dictionary'],
    ['reconcile'],
    ['reconcile', '--explain', '43112', 'txCount', '2026-01-21'],
    ['schedule', '--print', 'cron'],
    ['streams'],
  ]) {
    const { code, err } = await firn(...args);
    expect([args.join(' '), code, err]).toEqual([
      args.join(' '),
      expect.not.toSatisfy((own) => own === 2 || own === 77),
      expect.not.stringContaining('FIRN_TEST_UNSET_KEY'),
    ]);
  }
  const told = await firn('status', '--notify');
  expect([told.code, told.err]).toEqual([0, expect.stringContaining('FIRN_TEST_UNSET_HOOK, which is not set')]);
});

test.each([
  ['sync', ['sync', '--pipeline', 'chains'], 'data', 'FIRN_TEST_UNSET_KEY'],
  ['sync of the node', ['sync', '--pipeline', 'node'], 'node', 'FIRN_TEST_UNSET_(?:URL|HEADER)'],
  ['plan', ['plan', '--pipeline', 'chains'], 'data', 'FIRN_TEST_UNSET_KEY'],
  ['doctor', ['doctor'], 'data', 'FIRN_TEST_UNSET_KEY'],
  ['sign', ['sign', 'message', '--message', '00'], 'data', 'FIRN_TEST_UNSET_KEY'],
  ['export', ['export', 'status'], 'data', 'FIRN_TEST_UNSET_KEY'],
  ['verify --against-source', ['verify', '--against-source', '1'], 'node', 'FIRN_TEST_UNSET_(?:URL|HEADER)'],
])('%s ends with 77 and names variable and source', async (_, args, source, name) => {
  const { code, out, err } = await firn(...args);
  expect(code, out + err).toBe(77);
  // Nobody was asked, so nobody refused it.
  expect(out + err).not.toContain('The key is not accepted');
  expect(out + err).toMatch(
    new RegExp(`source ${source} takes a value from the environment variable ${name}, which is not set`),
  );
});

test('plan tells once what all partitions of a source fail with', async () => {
  const streams = { 'data/latest_transactions': { chainIds: ['43112', '43113'] } };
  const data = { url: 'http://127.0.0.1:1', network: 'fuji', key: `\${env:${'FIRN_TEST_UNSET_KEY'}}` };
  const { firn } = await project({ sources: { data }, pipelines: { main: { streams } } });
  const { code, out } = await firn('plan');
  expect(code).toBe(77);
  expect(out.match(/which is not set/g)?.length).toBe(1);
  expect(out).toContain('data/latest_transactions (chain_id=43112; chain_id=43113): The source data takes a value');
});
