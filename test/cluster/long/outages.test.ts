import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startDevnet } from 'firn-devnet';
import { afterAll, expect, inject, test } from 'vitest';
import { runCli } from '../../../src/cli/program/runCli.ts';
import { publishedName } from '../../../src/cluster/engine/relationSchemas.ts';
import { createTrinoEngine } from '../../../src/cluster/engine/trinoEngine.ts';
import { startCluster } from '../../../src/cluster/local/localCluster.ts';
import { pidOf, startService, stopService } from '../../../src/cluster/local/processes.ts';
import { project, sourcesOf } from '../../cli/cliHarness.ts';
import { unequalToReaders } from '../live/compareRelations.ts';
import { freshLake, lakeClient } from '../live/lake.ts';
import { serveFolder, startProxy } from '../stage/store.ts';

const run = join(inject('parts').folder, 'run');
const client = lakeClient();
const { schema, places } = await freshLake('outages');
const engine = createTrinoEngine({ client, schema, stageCatalog: 'stage', stageRoot: '' });
const net = await startDevnet({ ledger: 'test/fixtures/node-ledger-forks' });
afterAll(async () => {
  await net.close();
  await client.close();
});

const tell = (line: string) => process.stdout.write(`${line}\n`);

/** Puts a way of its own before the bucket, for firn and for Trino. */
async function meddledBucket() {
  await stopService(run, { name: 'bucket', end: 'SIGTERM' });
  const { port, child } = await serveFolder(join(run, 'bucket'));
  const proxy = await startProxy(port, Number(new URL(inject('bucket')).port));
  const counts = { refused: 0, slow: 0, lost: 0 };
  return {
    counts,
    trouble(isOn: boolean) {
      proxy.meddle = async (_, answer) => {
        if (!isOn) return false;
        const luck = Math.random();
        if (luck < 0.05) {
          counts.refused++;
          answer.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
          return true;
        }
        if (luck < 0.1) {
          counts.slow++;
          await delay(Math.random() * 3_000);
        }
        return false;
      };
      proxy.lose = ({ method }) => {
        const isLost = isOn && method === 'PUT' && Math.random() < 0.05;
        if (isLost) counts.lost++;
        return isLost;
      };
    },
    async close() {
      proxy.close();
      child.kill();
      await startCluster({ ...inject('parts'), print: () => {} });
    },
  };
}

/** Ends PostgreSQL as its administrator would, and starts it again as it was. */
async function restartPostgres(): Promise<void> {
  const pid = (await pidOf(run, 'postgres')) as number;
  const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').slice(0, -1);
  const folder = join(run, 'postgres');
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const id = (name: string) => Number(new RegExp(`^${name}:\\t(\\d+)`, 'm').exec(status)?.[1]);
  const service = { name: 'postgres', end: 'SIGINT' as const };
  await stopService(run, service);
  await delay(1_000);
  const account = { uid: id('Uid'), gid: id('Gid') };
  await startService(run, { ...service, port: 0, command, folder, account, isReady: async () => true });
}

test('a bucket that refuses, is slow and loses answers, and a PostgreSQL that is restarted: nothing is lost or doubled', async () => {
  const streams = {
    'node/containers': { indexes: ['C/block', 'P/block', 'X/block'] },
    'node/evm_blocks': { blockchainIds: ['C'], traces: true },
    'node/platform_blocks': {},
  };
  const both = { sources: sourcesOf(net), pipelines: { p: { streams } } };
  const alone = await project(both, { isNew: true });
  const cluster = await project({ ...both, ...places }, { isNew: true });
  const bucket = await meddledBucket();
  const said: string[] = [];
  const command = async (...args: string[]) => {
    const code = await runCli(['node', 'firn', '--config', cluster.config, '--quiet', ...args]);
    said.push(`${args[0]} ${code}`);
    return code;
  };
  /** Tries until it ends well, as cron or a supervisor would. */
  const insist = async (...args: string[]) => {
    while ((await command(...args)) !== 0) await delay(1_000);
  };
  try {
    expect(await alone.firn('run')).toMatchObject({ code: 0 });
    bucket.trouble(true);
    const working = [insist('worker', '--until-idle'), insist('worker', '--until-idle')];
    // Of what is there by then.
    const building = insist('run');
    await delay(15_000);
    await restartPostgres();
    await Promise.all([...working, building]);
    const all = insist('run');
    await delay(25_000);
    await restartPostgres();
    await all;
    bucket.trouble(false);
    tell(
      `bucket: ${JSON.stringify(bucket.counts)}; PostgreSQL restarted twice; commands and their codes: ${said.join(', ')}`,
    );
    expect(bucket.counts.refused).toBeGreaterThan(0);
    expect(bucket.counts.lost).toBeGreaterThan(0);
    const own = await alone.open();
    expect(await unequalToReaders(own, client, (name) => engine.name(publishedName(name)))).toEqual([]);
    own.close();
    expect(await cluster.firn('--json', 'verify')).toMatchObject({ code: 0, json: { failures: [] } });
  } finally {
    bucket.trouble(false);
    await bucket.close();
  }
});
