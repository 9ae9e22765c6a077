import { setTimeout as delay } from 'node:timers/promises';
import { startGate } from './gate.ts';
import { type Killed, killed, uninterrupted } from './kills.ts';
import type { Prepared, Proof } from './proof.ts';
import { createRandom, pick } from './random.ts';
import { expectEnd, expectSameRows, expectWhole, type Scene, type Stage } from './scene.ts';

/** What reads: it asks the network before it writes much, so that the gate can hold it. */
const readers: readonly (readonly string[])[] = [
  ['run'],
  ['sync'],
  ['backfill', 'node/containers', '--from', '2026-01-20'],
];
const beginnings: readonly Stage[] = ['new', 'published', 'read'];

/** Milliseconds between the two. */
const longest = 60;

export const pairs: Proof = {
  name: 'pairs',
  claim:
    'two commands started together on one warehouse: exactly one works, the other ends with 75 and names its process; then every row is that of a single run',
  prepare: async (scene): Promise<Prepared> => ({ cases: 500, run: (number) => tryPair(scene, number) }),
};

async function tryPair(scene: Scene, number: number): Promise<readonly string[]> {
  const random = createRandom(number);
  const stage = pick(beginnings, random);
  // Nothing was read of a new warehouse that a backfill could go below.
  const commands = [0, 1].map(() => pick(stage === 'new' ? readers.slice(0, 2) : readers, random));
  const gate = await startGate(scene.late.url);
  try {
    const place = await scene.place(stage, gate.url);
    const [first, second] = [
      place.start(commands[0] ?? []),
      await later(() => place.start(commands[1] ?? []), random() * longest),
    ];
    const both = [first, second] as const;
    const loser = await Promise.race(both.map(async (process) => process.ended.then(() => process)));
    const winner = loser === first ? second : first;
    const refused = await loser.ended;
    // Nothing was let through: a command that has ended did no work.
    expectEnd(refused, `${both.map(({ child }) => child.spawnargs.at(-1)).join(' beside ')}: one`, 75);
    if (!refused.stderr.includes(`in use by process ${winner.child.pid}`)) {
      throw new Error(`It does not say that process ${winner.child.pid} holds the warehouse: ${refused.stderr}`);
    }
    gate.open();
    expectEnd(await winner.ended, 'the other one');
    // In the short form nothing need follow two syncs: they are held against what killed ones are.
    const areSyncs = scene.isShort && stage === 'published' && commands.every((command) => command?.[0] === 'sync');
    const like = areSyncs ? 'sync' : stage === 'new' ? 'first run' : 'run';
    if (!areSyncs) expectEnd(await place.firn('run'), 'a run after both');
    await expectWhole(place);
    const { ended } = await uninterrupted(scene, killed.find(({ name }) => name === like) as Killed);
    await expectSameRows(place, ended);
    await place.remove();
    return [
      commands
        .map(([name]) => name)
        .sort()
        .join(' beside '),
    ];
  } finally {
    gate.close();
  }
}

async function later<T>(start: () => T, ms: number): Promise<T> {
  await delay(ms);
  return start();
}
