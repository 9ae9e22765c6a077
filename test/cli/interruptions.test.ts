import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Devnet, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { mainFile } from '../../src/load/packageFiles.ts';
import { compareWarehouses } from '../../src/run/evidence/compareWarehouses.ts';
import { json, localServer } from '../extract/localServer.ts';
import { changeState } from '../proof/changeState.ts';
import { temporary } from '../temporaryFolders.ts';
import { atOneAddress } from './atOneAddress.ts';
import { runFirn, startFirn } from './firnProcess.ts';
import { type Workspace, workspace } from './workspace.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const streams = {
  'node/containers': { indexes: ['C/block', 'P/block', 'X/block'] },
  'node/evm_blocks': { blockchainIds: ['C'], traces: false },
  'data/latest_transactions': { chainIds: ['43112'], from: '2026-01-20' },
};

/** Of util-linux: runs a command in a terminal of its own. */
const script = '/usr/bin/script';

let devnet: Devnet;
let whole: Workspace;

beforeAll(async () => {
  devnet = await startDevnet({ head: '8%' });
  whole = await workspace(atOneAddress(devnet.url, streams));
  expect((await whole.firn('sync')).code).toBe(0);
});
afterAll(() => devnet.close());

const warehouseOf = ({ folder }: Workspace) => join(folder, 'warehouse');
const stateOf = (of: Workspace) => join(warehouseOf(of), '.state', 'firn.duckdb');
const loads = (of: Workspace) => of.state('SELECT count(*)::INTEGER AS n FROM firn.load').then(([row]) => row?.['n']);

/** The next run completes, and the tables are those of a run that nothing interrupted. */
async function expectNextRunCompletes(of: Workspace): Promise<void> {
  const next = await of.firn('sync');
  expect(next.code, next.stdout + next.stderr).toBe(0);
  const differences = await compareWarehouses(warehouseOf(of), warehouseOf(whole));
  expect(differences.length).toBeGreaterThan(20);
  expect(differences.filter(({ onlyFirst, onlySecond }) => onlyFirst + onlySecond > 0)).toEqual([]);
}

const requests = () => Object.values(devnet.stats().requests).reduce((sum, n) => sum + n, 0);

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(10);
}

describe('a signal', () => {
  test.each([
    ['SIGINT', 130, 'Ctrl-C'],
    ['SIGTERM', 143, 'SIGTERM'],
  ] as const)(
    '%s ends a sync with %d: what was read is committed, the rest is for the next run',
    { tags: 'long' },
    async (signal, exit, name) => {
      const of = await workspace(atOneAddress(devnet.url, streams));
      const before = requests();
      const { child, ended } = startFirn(['--config', of.config, 'run']);
      await until(() => requests() >= before + 15);
      // As `timeout` does: to the process, and to its group.
      child.kill(signal);
      // Without a turn of the event loop, which may take longer than what passes for one signal.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      child.kill(signal);
      const { code, stdout, stderr } = await ended;
      expect(code, stdout + stderr).toBe(exit);
      expect(stderr).toMatch(new RegExp(`^${name}: .*then stopping`));
      expect(stdout).toMatch(/stopped/);
      expect(stdout).toMatch(/^sync in /m);
      expect(await loads(of)).toBeGreaterThan(0);
      expect(await of.state('SELECT exit_code FROM firn.run')).toEqual([{ exit_code: exit }]);
      await expectNextRunCompletes(of);
    },
  );

  test.skipIf(!existsSync(script))(
    'a terminal that is closed ends a run as SIGTERM does',
    { tags: 'long' },
    async () => {
      const of = await workspace(atOneAddress(devnet.url, streams));
      const before = requests();
      const command = `${process.execPath} ${mainFile()} --config ${of.config} sync`;
      const terminal = spawn(script, ['--quiet', '--command', command, '/dev/null'], { stdio: 'ignore' });
      await until(() => requests() >= before + 15);
      const { pid } = JSON.parse(readFileSync(join(warehouseOf(of), '.state', 'run.json'), 'utf8'));
      terminal.kill('SIGKILL');
      await until(() => !existsSync(`/proc/${pid}`));
      expect(await of.state('SELECT exit_code FROM firn.run')).toEqual([{ exit_code: 143 }]);
      await expectNextRunCompletes(of);
    },
  );

  test('a demo that is stopped prints its document, with what its runs came to', { tags: 'long' }, async () => {
    const folder = join(await temporary(), 'demo');
    const { child, written, ended } = startFirn(['--json', 'demo', '--folder', folder]);
    await until(() => written.stderr.includes('The embedded network is at'));
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ folder, runs: [{ exitCode: 130 }, { exitCode: 130 }], verdicts: [] });
  });

  test('a run that was started by nohup outlives its terminal', { tags: 'long' }, async () => {
    const of = await workspace(atOneAddress(devnet.url, streams));
    const before = requests();
    const { child, ended } = startFirn(['--config', of.config, 'sync'], { nohup: true });
    await until(() => requests() >= before + 15);
    child.kill('SIGHUP');
    const { code, stdout, stderr } = await ended;
    expect(code, stdout + stderr).toBe(0);
  });
});

test('a second run at the same time: 75 with the process that holds the warehouse; a signal ends that, though its source hangs', {
  tags: 'long',
}, async () => {
  const of = await workspace(atOneAddress(devnet.url, streams));
  onTestFinished(() => devnet.setFaults({}));
  devnet.setFaults({ stall: 1 });
  const { child, ended } = startFirn(['--config', of.config, 'sync']);
  await until(() => existsSync(join(warehouseOf(of), '.state', 'run.json')));
  const second = await of.firn('sync');
  expect(second.code).toBe(75);
  expect(second.stderr).toMatch(
    new RegExp(
      `firn: The warehouse .* is in use by process ${child.pid}.*Wait for it to end, or stop it, and run again`,
    ),
  );
  expect(second.stdout).toBe('');
  const machine = await of.firn('--json', 'run');
  expect(JSON.parse(machine.stdout)).toMatchObject({ error: { code: 'locked', exitCode: 75 } });
  child.kill('SIGTERM');
  expect((await ended).code).toBe(143);
  devnet.setFaults({});
  await expectNextRunCompletes(of);
});

describe('a full disk', () => {
  test('before anything is there: 73, and nothing half-made stays', { tags: 'long' }, async () => {
    const of = await workspace(atOneAddress(devnet.url, streams), { isNew: true });
    const { code, stderr } = await runFirn(['--config', of.config, 'sync'], { fileBlocks: 100 });
    expect(code, stderr).toBe(73);
    expect(stderr).toMatch(/Could not create .*firn\.duckdb: the disk is full.*Free some space and run again/);
    expect(existsSync(stateOf(of))).toBe(false);
    await expectNextRunCompletes(of);
  });

  test('in the middle of a run: 73, what was committed stays, nothing further begins', { tags: 'long' }, async () => {
    const of = await workspace(atOneAddress(devnet.url, streams));
    expect((await of.firn('state')).code).toBe(0);
    const { size } = await stat(stateOf(of));
    const { code, stdout, stderr } = await runFirn(['--config', of.config, 'run'], {
      fileBlocks: Math.ceil(size / 1024) + 500,
    });
    expect(code, stdout + stderr).toBe(73);
    expect(stdout).toMatch(/the disk is full.*Free some space and run again; what was committed stays/);
    expect(stdout).toMatch(/^sync in /m);
    await expectNextRunCompletes(of);
  });
});

describe('a warehouse that cannot be used', () => {
  test('of a newer version: 2, and nothing is changed', { tags: 'long' }, async () => {
    const of = await workspace(atOneAddress(devnet.url, streams));
    expect((await of.firn('state')).code).toBe(0);
    await changeState(
      { warehouse: warehouseOf(of) },
      "INSERT INTO main.firn_schema_version VALUES (9999, 'of the future', now()::TIMESTAMP)",
    );
    for (const command of [['sync'], ['build'], ['state', 'list'], ['quarantine']]) {
      const { code, stdout, stderr } = await of.firn(...command);
      expect(code, command.join(' ')).toBe(2);
      expect(stderr).toMatch(
        /has schema version 9999, this firn knows \d+\. Upgrade firn and run again; nothing was changed/,
      );
      expect(stdout).toBe('');
    }
    expect(await loads(of)).toBe(0);
  });

  test.each([
    ['is something else', 0, 'something else entirely '.repeat(1000)],
    ['has a wrong header', 12, 'version'],
  ])(
    'that %s: 1 with what to do, also in a folder whose name speaks of locks',
    { tags: 'long' },
    async (_, at, text) => {
      const of = await workspace({ ...atOneAddress(devnet.url, streams), warehouse: './blocks' });
      const file = join(of.folder, 'blocks', '.state', 'firn.duckdb');
      expect((await of.firn('plan')).code).toBe(0);
      const handle = await open(file, 'r+');
      await handle.write(Buffer.from(text), 0, text.length, at);
      await handle.close();
      const { code, stderr } = await of.firn('sync');
      expect(stderr).toMatch(
        /The warehouse .*firn\.duckdb is damaged \(.*\)\. Restore it from a backup, or move it away/s,
      );
      expect(code).toBe(1);
      await rm(file);
      expect((await of.firn('plan')).code).toBe(0);
    },
  );
});

test('a Retry-After that a killed run was waiting for holds for the next one', { tags: 'long' }, async () => {
  let asked = 0;
  const { url } = await localServer((response) => {
    asked += 1;
    json(response, 429, {}, { 'retry-after': '200' });
  });
  const of = await workspace({ sources: { data: { url } }, pipelines: { main: { streams: { 'data/chains': {} } } } });
  const { child, ended } = startFirn(['--config', of.config, 'sync']);
  const pauses = join(warehouseOf(of), '.state', 'pauses');
  await until(() => existsSync(pauses) && readdirSync(pauses).some((name) => name.endsWith('.json')));
  child.kill('SIGKILL');
  await ended;
  const before = asked;
  expect((await of.firn('sync', '--max-time', '1s')).stdout).toMatch(/Reading ended by --max-time/);
  expect(asked).toBe(before);
});
