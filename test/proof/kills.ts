import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FirnProcess } from '../cli/firnProcess.ts';
import { changeState } from './changeState.ts';
import type { Prepared, Proof } from './proof.ts';
import { createRandom } from './random.ts';
import { expectEnd, expectSameRows, expectWhole, type Place, type Scene, type Stage } from './scene.ts';
import { someFile } from './someFile.ts';

/** A command that writes, and what there must be for it to write. */
export interface Killed {
  readonly name: string;
  readonly from: Stage;
  readonly args: readonly string[];
  /** Makes the warehouse what the command needs, in the same way every time. */
  prepare?(place: Place, scene: Scene): Promise<void>;
  /** Whether what is published is harmed before it begins. */
  readonly mends?: true;
  /** How it may end when it is run again after it was killed; 0. */
  readonly ends?: readonly number[];
  /** For the short form, which does not run it to its end before. */
  readonly short?: {
    /** How far it is then, or when another sync has followed it. */
    readonly stage: Stage;
    /** How often a sync takes the time that it takes. */
    readonly syncs: number;
  };
}

const record = async ({ late }: Scene, change: object) => {
  const { chains } = (await (await fetch(`${late.url}/v1/chains`)).json()) as { chains: object[] };
  return JSON.stringify({ ...chains[0], chainId: '7', ...change });
};

/** Puts a record of data/chains into quarantine. */
const setAside = async (place: Place, text: string) =>
  changeState(
    place,
    `INSERT INTO firn.quarantine (id, load_id, "number", stream, "partition", reason, record, record_hash, times_seen, quarantined_at, last_seen_at, last_load_id)
     VALUES (1, 1, 1, 'data/chains', 'network=fuji', 'isTestnet: is no boolean', $1, sha256($1), 1, now()::TIMESTAMP, now()::TIMESTAMP, 1)`,
    [text],
  );

/** The commands that write, one for each way to do so. */
export const killed: readonly Killed[] = [
  { name: 'first run', from: 'new', args: ['run'] },
  { name: 'run', from: 'published', args: ['run'], short: { stage: 'done', syncs: 2.5 } },
  { name: 'sync', from: 'published', args: ['sync'] },
  { name: 'build', from: 'read', args: ['build'] },
  { name: 'reconcile', from: 'built', args: ['reconcile'] },
  { name: 'publish', from: 'compared', args: ['publish'], short: { stage: 'done', syncs: 1.5 } },
  {
    name: 'publish --repair',
    from: 'compared',
    args: ['publish', '--repair'],
    mends: true,
    short: { stage: 'done', syncs: 1.5 },
    async prepare({ warehouse }) {
      const file = await someFile(warehouse);
      const bytes = await readFile(file);
      await writeFile(file, bytes.fill(0, 200, 300));
    },
  },
  { name: 'backfill', from: 'published', args: ['backfill', 'data/latest_transactions', '--from', '2026-01-28'] },
  { name: 'backfill --again', from: 'done', args: ['backfill', 'node/evm_blocks', '--again', '2026-01-29'] },
  // Dropped already when the kill came, nothing of it is left to drop.
  { name: 'state drop', from: 'done', args: ['state', 'drop', 'data/primary_transactions'], ends: [0, 1] },
  { name: 'state drop --before', from: 'done', args: ['state', 'drop', '--before', '2026-02-02'] },
  { name: 'state reset', from: 'published', args: ['state', 'reset', 'node/containers'], ends: [0, 1] },
  {
    name: 'quarantine replay',
    from: 'published',
    args: ['quarantine', 'replay'],
    prepare: async (place, scene) => setAside(place, await record(scene, {})),
  },
  {
    name: 'quarantine accept',
    from: 'published',
    args: ['quarantine', 'accept', '--all', '--reason', 'proof'],
    prepare: async (place, scene) => setAside(place, await record(scene, { isTestnet: 'perhaps' })),
  },
  {
    name: 'migration',
    from: 'published',
    args: ['sync'],
    short: { stage: 'read', syncs: 1 },
    // The schema of three migrations ago.
    prepare: (place) =>
      changeState(
        place,
        `DELETE FROM main.firn_schema_version WHERE "version" > 120; ALTER TABLE firn.load DROP COLUMN requests; DROP TABLE firn.step`,
      ),
  },
  {
    name: 'export download',
    from: 'published',
    args: ['export', 'download'],
    async prepare(place, { late }) {
      const { transactions } = (await (await fetch(`${late.url}/v1/chains/43112/transactions?pageSize=1`)).json()) as {
        transactions: { from: { address: string } }[];
      };
      const address = transactions[0]?.from.address ?? '';
      const asked = ['--type', 'evm', '--address', address, '--chain', '43112', '--first-date', '2026-01-01'];
      expectEnd(await place.firn('export', 'start', ...asked), 'export start');
    },
  },
];

/** What a command leaves that nobody kills, once a run has followed it, and how long it takes. */
export interface Whole {
  readonly begun: Place;
  readonly ended: Place;
  readonly ms: number;
}

/** What follows a command: a run; in the short form a sync, and nothing where the command was one. */
async function follow(place: Place, { isShort }: Scene, { name, args }: Killed): Promise<void> {
  if (isShort && /^(run|sync)$/.test(args[0] ?? '')) return;
  expectEnd(await place.firn(isShort ? 'sync' : 'run'), `what follows ${name}`);
}

/** A command that was run to its end, and what follows it: what its killed ones are held against. */
export const uninterrupted = (scene: Scene, one: Killed): Promise<Whole> =>
  scene.once(`uninterrupted ${one.name}`, async () => {
    const begun = await scene.place(one.from);
    await one.prepare?.(begun, scene);
    if (scene.isShort && one.short) {
      const { ms } = await uninterrupted(scene, killed.find(({ name }) => name === 'sync') as Killed);
      return { begun, ended: await scene.place(one.short.stage), ms: ms * one.short.syncs };
    }
    const ended = await scene.copy(begun);
    const from = performance.now();
    expectEnd(await ended.start(one.args).ended, one.name);
    const ms = performance.now() - from;
    await follow(ended, scene, one);
    return { begun, ended, ms };
  });

/** Runs what was killed again, and what follows it; @throws where that does not make it what nobody killed */
async function expectRecovers(scene: Scene, place: Place, one: Killed, { ended }: Whole): Promise<void> {
  if (!one.mends) await expectWhole(place);
  expectEnd(await place.firn(...one.args), `${one.name}, run again`, ...(one.ends ?? [0]));
  await follow(place, scene, one);
  await expectWhole(place);
  await expectSameRows(place, ended);
}

/** Kills of one warehouse before it is left alone: most are killed once, some again while they recover. */
const mostKills = 3;

export const kills: Proof = {
  name: 'kills',
  claim:
    'SIGKILL at a random moment of every command that writes: what is published stays whole; the same command, run again, ends well; after a run every row is that of a warehouse that nobody killed',
  prepare: async (scene): Promise<Prepared> => ({
    // 1.5 kills each, more or less.
    cases: 1340,
    async run(number) {
      const random = createRandom(number);
      const one = killed[number % killed.length] as Killed;
      const whole = await uninterrupted(scene, one);
      const place = await scene.copy(whole.begun);
      const words: string[] = [];
      for (let left = 1 + Math.floor(random() ** 2 * mostKills); left > 0; left--) {
        const was = await killAfter(place, one, random() * whole.ms);
        if (was !== null) words.push(`in ${was}`);
      }
      await expectRecovers(scene, place, one, whole);
      await place.remove();
      return words;
    },
  }),
};

/** Kills a command; one that was quicker is left to have ended. @returns what was killed; null where there was nothing left to kill */
async function killAfter(place: Place, { name, args }: Killed, ms: number): Promise<string | null> {
  const process = place.start(args);
  await Promise.race([delay(ms), process.ended]);
  const phase = phaseOf(place, process);
  if (!process.child.kill('SIGKILL')) return null;
  const { code } = await process.ended;
  return code === 137 ? (phase === null ? name : `${name}, ${phase}`) : null;
}

/** What the process says that it is doing, in the file beside its database. */
function phaseOf({ warehouse }: Place, { child }: FirnProcess): string | null {
  try {
    const { pid, phase } = JSON.parse(readFileSync(join(warehouse, '.state', 'run.json'), 'utf8'));
    // A run that was killed left its own there.
    return pid === child.pid ? phase : null;
  } catch {
    return null;
  }
}
