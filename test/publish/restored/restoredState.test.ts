/** @module-tag long */
import { cp, readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/extract/clock.ts';
import { readRunRecords } from '../../../src/load/bookkeeping/runRecords.ts';
import { stateFile } from '../../../src/load/state/stateFile.ts';
import { publish } from '../../../src/publish/publish.ts';
import { restoredState } from '../../../src/publish/restored/restoredState.ts';
import { openRunRecord } from '../../../src/run/records/openRunRecord.ts';
import type { RunReport } from '../../../src/run/records/runReport.ts';
import { project, sourcesOf } from '../../cli/cliHarness.ts';
import { sampleWarehouse } from '../sampleWarehouse.ts';

/** A warehouse that published twice, and its state as it was after the first time, a while ago. */
async function twice() {
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  const streams = { 'node/containers': { indexes: ['P/block'] }, 'data/chains': {} };
  const configuration = (node = devnet.url) => ({
    sources: { ...sourcesOf(devnet), node: { url: node } },
    pipelines: { main: { streams } },
  });
  const made = await project(configuration(), { isBuilt: true });
  const [state, copy] = [join(made.warehouse, '.state'), join(made.warehouse, 'copy')];
  const run = async () => expect((await made.firn('run')).code).toBe(0);
  await run();
  await cp(state, copy, { recursive: true });
  const then = new Date(Date.now() - 60_000);
  for (const name of await readdir(copy)) await utimes(join(copy, name), then, then);
  devnet.moveHead('4%');
  await run();
  const check = async () => {
    const { code, out } = await made.firn('status', '--check');
    return [code, /older than version 2, published .*restored from a copy/.test(out)];
  };
  expect(await check()).toEqual([0, false]);
  return { ...made, configuration, state, copy, run, check };
}

test('a folder of the state that is older than what is published is told until a run has read on', async () => {
  const { state, copy, run, check } = await twice();
  await rm(state, { recursive: true });
  await cp(copy, state, { recursive: true });
  expect(await check()).toEqual([73, true]);
  await run();
  expect(await check()).toEqual([0, false]);
});

test('so is a database that is, beside records of runs that came after it', async () => {
  const { state, copy, run, check } = await twice();
  await cp(join(copy, 'firn.duckdb'), join(state, 'firn.duckdb'), { preserveTimestamps: true });
  expect(await check()).toEqual([73, true]);
  await run();
  expect(await check()).toEqual([0, false]);
});

test('it is not published before a run has read on, which would take from readers what came since', async () => {
  const { state, copy, firn, check } = await twice();
  await rm(state, { recursive: true });
  await cp(copy, state, { recursive: true });
  const { code, out } = await firn('publish');
  expect(code).toBe(75);
  expect(out).toMatch(
    /is older than version 2, .*data\/chains \(network=fuji\) and 1 more were not read on since.* that version stays\. Run "firn run"/s,
  );
  // The publish that failed is the newest run by now.
  expect(await check()).toEqual([73, true]);
  // What was read of one stream says nothing of the other, whichever command publishes.
  for (const command of ['sync', 'run'])
    expect((await firn(command, '--select', 'data/*')).code).toBe(command === 'run' ? 75 : 0);
  expect((await firn('publish')).out).toMatch(/node\/containers \(index_name=P\/block\) was not read on since/);
  expect((await firn('sync')).code).toBe(0);
  expect((await firn('publish')).out).toMatch(/published version 3/);
});

test('nor is it by a run that cannot read all of it: then it is told, too, where the database alone is older', async () => {
  const { state, copy, firn, configure, check, configuration } = await twice();
  await cp(join(copy, 'firn.duckdb'), join(state, 'firn.duckdb'), { preserveTimestamps: true });
  await configure(configuration('http://127.0.0.1:1'));
  const { code, out } = await firn('run');
  expect(code).toBe(75);
  expect(out).toMatch(
    /is older than version 2, .*node\/containers \(index_name=P\/block\) was not read on since\. Nothing was published/s,
  );
  expect(await check()).toEqual([75, true]);
  await configure(configuration());
  expect((await firn('run')).out).toMatch(/published version 3/);
  expect(await check()).toEqual([0, false]);
});

test.each<[string, number | null, boolean, boolean?]>([
  ['nothing published since', 0, false],
  ['other runs found that version still right', 4, false],
  ['no run is known that published', null, true],
  ['nor does one that ended well by a clock that was ahead', null, true, true],
])('runs that failed since, however many, tell nothing: %s', async (_, again, isTold, wasAhead = false) => {
  const warehouse = await sampleWarehouse();
  const { folder } = warehouse;
  let at = Date.now() - 3_600_000;
  const record = async (runId: string, pipeline: string, exitCode: number, told: Partial<RunReport> = {}) => {
    at += 1000;
    const startedAt = new Date(at).toISOString();
    const run = { runId, command: 'run', phases: [], pipelines: [pipeline], isWhole: true, startedAt };
    const clock = { ...systemClock, now: () => at };
    await (await openRunRecord(folder, run, clock)).end(exitCode, told);
  };
  await record('older', 'hourly', 0);
  const published = await publish(warehouse, { runId: 'publisher' });
  at = Date.now() + 86_400_000;
  if (wasAhead) await record('ahead', 'hourly', 0);
  at = Date.now();
  if (again !== null) await record('publisher', 'often', 0, { published });
  for (let n = 0; n < (again ?? 0); n++) await record(`again${n}`, 'often', 75, { published });
  for (let n = 0; n < 103; n++) await record(`failed${n}`, 'often', 75);
  const runs = await readRunRecords(folder);
  expect(runs.map(({ runId }) => runId)).toContain('older');
  expect((await restoredState(folder, runs, at)) !== null).toBe(isTold);
});

test('nor does a version of which a clock that was ahead tells the time', async () => {
  const warehouse = await sampleWarehouse();
  const { folder } = warehouse;
  const run = { runId: 'publisher', command: 'run', phases: [], pipelines: ['hourly'], isWhole: true };
  const record = await openRunRecord(
    folder,
    { ...run, startedAt: new Date(Date.now() - 60_000).toISOString() },
    systemClock,
  );
  const published = await publish(warehouse, { runId: 'publisher' });
  await record.end(0, { published });
  const then = new Date(Date.now() - 30_000);
  for (const file of [stateFile(folder), `${stateFile(folder)}.wal`]) await utimes(file, then, then).catch(() => {});
  const runs = await readRunRecords(folder);
  expect(await restoredState(folder, runs, Date.now())).toMatch(/is older than version 1/);
  expect(await restoredState(folder, runs, then.getTime())).toBeNull();
});
