import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readLedger } from '../../src/devnet/readLedger.ts';
import { hashesOf, heightsAndIds } from '../run/ledgerFacts.ts';
import { type CliResult, runHere } from './cliHarness.ts';
import { type FirnProcess, startFirn } from './firnProcess.ts';
import { type Workspace, workspace } from './workspace.ts';

/** In the order in which a user would give them. Those that go on until they are stopped have tests of their own. */
const commands = [
  ['streams'],
  ['plan'],
  ['doctor'],
  ['sync'],
  ['build'],
  ['reconcile'],
  ['publish'],
  ['run'],
  ['status'],
  ['status', '--runs'],
  ['reconcile', '--explain', '43112', 'txCount', '2026-01-21'],
  ['verify'],
  ['verify', '--evidence'],
  ['verify', '--against-source', '3'],
  ['state'],
  ['quarantine'],
  ['dictionary'],
  ['report'],
  ['backfill', '--again', '2026-01-21', '--only-read'],
  ['schedule', '--print', 'cron'],
];

let devnet: FirnProcess;
let place: Workspace;
const results = new Map<string, CliResult>();

beforeAll(async () => {
  // The network is in a process of its own, as a node is on another machine.
  devnet = startFirn(['devnet', '--port', '0', '--head', '10%']);
  const address = () => /http:\/\/127\.0\.0\.1:\d+/.exec(devnet.written.stdout + devnet.written.stderr)?.[0];
  const url = await vi.waitUntil(address, { timeout: 60_000 });
  place = await workspace({
    sources: { node: { url }, metrics: { url } },
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
  });
  for (const command of commands) {
    results.set(command.join(' '), await runHere(['--config', place.config, '--json', ...command]));
  }
});

afterAll(async () => {
  devnet.child.kill('SIGTERM');
  await devnet.ended;
});

test.each(commands.map((command) => command.join(' ')))(
  'firn --json %s gives JSON and nothing else on stdout',
  (name) => {
    const { code, out, err } = results.get(name) as CliResult;
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toBeTypeOf('object');
  },
);

test('what was read over the network is what the ledger holds', async () => {
  const { c } = await readLedger();
  const own = await heightsAndIds((sql) => place.state(sql), 'raw.node_evm_blocks', 'number', 'hash');
  expect(own.length).toBeGreaterThan(100);
  expect(own).toEqual(hashesOf(c).slice(0, own.length));
});
