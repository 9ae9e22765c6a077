import { mkdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { openWarehouse } from '../../src/load/state/warehouse.ts';
import { copyOfTree, readTree, writeTree } from './fileTree.ts';
import { killed, uninterrupted } from './kills.ts';
import { type Kept, lostPower, type Names, type Node } from './lostPower.ts';
import type { Prepared, Proof } from './proof.ts';
import { createRandom, pick } from './random.ts';
import { expectEnd, expectSameRows, expectWhole, type Place, type Scene } from './scene.ts';
import { type Done, readTrace } from './shim/readTrace.ts';
import { shimOf } from './shim/shimOf.ts';

/** A run whose calls were noted. */
interface Traced {
  /** The warehouse before it, by path as the calls name it. */
  readonly before: ReadonlyMap<string, Node>;
  readonly root: string;
  readonly calls: readonly Done[];
  /** Places in `calls` at which something was synced. */
  readonly syncs: readonly number[];
}

const runs = killed.filter(({ name }) => name === 'first run' || name === 'run');

export const powerLoss: Proof = {
  name: 'power',
  claim:
    'power that is lost at any fsync of a run, and between it and the next one; what was not synced is thrown away or half kept, on a file system with a journal and on one that only keeps what POSIX promises: all loads that were committed are there, what is published is whole, and after the next run every row is that of a run without a cut',
  async prepare(scene): Promise<Prepared | string> {
    const shim = await shimOf(scene);
    if (typeof shim === 'string') return shim;
    return { cases: 600, run: (number) => tryCut(scene, number) };
  },
};

const traced = (scene: Scene, run: (typeof runs)[number]): Promise<Traced> =>
  scene.once(`trace of ${run.name}`, async () => {
    const shim = await shimOf(scene);
    if (typeof shim === 'string') throw new Error(shim);
    const place = await scene.copy((await uninterrupted(scene, run)).begun);
    await mkdir(place.warehouse, { recursive: true });
    const before = await readTree(place.warehouse);
    const trace = join(place.folder, 'trace');
    expectEnd(
      await place.start(run.args, shim.env(place.warehouse, { SHIM_TRACE: trace })).ended,
      'a run that is noted',
    );
    const calls = (await readTrace(trace)).filter(({ call }) => call !== 'spill');
    const syncs = calls.flatMap(({ call }, at) => (call === 'fsync' || call === 'fdatasync' ? [at] : []));
    return { before, root: place.warehouse, calls, syncs };
  });

async function tryCut(scene: Scene, number: number): Promise<readonly string[]> {
  const random = createRandom(number);
  const run = pick(runs, random);
  const { before, root, calls, syncs } = await traced(scene, run);
  const at = Math.floor(random() * syncs.length);
  const [last = 0, next = calls.length] = [syncs[at], syncs[at + 1]];
  const end = last + 1 + Math.floor(random() * (next - last));
  const [kept, names] = [pick<Kept>(['nothing', 'half'], random), pick<Names>(['journal', 'own'], random)];
  const what = `${run.name}, cut after call ${end} of ${calls.length} (${calls[end - 1]?.call} of ${relative(root, calls[end - 1]?.path ?? '')}), ${kept} kept, ${names}`;

  const place = await scene.place('new');
  await writeTree(lostPower(copyOfTree(before), calls.slice(0, end), { kept, names, random }), root, place.warehouse);
  try {
    await expectCommitted(scene, place, await traced(scene, run), last);
    await expectWhole(place);
    expectEnd(await place.firn('run'), 'the next run');
    await expectWhole(place);
    await expectSameRows(place, (await uninterrupted(scene, run)).ended);
  } catch (error) {
    throw new Error(`${what}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
  await place.remove();
  return [`${run.name}, ${kept} kept, ${names === 'own' ? 'POSIX' : 'journal'}`];
}

/** Loads that were in the state when it was synced last are there after the cut. */
async function expectCommitted(
  scene: Scene,
  place: Place,
  { before, root, calls }: Traced,
  upTo: number,
): Promise<void> {
  const isState = ({ call, path }: Done) => call === 'fsync' && /\/\.state\/firn\.duckdb(\.wal)?$/.test(path);
  const synced = calls.slice(0, upTo + 1).findLastIndex(isState);
  if (synced < 0) return;
  const killedThere = await scene.place('new');
  const everything = calls.slice(0, synced + 1);
  const all = [
    ...everything,
    ...everything.map(({ path }) => syncOf(path)),
    ...everything.map(({ path }) => syncOf(dirname(path))),
  ];
  await writeTree(
    lostPower(copyOfTree(before), all, { kept: 'nothing', names: 'journal', random: () => 0 }),
    root,
    killedThere.warehouse,
  );
  // As the next command opens it: that one cuts off what of the log never reached the disk.
  const loads = async ({ warehouse }: Place) => {
    const state = await openWarehouse({ folder: warehouse, tables: [] });
    return state
      .query<{ load_id: bigint }>('SELECT load_id FROM firn.load ORDER BY 1')
      .then((rows) => rows.map(({ load_id }) => load_id))
      .finally(() => state.close());
  };
  const [there, committed] = [await loads(place), await loads(killedThere)];
  await killedThere.remove();
  const lost = committed.filter((id) => !there.includes(id));
  if (lost.length > 0) throw new Error(`loads that were committed are gone: ${lost.join(', ')}`);
}

const syncOf = (path: string): Done => ({ call: 'fsync', path, second: '', bytes: Buffer.alloc(0) });
