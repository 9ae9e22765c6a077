/** @module-tag long */
import { join } from 'node:path';
import { readLedger } from 'firn-devnet';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { documents } from '../../src/cli/json/documents.ts';
import { hashesOf, heightsAndIds } from '../run/ledgerFacts.ts';
import { type CliResult, runHere } from './cliHarness.ts';
import { type FirnProcess, startFirn } from './firnProcess.ts';
import { checkedDocument, commandOf } from './jsonDocument.ts';
import { type Workspace, workspace } from './workspace.ts';

vi.setConfig({ hookTimeout: 300_000 });

const sender = '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc';
const year = ['--first-date', '2026-01-01', '--last-date', '2026-12-31'];

/** In the order in which a user would give them. */
const commands = [
  ['streams'],
  ['plan'],
  ['doctor'],
  ['sync'],
  ['build'],
  ['reconcile'],
  ['publish'],
  ['run'],
  ['state', 'drop', '--before', '2020-01-01'],
  ['status'],
  ['status', '--runs'],
  ['query', 'FROM mart.metric'],
  ['reconcile', '--explain', '43112', 'txCount', '2026-01-21'],
  ['verify'],
  ['verify', '--evidence'],
  ['verify', '--against-source', '3'],
  ['state'],
  ['quarantine'],
  ['quarantine', 'replay'],
  ['quarantine', 'accept', '--all', '--reason', 'of no use'],
  ['quarantine', 'reopen', '--all'],
  ['dictionary'],
  ['completion', 'bash'],
  ['report'],
  ['backfill', '--again', '2026-01-21', '--only-read'],
  ['schedule', '--print', 'cron'],
  ['export', 'start', '--type', 'evm', '--address', sender, '--chain', '43112', ...year],
  ['export', 'status'],
  ['export', 'wait'],
  ['export', 'download'],
  ['sign', 'message', '--message', '0x0102ff'],
  ['state', 'reset', 'metrics/chain_metrics'],
  ['state', 'drop', 'metrics/chain_metrics', '--dry-run'],
];

/** Tests of their own hold these against their schemas. */
const elsewhere = ['demo', 'error', 'sign tx', 'worker', 'migrate', 'cluster up', 'cluster down', 'cluster status'];

let devnet: FirnProcess;
let served: string;
let place: Workspace;
const results = new Map<string, CliResult>();

beforeAll(async () => {
  // The network is in a process of its own, as a node is on another machine.
  devnet = startFirn(['--json', 'devnet', '--port', '0', '--head', '5%']);
  const address = () => /http:\/\/127\.0\.0\.1:\d+/.exec(devnet.written.stdout + devnet.written.stderr)?.[0];
  const url = await vi.waitUntil(address, { timeout: 60_000 });
  const configuration = {
    sources: { node: { url }, data: { url, network: 'fuji' }, metrics: { url } },
    pipelines: {
      main: {
        schedule: '0 * * * *',
        streams: {
          'node/containers': { indexes: ['C/block'] },
          'node/evm_blocks': { blockchainIds: ['C'] },
          'metrics/chain_metrics': { chainIds: ['43112'], metrics: ['txCount'], from: '2026-01-01' },
        },
      },
    },
  };
  place = await workspace(configuration, { isBuilt: true });
  for (const command of commands) {
    results.set(command.join(' '), await runHere(['--config', place.config, '--json', ...command]));
  }
  results.set(
    'dbt-project',
    await runHere(['--config', place.config, '--json', 'dbt-project', join(place.folder, 'dbt')]),
  );
  const init = ['--config', `${place.config}.new`, '--json', 'init', '--node', url, '--metrics', url];
  results.set('init', await runHere(init));
  const server = startFirn(['--config', place.config, '--json', 'serve', '--port', '0']);
  await vi.waitUntil(() => server.written.stdout.includes('}'), { timeout: 60_000 });
  server.child.kill('SIGTERM');
  served = (await server.ended).stdout;
});

afterAll(async () => {
  devnet.child.kill('SIGTERM');
  await devnet.ended;
});

test.each([...commands, ['dbt-project'], ['init']].map((command) => command.join(' ')))(
  'firn --json %s gives one document of its schema, and nothing else on stdout',
  (name) => {
    const { code, out, err } = results.get(name) as CliResult;
    expect(code, err + out).toBe(0);
    expect(checkedDocument(name.split(' '), out)).not.toHaveProperty('error');
  },
);

test('servers say where they are in a document of their schema', () => {
  expect(checkedDocument(['serve'], served)).toHaveProperty('url');
  expect(checkedDocument(['devnet'], devnet.written.stdout)).toHaveProperty('url');
});

test('no command is left out', () => {
  const tested = [...commands.map(commandOf), 'dbt-project', 'init', 'serve', 'devnet', ...elsewhere];
  expect([...new Set(tested)].sort()).toEqual(Object.keys(documents).sort());
});

test('a schema refuses what is not of it', () => {
  const { out } = results.get('status') as CliResult;
  const changed = (change: object) => JSON.stringify({ ...JSON.parse(out), ...change });
  expect(() => checkedDocument(['status'], changed({ published_at: 1 }))).toThrow(/published_at/);
  expect(() => checkedDocument(['status'], changed({ generatedAt: 1 }))).toThrow(/generatedAt/);
  expect(() => checkedDocument(['run'], out)).toThrow(/runId/);
});

test('what was read over the network is what the ledger holds', async () => {
  const { c } = await readLedger();
  const own = await heightsAndIds((sql) => place.state(sql), 'raw.node_evm_blocks', 'number', 'hash');
  expect(own.length).toBeGreaterThan(100);
  expect(own).toEqual(hashesOf(c).slice(0, own.length));
});
