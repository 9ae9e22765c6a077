/** @module-tag long */
import { type Devnet, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sourcesOf } from './cliHarness.ts';
import { runFirn } from './firnProcess.ts';
import { workspace } from './workspace.ts';

vi.setConfig({ testTimeout: 120_000 });

let net: Devnet;
beforeAll(async () => {
  net = await startDevnet({ head: '1%', quota: { perMinute: 6000 } });
});
afterAll(() => net.close());

// The loader looks for a library of this architecture, for which the package brings none.
const env = { npm_config_arch: 'none' };

test('where the native library is missing doctor and the log of a run say so, once, and senders are the same', async () => {
  const streams = { 'node/containers': { indexes: ['C/block'] } };
  const configuration = { sources: sourcesOf(net), pipelines: { main: { streams } } };
  const senders = [];
  for (const { machine, times } of [{ times: 0 }, { machine: env, times: 1 }]) {
    const of = await workspace(configuration);
    // What this process has loaded stays: what is missing is missing in one of its own.
    const firn = (...args: string[]) =>
      machine ? runFirn(['--config', of.config, ...args], { env: machine }) : of.firn(...args);
    const doctor = await firn('doctor');
    expect([
      doctor.code,
      doctor.stdout.match(/warn +sender recovery +Senders are recovered in JavaScript/g) ?? [],
    ]).toEqual([0, Array(times).fill(expect.any(String))]);
    const sync = await firn('sync');
    expect(sync.code).toBe(0);
    expect(sync.stderr.match(/npm rebuild secp256k1/g) ?? []).toHaveLength(times);
    senders.push(await of.state('SELECT hash, from_address FROM raw.node_containers_c_transactions ORDER BY hash'));
  }
  expect(senders[0]?.length).toBeGreaterThan(20);
  expect(senders[1]).toEqual(senders[0]);
});
