import { mkdir } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { startGate } from './gate.ts';
import { listed, type Mishap } from './listed.ts';
import { expectEnd, type Place, type Scene } from './scene.ts';
import { readTrace } from './shim/readTrace.ts';
import { shimOf } from './shim/shimOf.ts';
import { expectSaid, expectUnharmed } from './unharmed.ts';

const { ENOSPC, EROFS, ENOLCK } = constants.errno;

/** The environment of a process that a folder treats in some way. */
async function treated(scene: Scene, { warehouse }: Place, asked: Readonly<Record<string, string>>) {
  const shim = await shimOf(scene);
  if (typeof shim === 'string') throw new Error(shim);
  await mkdir(warehouse, { recursive: true });
  return shim.env(warehouse, asked);
}

/** Calls of a run that change something. */
const changesOf = (scene: Scene): Promise<number> =>
  scene.once('changes of a run', async () => {
    const place = await scene.place('published');
    const trace = join(place.folder, 'trace');
    expectEnd(
      await place.start(['run'], await treated(scene, place, { SHIM_TRACE: trace })).ended,
      'a run that is noted',
    );
    return (await readTrace(trace)).filter(({ call, second }) => call !== 'open' || second === 'made').length;
  });

const steps = 10;
const fullDisks = Array.from(
  { length: steps },
  (_, step): Mishap => ({
    name: `disk full after ${(step * 100) / steps} % of a run`,
    async run(scene) {
      const place = await scene.place('published');
      const from = 1 + Math.floor(((await changesOf(scene)) * step) / steps);
      const ended = await place.start(['run'], await treated(scene, place, { SHIM_FAULT: `any:${from}+:${ENOSPC}` }))
        .ended;
      expectEnd(ended, 'a run', 73);
      expectSaid(ended, /the disk is full.*free some space/is);
      await expectUnharmed(scene, place);
    },
  }),
);

const others: readonly Mishap[] = [
  {
    name: 'little memory',
    async run(scene) {
      const place = await scene.place('published');
      await place.configure((text) => `${text}memoryLimit: 10MB\n`);
      const ended = await place.firn('run');
      expectEnd(ended, 'a run', 0, 1);
      if (ended.code === 1) expectSaid(ended, /DuckDB needs more memory than it may take.*memoryLimit/s);
      await place.configure((text) => text.replace('memoryLimit: 10MB\n', ''));
      await expectUnharmed(scene, place);
    },
  },
  {
    name: '64 files open at most',
    async run(scene) {
      const place = await scene.place('published');
      const ended = await place.start(['run'], {}, 64).ended;
      expectEnd(ended, 'a run', 0, 1);
      if (ended.code === 1) expectSaid(ended, /may not open (more|as many) files.*ulimit -n/s);
      await expectUnharmed(scene, place);
    },
  },
  {
    name: 'a folder that is read-only',
    async run(scene) {
      const place = await scene.place('published');
      // The reader database names this place once something has opened it there.
      expectEnd(await place.firn('status'), 'status');
      const env = await treated(scene, place, { SHIM_FAULT: `any:1+:${EROFS}` });
      const ended = await place.start(['run'], env).ended;
      expectEnd(ended, 'a run', 73);
      expectSaid(ended, /read-only/);
      expectEnd(await place.start(['status'], env).ended, 'status, which only reads');
      expectEnd(await place.start(['verify'], env).ended, 'verify, which only reads');
      await expectUnharmed(scene, place);
    },
  },
  {
    name: 'a network drive that refuses locks',
    async run(scene) {
      const place = await scene.place('published');
      const ended = await place.start(['run'], await treated(scene, place, { SHIM_LOCKS: String(ENOLCK) })).ended;
      expectEnd(ended, 'a run', 73);
      expectSaid(ended, /file system has no locks/);
      await expectUnharmed(scene, place);
    },
  },
  { name: 'a network drive whose locks lock nothing', run: (scene) => expectOneWorks(scene, [{}, {}]) },
  {
    name: 'two machines on one shared folder',
    run: (scene) => expectOneWorks(scene, [{ SHIM_HOST: 'first' }, { SHIM_HOST: 'second' }]),
  },
];

/** Two runs at once where locks lock nothing: one works, the other says who does. */
async function expectOneWorks(scene: Scene, machines: readonly Readonly<Record<string, string>>[]): Promise<void> {
  const gate = await startGate(scene.late.url);
  try {
    const place = await scene.place('published', gate.url);
    const started = [];
    for (const machine of machines) {
      started.push(place.start(['run'], await treated(scene, place, { SHIM_LOCKS: '0', ...machine })));
    }
    const refused = await Promise.race(started.map(async (process) => ({ process, ended: await process.ended })));
    expectEnd(refused.ended, 'one of two runs', 75);
    const winner = started.findIndex((process) => process !== refused.process);
    const host = machines[winner]?.['SHIM_HOST'];
    expectSaid(
      refused.ended,
      new RegExp(`in use by process ${started[winner]?.child.pid}${host ? ` on ${host}` : ''}`),
    );
    gate.open();
    for (const { ended } of started.filter((process) => process !== refused.process))
      expectEnd(await ended, 'the other one');
    await expectUnharmed(scene, place);
  } finally {
    gate.close();
  }
}

export const limits = listed(
  'limits',
  'a disk that is full from some moment of a run on, little memory, 64 open files, a read-only folder, a drive without locks, two machines on one folder: a sentence that says so, what is published stays whole, and when it is over a run makes every row what it is without',
  [...fullDisks, ...others],
  async (scene) => {
    const shim = await shimOf(scene);
    return typeof shim === 'string' ? shim : undefined;
  },
);
