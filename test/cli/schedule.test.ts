import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runCli } from '../../src/cli/program/runCli.ts';
import { mainFile } from '../../src/load/packageFiles.ts';
import { temporary } from '../temporaryFolders.ts';
import { runHere } from './cliHarness.ts';

/** The lines that are printed for one pipeline of a configuration in a folder of this name. */
async function printed(name: string, kind: string, pipeline = 'primary', options: readonly string[] = [], places = '') {
  const folder = join(await temporary(), name);
  await mkdir(folder);
  const config = join(folder, 'firn.yaml');
  await writeFile(
    config,
    `${places}sources: {}\npipelines: { "${pipeline}": { schedule: "*/10 * * * *", streams: {} } }`,
  );
  const { code, out, err } = await runHere(['--config', config, ...options, 'schedule', '--print', kind]);
  if (code === 2) throw new Error(err);
  expect(code).toBe(0);
  return { folder, config, out };
}

/** What a shell makes of the words of a crontab's command. */
async function wordsOf(line: string): Promise<string[]> {
  const command = line.split(' ').slice(5).join(' ').replaceAll('\\%', '%').replace(' 2>&1', '').replace(' >> ', ' ');
  const { stdout } = await promisify(execFile)('sh', ['-c', `printf '%s\\n' ${command}`]);
  return stdout.trimEnd().split('\n');
}

test.each(['plain', 'two words', "it's 100 %$HOME"])(
  'a line for cron starts this very firn, in a folder called %s',
  async (name) => {
    const { folder, config, out } = await printed(name, 'cron');
    const [, zone, line = ''] = out.split('\n');
    expect(zone).toBe('CRON_TZ=UTC');
    expect(line.replaceAll('\\%', '')).not.toContain('%');
    expect(await wordsOf(line)).toEqual([
      process.execPath,
      mainFile(),
      ...['--quiet', '--config', config, 'run', '--pipeline', 'primary'],
      join(folder, 'firn.log'),
    ]);
  },
);

test.each([
  ['cron', 'a\nb', 'primary', 'a\\nb'],
  ['systemd', 'a\rb', 'primary', 'a\\rb'],
  ['cron', 'plain', 'x\\ny', 'x\\ny'],
])('a line break, which would end a line for %s, is refused in %j and %j', async (kind, name, pipeline, named) => {
  await expect(printed(name, kind, pipeline)).rejects.toThrow(`${named}" has a line break`);
});

test('a pipeline whose time never comes is named where lines are printed', async () => {
  const config = join(await temporary(), 'firn.yaml');
  await writeFile(config, 'sources: {}\npipelines: { primary: { schedule: "0 0 30 2 *", streams: {} } }');
  const { code, err } = await runHere(['--config', config, 'schedule', '--print', 'cron']);
  expect([code, err]).toEqual([0, expect.stringContaining('primary: 0 0 30 2 * never comes')]);
});

test('a systemd unit starts this very firn', async () => {
  const { folder, config, out } = await printed('two words, 100 %$HOME', 'systemd');
  const word = config.replaceAll('%', '%%').replaceAll('$', '$$$$');
  expect(out).toContain(
    `\nExecStart=${process.execPath} ${mainFile()} --quiet --config "${word}" run --pipeline primary\n`,
  );
  expect(out).toContain(`\nWorkingDirectory=${folder.replaceAll('%', '%%')}\n`);
});

test.each(['cron', 'systemd'])('what %s starts works on the warehouse that was named', async (kind) => {
  const { out } = await printed('plain', kind, 'primary', ['--warehouse', 'other']);
  expect(out).toContain(` --warehouse ${resolve('other')} run --pipeline primary`);
});

test.each(['cron', 'systemd'])('what %s starts on a cluster builds what all workers read', async (kind) => {
  const places =
    'control: postgresql://db/firn\nstage: s3://chain-data/firn\nengine: { trino: "http://trino:8080", catalog: lake, stageCatalog: stage }\n';
  const { config, out } = await printed('plain', kind, 'primary', [], places);
  expect(out).toMatch(new RegExp(` --config ${config} run($| >> )`, 'm'));
});

test.each(['cron', 'systemd'])('pipelines that %s starts wait for each other', async (kind) => {
  const config = join(await temporary(), 'firn.yaml');
  const often = 'often: { schedule: "0 * * * *", streams: {} }';
  await writeFile(config, `sources: {}\npipelines: { ${often}, daily: { schedule: "0 3 * * *", streams: {} } }`);
  const { out } = await runHere(['--config', config, 'schedule', '--print', kind]);
  expect(out.match(/ run --pipeline \w+ --wait 10m$| run --pipeline \w+ --wait 10m >> /gm)).toHaveLength(2);
});

test('a systemd unit has the name of a file, whatever a pipeline is called', async () => {
  const { out } = await printed('plain', 'systemd', 'every day/a@b');
  expect(out).toContain('\n# systemctl --user enable --now firn-every-day-a-b.timer\n');
  expect(out).toContain(' run --pipeline "every day/a@b"\n');
});

/** A schedule by a clock of its own, from half past twelve on. What its pipeline names is not there: a run says which, and ends. */
async function scheduled(...options: string[]) {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.parse('2026-02-01T00:30:00Z') });
  onTestFinished(() => void vi.useRealTimers());
  const config = join(await temporary(), 'firn.yaml');
  const configure = (schedule: string, stream = 'node/first') =>
    writeFile(config, `sources: {}\npipelines: { primary: { schedule: "${schedule}", streams: { "${stream}": {} } } }`);
  const written: string[] = [];
  const failures = () => written.filter((text) => text.includes(' primary: '));
  for (const stream of [process.stdout, process.stderr]) {
    const spy = vi.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    onTestFinished(() => spy.mockRestore());
  }
  await configure('0 * * * *');
  const listeners = process.listenerCount('SIGTERM');
  const ended = runCli(['node', 'firn', '--config', config, ...options, 'schedule']);
  await vi.waitFor(() => expect(process.listenerCount('SIGTERM')).toBeGreaterThan(listeners), { timeout: 30_000 });
  return {
    config,
    configure,
    written,
    failures,
    async nextRun(minutes: number) {
      const before = failures().length;
      await vi.advanceTimersByTimeAsync(minutes * 60_000);
      await vi.waitFor(() => expect(failures()).toHaveLength(before + 1), { timeout: 30_000 });
    },
    end() {
      process.emit('SIGTERM');
      return ended;
    },
  };
}

test('every run reads the configuration again, its times with it, and goes on where that is wrong', async () => {
  const { config, configure, written, failures, nextRun, end } = await scheduled();
  await vi.waitFor(() => expect(written.join('')).toContain('Waiting'), { timeout: 30_000 });
  await nextRun(30);
  await writeFile(config, 'sources: {}\npipelines: { primary: { schedule: "never" } }');
  await nextRun(60);
  await configure('*/10 * * * *', 'node/second');
  await nextRun(60);
  await nextRun(10);
  expect(await end()).toBe(0);
  expect(failures()).toEqual([
    expect.stringMatching(/^2026-02-01T01:00\S+ primary: .*node\/first/),
    expect.stringMatching(/^2026-02-01T02:00\S+ primary: .*Write a cron expression/),
    expect.stringMatching(/^2026-02-01T03:00\S+ primary: .*node\/second/),
    expect.stringMatching(/^2026-02-01T03:10\S+ primary: .*node\/second/),
  ]);
  expect(written).toContain('primary: */10 * * * * (UTC)\n');
});

test('a pipeline whose time never comes is named', async () => {
  const { configure, written, nextRun, end } = await scheduled();
  expect(written.join('')).not.toContain('never comes');
  await configure('0 0 30 2 *');
  await nextRun(30);
  expect(await end()).toBe(0);
  expect(written).toContainEqual(expect.stringContaining('primary: 0 0 30 2 * never comes'));
});

test('a run that could not begin has a line of the log as well', async () => {
  const { written, nextRun, end } = await scheduled('--quiet');
  await nextRun(30);
  await end();
  expect(written).toContainEqual(
    expect.stringMatching(/^2026-02-01T01:00\S+ firn run exit=2 reason=".*node\/first.*" pipeline=primary\n$/),
  );
});
