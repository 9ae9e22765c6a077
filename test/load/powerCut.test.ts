/** @module-tag long */
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tablesOf } from '../../src/core/stream/stream.ts';
import { openWarehouse, type Warehouse } from '../../src/load/state/warehouse.ts';
import { projectRoot } from '../cli/firnProcess.ts';
import { copyOfTree, readTree, writeTree } from '../proof/fileTree.ts';
import { type Kept, lostPower, type Names, type Node } from '../proof/lostPower.ts';
import { createRandom } from '../proof/random.ts';
import { buildShim } from '../proof/shim/buildShim.ts';
import { readTrace } from '../proof/shim/readTrace.ts';
import { temporary } from '../temporaryFolders.ts';
import { transfersStream } from './transfers.ts';
import { commits, heldAfter, heldBy, writeCommit } from './writtenCommits.ts';

const all = commits.length;

async function using<T>(folder: string, use: (warehouse: Warehouse) => Promise<T>): Promise<T> {
  const warehouse = await openWarehouse({ folder, tables: tablesOf([transfersStream()]) });
  try {
    return await use(warehouse);
  } finally {
    warehouse.close();
  }
}

/** What a cut leaves of what was not synced: nothing, and parts of it by chance. */
const ways: readonly (readonly [Kept, Names])[] = [
  ['nothing', 'own'],
  ['half', 'own'],
  ['half', 'journal'],
  ['half', 'journal'],
];

/** The state database and its log, as one text: equal where a cut left the same. */
const stateOf = (tree: ReadonlyMap<string, Node>) =>
  [...tree]
    .filter(([path]) => /firn\.duckdb/.test(path))
    .map(([path, node]) => `${path} ${typeof node === 'object' && 'bytes' in node ? hash('sha256', node.bytes) : ''}`)
    .join('\n');

test('a power cut between two calls of a load leaves the last commit, whole, and the next run goes on from it', async ({
  skip,
}) => {
  const folder = await temporary();
  const shim = await buildShim(folder);
  if (typeof shim === 'string') return skip(shim);
  const root = join(folder, 'warehouse');
  await using(root, async () => {});
  const before = await readTree(root);
  const trace = join(folder, 'trace');
  const script = join(projectRoot, 'dist', 'test', 'load', 'writingProcess.js');
  const env = { ...process.env, ...shim.env(root, { SHIM_TRACE: trace }) };
  await promisify(execFile)(process.execPath, [script, root], { env });
  const calls = await readTrace(trace);
  const whenIs = (mark: string) => calls.findIndex(({ path }) => path === join(root, mark));
  const marks = [...commits.keys()].map((n) => ({ written: whenIs(`written ${n}`), durable: whenIs(`durable ${n}`) }));
  const begins = whenIs('written 0');
  // Behind each sync, just before the next one, and where nothing but the commit is still to come.
  const syncs = calls.flatMap(({ call }, at) => (/^f(data)?sync$/.test(call) ? [at] : []));
  const cuts = new Set([...syncs, ...syncs.map((at) => at + 1), ...marks.map(({ written }) => written)]);

  const met = new Map<string, number>();
  const wrong: unknown[] = [];
  for (const cut of cuts) {
    if (cut < begins) continue;
    const most = marks.filter(({ written }) => written <= cut).length;
    const least = marks.filter(({ durable }) => durable < cut).length;
    for (const [seed, [kept, names]] of ways.entries()) {
      const random = createRandom(cut * 10 + seed);
      const left = lostPower(copyOfTree(before), calls.slice(0, cut), { kept, names, random });
      const known = met.get(stateOf(left));
      if (known !== undefined) {
        if (known < least || known > most) wrong.push({ cut, kept, names, known, least, most });
        continue;
      }
      const place = await temporary();
      await writeTree(left, root, place);
      await using(place, async (warehouse) => {
        const held = await heldBy(warehouse);
        const done = [...commits.keys(), all].findIndex((n) => heldAfter(n).loads === held.loads);
        if (done < least || done > most) wrong.push({ cut, kept, names, held, least, most });
        else expect(held).toEqual(heldAfter(done));
        if (![...met.values()].includes(done)) {
          for (let number = done; number < all; number++) await writeCommit(warehouse, number);
          await warehouse.commit();
          expect(await heldBy(warehouse)).toEqual(heldAfter(all));
        }
        met.set(stateOf(left), done);
      });
    }
  }
  expect(wrong).toEqual([]);
  // The cuts met every state: none was left out.
  expect([...new Set(met.values())].sort()).toEqual([...commits.keys(), all]);
});
