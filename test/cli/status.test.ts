import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { project, sourcesOf } from './cliHarness.ts';
import { publishedSample } from './publishedSample.ts';

const runAt = (code: number, minutesAgo: number) => `
  DELETE FROM firn.run;
  INSERT INTO firn.run VALUES ('r9', 'run', now()::TIMESTAMP - INTERVAL ${minutesAgo} MINUTE, now()::TIMESTAMP - INTERVAL ${minutesAgo} MINUTE, ${code}, NULL)`;

describe('status', () => {
  test('tells people what is held and that nothing needs a look', { tags: 'long' }, async () => {
    const { firn } = await publishedSample();
    const { code, out } = await firn('status');
    expect(code).toBe(0);
    expect(out).toContain('local (network 12345), version 1 published ');
    expect(out).toMatch(/^C-Chain\s+43112\s+864\s+2026-01-31 18:50:00$/m);
    expect(out).toMatch(/^node\/evm_blocks\s+up to date\s+9,998\s+0\s+2026-03-30 10:20:00/m);
    expect(out).toContain('Nothing needs attention.');
    expect(out).toContain('Nothing is running.');
  });

  test('tells what needs attention; only --check makes an exit code of it', { tags: 'long' }, async () => {
    const { firn } = await publishedSample({}, { troubles: true });
    const plain = await firn('status');
    expect(plain.code).toBe(0);
    expect(plain.out).toContain('- failed: The last run (run, 2026-04-05 00:20:00 UTC) ended with 77 (not authorised)');
    expect((await firn('status', '--check')).code).toBe(1);
    const { json } = await firn('--json', 'status');
    expect(json.health.findings.map(({ kind }: { kind: string }) => kind)).toContain('quarantined');
    expect(json.streams.find(({ stream }: { stream: string }) => stream === 'node/evm_blocks').quarantined).toBe(1);
  });

  test('a state that was lost under a published version is told before the next run', { tags: 'long' }, async () => {
    const { firn, warehouse, configure } = await publishedSample({
      sources: sourcesOf({ url: 'http://127.0.0.1:1' }),
      pipelines: { main: { streams: { 'node/containers': {} } } },
    });
    await rm(join(warehouse, '.state'), { recursive: true });
    const { code, out } = await firn('status', '--check');
    expect([code, out]).toEqual([73, expect.stringMatching(/- failed: The state \S+ was lost: .* Restore \.state/)]);
    expect((await firn('report', '--out', '-')).out).toContain('was lost: it is missing');
    // What only looks makes no empty one in its place.
    for (const words of ['state', 'quarantine', 'plan', 'export', 'verify --against-source', 'state'])
      expect(await firn(...words.split(' ')), words).toMatchObject({
        code: 73,
        err: expect.stringMatching(/was lost: .* Restore \.state/),
      });
    expect(await firn('status', '--check')).toMatchObject({ code: 73 });
    const nowhere = {
      control: 'postgres://127.0.0.1:1/firn',
      stage: './stage',
      engine: { trino: 'http://127.0.0.1:1', catalog: 'lake' },
    };
    await configure({ sources: {}, ...nowhere });
    expect(await firn('migrate', '--to', 'cluster')).toMatchObject({
      code: 73,
      err: expect.stringContaining('was lost'),
    });
  });

  test('--max-age, or the configuration, says when it is too old', { tags: 'long' }, async () => {
    const { firn, republish, configure } = await publishedSample();
    await republish(runAt(0, 0));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120 * 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect((await firn('status', '--check')).code).toBe(0);
    expect((await firn('status', '--check', '--max-age', '3h')).code).toBe(0);
    const old = await firn('status', '--check', '--max-age', '90m');
    expect(old.code).toBe(75);
    expect(old.out).toContain('The last run that published ended 2 h ago; at most 1 h 30 min is expected.');
    await configure({ sources: {}, notify: { webhook: 'http://127.0.0.1:9/', staleAfter: '1h' } });
    expect((await firn('status', '--check')).code).toBe(75);
    expect((await firn('status', '--prometheus', '-')).out).toContain('\nfirn_health_exit_code 75\n');
    expect((await firn('status', '--max-age', 'soon')).code).toBe(2);
  });

  test('--runs lists the runs, newest first', { tags: 'long' }, async () => {
    const { firn } = await publishedSample({}, { troubles: true });
    const lines = (await firn('status', '--runs')).out.trim().split('\n').slice(1);
    expect(lines.map((line) => line.split(/\s{2,}/).slice(0, 3))).toEqual([
      ['2026-04-05 00:30:00', 'sync', 'none'],
      ['2026-04-05 00:20:00', 'run', '77'],
      ['2026-04-05 00:10:00', 'run', '0'],
      ['2026-04-05 00:00:00', 'run', '75'],
    ]);
  });

  test('--prometheus writes a textfile, whole', { tags: 'long' }, async () => {
    const { firn, folder } = await publishedSample();
    const { code } = await firn('status', '--prometheus', join(folder, 'firn.prom'));
    expect(code).toBe(0);
    const text = await readFile(join(folder, 'firn.prom'), 'utf8');
    expect(text).toContain('\nfirn_published_version 1\n');
    expect((await readdir(folder)).filter((name) => name.startsWith('firn.prom'))).toEqual(['firn.prom']);
    const { out } = await firn('status', '--prometheus', '-');
    expect(out.split('\n').length).toBe(text.split('\n').length);
    expect((await firn('status', '--prometheus', join(folder, 'no', 'firn.prom'))).code).toBe(73);
  });

  test('--prometheus names the last run that went well, however many did not since', { tags: 'long' }, async () => {
    const { firn, republish } = await publishedSample();
    await republish(`${runAt(0, 100)};
      INSERT INTO firn.run SELECT 'w' || n, 'run', now()::TIMESTAMP - to_minutes(n), now()::TIMESTAMP - to_minutes(n), 3, NULL
      FROM range(70) AS t(n)`);
    expect((await firn('status', '--prometheus', '-')).out).toMatch(/^firn_last_success_timestamp_seconds \d+/m);
  });

  test('--prometheus writes what it ends with where nothing can be read', { tags: 'long' }, async () => {
    const { firn, folder, config, warehouse } = await publishedSample();
    const file = join(folder, 'firn.prom');
    const told = async () => {
      const { code } = await firn('status', '--prometheus', file, '--notify');
      const text = await readFile(file, 'utf8');
      return [code, text.split('\n').filter((line) => !line.startsWith('#') && line !== '')];
    };
    await told();
    await rm(join(warehouse, 'analytics.duckdb'));
    expect(await told()).toEqual([1, ['firn_health_exit_code 1']]);
    await writeFile(config, 'pipelines: [');
    expect(await told()).toEqual([2, ['firn_health_exit_code 2']]);
    const nowhere = await firn('status', '--prometheus', join(folder, 'no', 'firn.prom'));
    expect(nowhere).toMatchObject({ code: 2, err: expect.stringMatching(/there is no folder .*firn\.yaml/s) });
  });

  test('never waits for a run', { tags: 'long' }, async () => {
    const { firn, open } = await publishedSample();
    const running = await open();
    expect((await firn('status')).code).toBe(0);
    running.close();
  });

  test('a reader database that was removed is not one that was never made, and the next publish makes it again', {
    tags: 'long',
  }, async () => {
    const { firn, warehouse } = await publishedSample();
    await rm(join(warehouse, 'analytics.duckdb'));
    expect((await firn('publish')).code).toBe(0);
    expect((await firn('status', '--check')).code).toBe(0);
    await rm(join(warehouse, 'analytics.duckdb'));
    const { code, err } = await firn('status', '--check');
    expect(code).toBe(1);
    expect(err).toContain('analytics.duckdb is missing; `firn publish` makes it again.');
  });

  test('published files that were removed are told as such, and the next publish writes them again', {
    tags: 'long',
  }, async () => {
    const { firn, warehouse } = await publishedSample();
    await rm(join(warehouse, 'lake'), { recursive: true });
    for (const command of [['status'], ['report', '--out', '-']]) {
      const { code, err } = await firn(...command);
      expect(code).toBe(1);
      expect(err).toMatch(/^firn: Files of the published version are missing \(.*lake.*\)\. Run `firn publish`/);
    }
    expect((await firn('publish')).code).toBe(0);
    expect((await firn('status', '--check')).code).toBe(0);
  });

  test('tells of a link that ends every run before it can be noted', async () => {
    const { firn, warehouse } = await project({ sources: {}, pipelines: {} });
    await symlink(warehouse, join(warehouse, 'lake'));
    expect((await firn('run')).code).toBe(2);
    const { code, out } = await firn('status', '--check');
    expect([code, out]).toEqual([73, expect.stringMatching(/^- failed: .*lake is a symbolic link/m)]);
  });

  test('says what to do where nothing was published', { tags: 'long' }, async () => {
    const { firn } = await project({ sources: {} });
    expect(await firn('status')).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was published in') });
  });
});
