import { mkdir, readdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../src/extract/clock.ts';
import { readRunRecords, writeRunRecord } from '../../../src/load/bookkeeping/runRecords.ts';
import { isAlive, ownProcess } from '../../../src/load/state/processFacts.ts';
import { openWarehouse } from '../../../src/load/state/warehouse.ts';
import { readRuns } from '../../../src/report/read/readRuns.ts';
import { openRunRecord } from '../../../src/run/records/openRunRecord.ts';
import type { RunReport } from '../../../src/run/records/runReport.ts';
import { openRunState, readRunState } from '../../../src/run/records/runState.ts';
import { temporary } from '../../temporaryFolders.ts';

const begun = (at: number) => ({
  runId: `run-${at}`,
  command: 'run',
  phases: ['sync', 'publish'] as const,
  pipelines: ['main'],
  isWhole: true,
  startedAt: new Date(at).toISOString(),
});

const clockAt = (now: number) => ({ ...systemClock, now: () => now });

describe('records of runs', () => {
  test('begin without an end, and end with what the run did', async () => {
    const folder = await temporary();
    const record = await openRunRecord(folder, begun(1000));
    expect(await readRunRecords(folder)).toMatchObject([{ runId: 'run-1000', finishedAt: null, exitCode: null }]);
    const problems = [{ code: 'unavailable', message: 'x'.repeat(5000) }];
    await record.end(75, { problems });
    const [ended] = await readRunRecords(folder);
    expect(ended).toMatchObject({
      exitCode: 75,
      pid: process.pid,
      summary: { phases: ['sync', 'publish'], published: null },
    });
    expect(JSON.stringify(ended).length).toBeLessThan(2000);
  });

  test('are touched until the run ends: nothing else tells whether one waits in another container', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const folder = await temporary();
    const record = await openRunRecord(folder, begun(1000));
    const file = join(folder, '.state', 'runs', (await readdir(join(folder, '.state', 'runs')))[0] ?? '');
    const heardAt = async () => (await readRunRecords(folder))[0]?.heardAt;
    await utimes(file, 1, 1);
    expect(await heardAt()).toBe(1000);
    vi.advanceTimersByTime(10_000);
    await vi.waitFor(async () => expect(await heardAt()).toBeGreaterThan(1000));
    await record.end(0, {});
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each(['done', 'not_offered'] as const)(
    'name two thousand partitions at most, those that failed first, then those that are behind, then others that are %s',
    async (outcome) => {
      const folder = await temporary();
      const one = { stream: 's', rows: 1, childRows: 0, quarantined: 0, bytes: 1, requests: 1, seconds: 1 };
      const partitions: RunReport['partitions'] = Array.from({ length: 5000 }, (_, i) => ({
        ...one,
        partition: String(i),
        outcome: i === 4999 ? 'failed' : i === 4998 ? 'done' : outcome,
        ...(i === 4998 && { behind: 5 }),
      }));
      await (await openRunRecord(folder, begun(1000))).end(1, { partitions });
      const [ended] = await readRunRecords(folder);
      const kept = ended?.summary['partitions'] as RunReport['partitions'];
      expect([kept.length, kept[0]?.partition, kept[1]?.partition]).toEqual([2000, '4999', '4998']);
      const files = (await readRunRecords(folder)).map((record) => ({ ...record, isGoing: false }));
      expect(await readRuns({ query: async () => [] }, files, 5000)).toMatchObject([{ rows: 5000 }]);
    },
  );

  test.each(['done', 'failed'] as const)(
    'name some of every stream, however many partitions of another are %s',
    async (outcome) => {
      const folder = await temporary();
      const one = { rows: 1, childRows: 0, quarantined: 0, bytes: 1, requests: 1, seconds: 1 };
      const wide = Array.from({ length: 3000 }, (_, i) => ({ ...one, stream: 'wide', partition: String(i), outcome }));
      const partitions = [...wide, { ...one, stream: 'narrow', partition: 'all', outcome: 'done' as const }];
      await (await openRunRecord(folder, begun(1000))).end(0, { partitions });
      const [ended] = await readRunRecords(folder);
      const kept = ended?.summary['partitions'] as RunReport['partitions'];
      expect([kept.length, kept.filter(({ stream }) => stream === 'narrow').length]).toEqual([2000, 1]);
      expect(ended?.summary['unnamedFailures']).toEqual(outcome === 'failed' ? { wide: 1001 } : {});
    },
  );

  test('the newest hundred stay, newest first', { tags: 'long' }, async () => {
    const folder = await temporary();
    for (let at = 0; at < 103; at++) await openRunRecord(folder, begun(at * 1000));
    const kept = await readRunRecords(folder);
    expect([kept.length, kept[0]?.runId, kept.at(-1)?.runId]).toEqual([100, 'run-102000', 'run-3000']);
    expect((await readdir(join(folder, '.state', 'runs'))).length).toBe(100);
  });

  test('and the last three of a pipeline, however many of another follow', { tags: 'long' }, async () => {
    const folder = await temporary();
    for (let n = 1; n <= 4; n++)
      await (await openRunRecord(folder, { ...begun(n), pipelines: ['daily'] }, clockAt(n))).end(77, {});
    for (let n = 1; n <= 103; n++) await openRunRecord(folder, begun(n * 1000), clockAt(n * 1000));
    const kept = await readRunRecords(folder);
    expect(kept.length).toBe(103);
    expect(kept.slice(-4).map(({ runId }) => runId)).toEqual(['run-4000', 'run-4', 'run-3', 'run-2']);
  });

  test('tell when each partition was last read, however many runs did not come to it since', async () => {
    const folder = await temporary();
    const one = { stream: 's', rows: 0, childRows: 0, quarantined: 0, bytes: 0, requests: 1, seconds: 1 };
    const ended = async (at: number, outcomes: object) => {
      const partitions = Object.entries(outcomes).map(([partition, outcome]) => {
        return { ...one, partition, endedAt: new Date(at).toISOString(), ...outcome };
      });
      await (await openRunRecord(folder, { ...begun(at), isWhole: false }, clockAt(at))).end(75, { partitions });
    };
    const failed = { outcome: 'failed' };
    await ended(1000, { a: failed, b: { outcome: 'done' }, c: { outcome: 'done' } });
    await ended(2000, { c: { outcome: 'done' } });
    // One that was killed tells nothing, nor does one that could not be told.
    await openRunRecord(folder, { ...begun(3000), isWhole: false }, clockAt(3000));
    const [killed] = await readRunRecords(folder);
    const untold = { partitions: [{ stream: 's', partition: 'b', ...failed }] };
    if (killed)
      await writeRunRecord(folder, { ...killed, finishedAt: killed.startedAt, exitCode: 75, summary: untold });
    for (let at = 4000; at <= 106_000; at += 1000)
      await ended(at, { a: failed, b: failed, c: { outcome: 'done', behind: 5 }, d: { outcome: 'done' } });
    const records = await readRunRecords(folder);
    expect(records.length).toBe(100);
    expect(records[0]?.summary['partitions']).toMatchObject([
      { partition: 'a', lastRead: null },
      { partition: 'b', lastRead: new Date(1000).toISOString() },
      { partition: 'c', lastRead: new Date(2000).toISOString() },
      { partition: 'd' },
    ]);
  });

  test('the last three of a pipeline with a result, however often it was locked out since, those that went well, and those that were killed', {
    tags: 'long',
  }, async () => {
    const folder = await temporary();
    const ended = async (n: number, pipeline: string, code: number) =>
      (await openRunRecord(folder, { ...begun(n), pipelines: [pipeline] }, clockAt(n))).end(code, {});
    await openRunRecord(folder, { ...begun(0), pipelines: ['daily'] }, clockAt(0));
    await ended(1, 'often', 0);
    await ended(2, 'daily', 3);
    for (let n = 3; n <= 6; n++) await ended(n, 'daily', 75);
    for (let n = 1; n <= 101; n++) await ended(n * 1000, 'often', 3);
    const kept = await readRunRecords(folder);
    expect(kept.slice(100).map(({ runId }) => runId)).toEqual(['run-6', 'run-5', 'run-4', 'run-2', 'run-1', 'run-0']);
  });

  test('the order in which they began stays, whatever the clock said, and the oldest go first', {
    tags: 'long',
  }, async () => {
    const folder = await temporary();
    for (let n = 0; n < 99; n++) await openRunRecord(folder, begun(Date.UTC(2100, 0, 1 + n)));
    for (const at of [1000, 2000, 0]) await (await openRunRecord(folder, begun(at), clockAt(3000))).end(1, {});
    const kept = await readRunRecords(folder);
    expect(kept.length).toBe(100);
    expect(kept.slice(0, 3)).toMatchObject([0, 2000, 1000].map((at) => ({ runId: `run-${at}`, exitCode: 1 })));
    expect([kept[3]?.runId, kept.at(-1)?.runId]).toEqual([98, 2].map((n) => `run-${Date.UTC(2100, 0, 1 + n)}`));
  });

  test('end in the room that they took, where there is none for another file', async () => {
    const folder = await temporary();
    const record = await openRunRecord(folder, begun(1000));
    const [name = ''] = await readdir(join(folder, '.state', 'runs'));
    const file = join(folder, '.state', 'runs', name);
    const { size } = await stat(file);
    // What is staged cannot be made, as on a full disk.
    await mkdir(`${file}.new/full`, { recursive: true });
    const one = { stream: 's', rows: 1, childRows: 0, quarantined: 0, bytes: 1, requests: 1, seconds: 1 };
    const partitions = Array.from({ length: 200 }, (_, i) => ({
      ...one,
      partition: String(i),
      outcome: 'done' as const,
    }));
    await record.end(73, { partitions, problems: [{ code: 'disk', message: 'the disk is full' }] });
    expect(await readRunRecords(folder)).toMatchObject([
      { runId: 'run-1000', exitCode: 73, summary: { published: null, problems: [{ message: 'the disk is full' }] } },
    ]);
    expect((await stat(file)).size).toBe(size);
  });

  test('a folder that cannot be written fails no run', async () => {
    const folder = await temporary();
    await writeFile(join(folder, '.state'), 'a file where a folder should be');
    await (await openRunRecord(folder, begun(1))).end(0, {});
    expect(await readRunRecords(folder)).toEqual([]);
  });

  test('a folder that is there and cannot be read is no folder without runs', async () => {
    const folder = await temporary();
    await mkdir(join(folder, '.state'));
    await symlink('runs', join(folder, '.state', 'runs'));
    await expect(readRunRecords(folder)).rejects.toThrow('ELOOP');
  });

  test("whoever makes the folder of the state, it is its owner's alone, and the warehouse is open to its readers", {
    tags: 'long',
  }, async () => {
    const makers = [
      async (folder: string) => void (await openRunRecord(folder, begun(1))),
      async (folder: string) => (await openWarehouse({ folder, tables: [] })).close(),
    ];
    for (const make of makers) {
      const folder = join(await temporary(), 'warehouse');
      await make(folder);
      const modes = await Promise.all([folder, join(folder, '.state')].map(async (path) => (await stat(path)).mode));
      expect(modes.map((mode) => mode & 0o777)).toEqual([0o777 & ~process.umask(), 0o700]);
    }
  });
});

describe('whether a process is there', () => {
  test('this one is, on this machine, by its number and its birth', async () => {
    const own = await ownProcess();
    expect([own.pid, own.host, await isAlive(own)]).toEqual([process.pid, hostname(), true]);
  });

  test.runIf(process.platform === 'linux')('a later one with the same number is another one', async () => {
    expect(await isAlive({ ...(await ownProcess()), birth: '1' })).toBe(false);
  });

  test.each([
    ['one that is gone', { pid: 2 ** 22 - 1 }, false],
    ['one of which no birth is known, where the system tells them', { pid: 1 }, process.platform !== 'linux'],
    ["another machine's", { pid: process.pid, host: 'elsewhere' }, null],
    ["another container's of this host name", { pid: 2 ** 22 - 1, host: hostname(), space: 'pid:[1]' }, null],
  ])('%s', async (_, facts, expected) => {
    expect(await isAlive(facts)).toBe(expected);
  });
});

describe('the run under way', () => {
  const stateFile = async (state: object) => {
    const folder = await temporary();
    await mkdir(join(folder, '.state'));
    await writeFile(join(folder, '.state', 'run.json'), JSON.stringify(state));
    return folder;
  };
  const state = { runId: 'r', command: 'run', phase: 'sync', since: new Date().toISOString() };

  test('tells what is read, how far it is, and how long it will take', async () => {
    const folder = await stateFile({});
    const writer = await openRunState(folder, { runId: 'r', command: 'run', startedAt: state.since });
    const { planned, started, progress, finished } = writer.listener;
    for (const partition of ['a', 'b', 'c']) planned?.('s', partition);
    for (const partition of ['a', 'b']) started?.('s', partition);
    progress?.('s', 'a', 25, 100);
    progress?.('s', 'b', 3, null);
    await writer.phase('sync');
    const told = await readRunState(folder);
    expect(told).toMatchObject({
      pid: process.pid,
      phase: 'sync',
      partitions: { done: 0, total: 3 },
      reading: [
        { stream: 's', partition: 'a', done: 25, total: 100, remainingMs: expect.any(Number) },
        { stream: 's', partition: 'b', done: 3, total: null, remainingMs: null },
      ],
    });
    const none = { childRows: 0, quarantined: 0, bytes: 1, requests: 1, seconds: 1 };
    finished?.({ stream: 's', partition: 'a', outcome: 'done', rows: 100, ...none });
    await writer.phase('build');
    expect(await readRunState(folder)).toMatchObject({ phase: 'build', partitions: { done: 1, total: 3 }, rows: 100 });
    await writer.close();
    expect(await readRunState(folder)).toBeNull();
  });

  test('removes what a run that was killed while it wrote has left', async () => {
    const folder = await stateFile({});
    await writeFile(join(folder, '.state', 'run.json.4711'), '{"half');
    await (await openRunState(folder, { runId: 'r', command: 'run' })).close();
    expect(await readdir(join(folder, '.state'))).toEqual([]);
  });

  test('tells what began right after it had told something, though nothing follows', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const folder = await stateFile({});
    const writer = await openRunState(folder, { runId: 'r', command: 'run', startedAt: state.since });
    await writer.phase('sync');
    writer.listener.started?.('s', 'a');
    expect(await readRunState(folder)).toMatchObject({ reading: [] });
    vi.advanceTimersByTime(1000);
    let told = await readRunState(folder);
    while (told?.reading?.length !== 1) told = await readRunState(folder);
    expect(told).toMatchObject({ reading: [{ stream: 's', partition: 'a', done: 0 }] });
    await writer.close();
  });

  test.each([
    [
      'of another machine that was heard of just now',
      () => ({ pid: 1, host: 'elsewhere', updatedAt: new Date().toISOString() }),
      true,
    ],
    [
      'of another container of this host name that was heard of just now',
      () => ({ pid: 2 ** 22 - 1, host: hostname(), space: 'pid:[1]', updatedAt: new Date().toISOString() }),
      true,
    ],
    [
      'of another machine that is silent',
      () => ({ pid: 1, host: 'elsewhere', updatedAt: '2026-01-01T00:00:00Z' }),
      false,
    ],
    ['of a process that is gone', () => ({ pid: 2 ** 22 - 1 }), false],
    ['of no process', () => ({ pid: 0 }), false],
    ['of every process', () => ({ pid: -1 }), false],
  ])('%s', async (_, facts, isThere) => {
    const folder = await stateFile({ ...state, ...facts() });
    expect((await readRunState(folder)) !== null).toBe(isThere);
  });
});
