import { mkdir, readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join, relative } from 'node:path';
import { killed, uninterrupted } from './kills.ts';
import type { Prepared, Proof } from './proof.ts';
import { shuffled } from './random.ts';
import { expectEnd, expectSameRows, expectWhole, type Place, type Scene } from './scene.ts';
import { readTrace } from './shim/readTrace.ts';
import { shimOf } from './shim/shimOf.ts';

const { EIO, ENOSPC } = constants.errno;
const calls = [
  'open',
  'write',
  'pwrite',
  'fsync',
  'fdatasync',
  'rename',
  'link',
  'symlink',
  'unlink',
  'mkdir',
  'rmdir',
  'ftruncate',
  'spill',
] as const;
const faults = { EIO, ENOSPC, SIGKILL: 0 } as const;
type Fault = keyof typeof faults;

/** The runs whose calls fail: the first of a warehouse, and one that finds news. */
const runs = killed.filter(({ name }) => name === 'first run' || name === 'run');

interface Failure {
  readonly run: (typeof runs)[number];
  readonly call: string;
  /** Counted from 1, of its kind. */
  readonly number: number;
  readonly fault: Fault;
}

export const syscalls: Proof = {
  name: 'syscalls',
  claim:
    'each open, write, fsync, rename, link, symlink, unlink, mkdir, rmdir, ftruncate that a run (sync, build, publish) makes in its warehouse fails once with EIO, once with ENOSPC, and once the process is killed in its place: what is published stays whole; after the next run every row is that of a run without a fault',
  async prepare(scene): Promise<Prepared | string> {
    const shim = await shimOf(scene);
    if (typeof shim === 'string') return shim;
    const all: Failure[] = [];
    for (const run of runs) {
      const place = await scene.copy((await uninterrupted(scene, run)).begun);
      await mkdir(place.warehouse, { recursive: true });
      const trace = join(place.folder, 'trace');
      expectEnd(
        await place.start(run.args, shim.env(place.warehouse, { SHIM_TRACE: trace })).ended,
        'a run that is noted',
      );
      const done = await readTrace(trace);
      for (const call of calls) {
        const count = done.filter((one) => one.call === call).length;
        // Writes to DuckDB's temporary files are a thousand times the same.
        const step = call === 'spill' ? Math.ceil(count / 20) : 1;
        for (let number = 1; number <= count; number += step)
          for (const fault of Object.keys(faults) as Fault[]) all.push({ run, call, number, fault });
      }
      await place.remove();
    }
    const cases = shuffled(all);
    return {
      cases: 1000,
      all: cases.length,
      run: (number) => tryFailure(scene, cases[(number - 1) % cases.length] as Failure),
    };
  },
};

async function tryFailure(scene: Scene, { run, call, number, fault }: Failure): Promise<readonly string[]> {
  const shim = await shimOf(scene);
  if (typeof shim === 'string') throw new Error(shim);
  const { begun, ended } = await uninterrupted(scene, run);
  const place = await scene.copy(begun);
  await mkdir(place.warehouse, { recursive: true });
  const hit = join(place.folder, 'hit');
  const asked = { SHIM_FAULT: `${call}:${number}:${faults[fault]}`, SHIM_HIT: hit };
  const failed = await place.start(run.args, shim.env(place.warehouse, asked)).ended;
  const path = await readFile(hit, 'utf8').catch(() => null);
  const what = `${run.name}, ${fault} at ${call} ${number} of ${path && relative(place.warehouse, path)}`;
  // Requests come in another order each time: now and then there are fewer calls than there were.
  if (path === null) expectEnd(failed, `${what}, which did not come`);
  else if (fault === 'SIGKILL') expectEnd(failed, what, 137);
  else expectToldOrDone(failed, what);
  try {
    await expectWhole(place);
    expectEnd(await place.firn('run'), 'the run after it');
    await expectWhole(place);
    await expectSameRows(place, ended);
  } catch (error) {
    throw new Error(`${what}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
  await place.remove();
  return [path === null ? 'did not come' : `${fault} at ${call}`];
}

/** A run that met a fault still does its work, or ends with 73 and says which file the disk refused. */
function expectToldOrDone(ended: Awaited<ReturnType<Place['firn']>>, what: string): void {
  expectEnd(ended, what, 0, 73);
  const said = ended.stdout + ended.stderr;
  if (
    ended.code === 73 &&
    !/the disk (is full|cannot be read or written)|no permission|read-only|fix the permissions/i.test(said)
  ) {
    throw new Error(`${what}: it does not say what is wrong: ${said}`);
  }
}
