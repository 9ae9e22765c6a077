import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Devnet, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openReader } from '../../src/publish/openReader.ts';
import { verifyLake } from '../../src/publish/verifyLake.ts';
import { compareWarehouses } from '../../src/run/evidence/compareWarehouses.ts';
import { type Workspace, workspace } from '../cli/workspace.ts';
import { everything } from './everything.ts';
import { type Durations, killedRun, type Moment, measuredRun, moments } from './killedRun.ts';

// FIRN_KILLS=300 kills on the whole history instead of its first tenth; npm run test:kill does that.
const kills = Number(process.env['FIRN_KILLS'] ?? 12);
const share = kills > 12 ? 1 : 0.1;
// Each metric and interval is a partition: a few of them, of each kind, are enough where many runs must be quick.
const metrics = share < 1 ? ['txCount', 'avgGps', 'cumulativeAddresses'] : 'all';
/** Kills of one warehouse: half of them before its network moves on, half after. */
const killsEach = kills > 12 ? 10 : 4;

vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 3_600_000 });

let devnet: Devnet;
let heads: number[];
let uninterrupted: Workspace;
/** By stage: where a run spends its time. */
const durations: Durations[] = [];
const hit: Record<Moment, number> = { start: 0, sync: 0, build: 0, reconcile: 0, publish: 0 };

beforeAll(async () => {
  devnet = await startDevnet({ head: '0%' });
  heads = [share / 2, share].map(headAt);
  devnet.moveHead(headAt(share));
  uninterrupted = await workspace(everything(devnet, metrics));
  for (const head of heads) {
    devnet.moveHead(head);
    const run = await measuredRun(uninterrupted.config);
    expect(run.code, run.output).toBe(0);
    durations.push(run.durations);
  }
});
afterAll(async () => {
  await devnet.close();
  console.log(`Killed: ${moments.map((moment) => `${hit[moment]} in ${moment}`).join(', ')}.`);
});

test.each(Array.from({ length: Math.ceil(kills / killsEach) }, (_, i) => i + 1))(
  'warehouse %d: killed over and over, its tables are those of an uninterrupted run',
  async (seed) => {
    const random = createRandom(seed);
    const killed = await workspace(everything(devnet, metrics));
    const folder = join(killed.folder, 'warehouse');
    for (const [stage, head] of heads.entries()) {
      devnet.moveHead(head);
      for (const moment of drawMoments(random, killsEach / heads.length, stage === heads.length - 1)) {
        await killAt(killed.folder, moment, random, durations[stage] as Durations);
        await expectPublishedWhole(folder);
      }
    }
    const last = await killed.firn('run');
    expect(last.code, last.stdout + last.stderr).toBe(0);
    const differences = await compareWarehouses(folder, join(uninterrupted.folder, 'warehouse'));
    expect(differences.length).toBeGreaterThan(30);
    expect(differences.filter(({ onlyFirst, onlySecond }) => onlyFirst + onlySecond > 0)).toEqual([]);
    await expectPublishedWhole(folder);
    expect(await publishedRows(killed)).toEqual(await publishedRows(uninterrupted));
  },
);

/** The moment at which a share of all blocks exists. */
function headAt(part: number): number {
  const { c, l1s, p, x, lastMoment } = devnet.ledger;
  const known = [c, ...l1s, p, x]
    .flatMap(({ blocks }) => blocks.map(({ visibleAt }) => visibleAt))
    .sort((a, b) => a - b);
  return part >= 1 ? lastMoment : (known[Math.floor(known.length * part)] ?? lastMoment);
}

/**
 * When the kills come, each a run further than the one before, or the later ones would find nothing left to do. What the first
 * stage served must all be read before the network moves on, as the uninterrupted run has read it: its last kill comes later.
 */
function drawMoments(random: () => number, count: number, isLast: boolean): Moment[] {
  const draws = Array.from({ length: count }, () => random());
  // Reading and publishing touch the disk most.
  const drawn = draws.map(
    (u): Moment => (u < 0.1 ? 'start' : u < 0.45 ? 'sync' : u < 0.65 ? 'build' : u < 0.75 ? 'reconcile' : 'publish'),
  );
  if (!isLast) drawn[0] = random() < 0.4 ? 'build' : random() < 0.3 ? 'reconcile' : 'publish';
  return drawn.sort((a, b) => moments.indexOf(a) - moments.indexOf(b));
}

/** Kills a run; one that was quicker than its killer is followed by another one that is killed earlier. */
async function killAt(folder: string, moment: Moment, random: () => number, durations: Durations): Promise<void> {
  for (let quicker = 1; ; quicker *= 2) {
    const was = await killedRun(folder, moment, (random() * durations[moment]) / quicker);
    if (was !== null) hit[was]++;
    if (was !== null) return;
  }
}

/** What is published is whole: every file of every version, and the reader database over them. */
async function expectPublishedWhole(folder: string): Promise<void> {
  if (!existsSync(join(folder, 'analytics.duckdb'))) return;
  const { ok, failures } = await verifyLake(folder);
  expect(failures).toEqual([]);
  expect(ok).toBe(true);
  const reader = await openReader(folder);
  try {
    const [counted] = await reader.query<{ n: bigint }>('SELECT count(*) AS n FROM mart.metric');
    expect(counted?.n).toBeGreaterThan(0n);
  } finally {
    reader.close();
  }
}

/** Rows by published table, as readers see them. */
async function publishedRows({ folder }: Workspace): Promise<Record<string, unknown>[]> {
  const reader = await openReader(join(folder, 'warehouse'));
  try {
    const views = await reader.query<{ name: string }>(
      "SELECT schema_name || '.' || view_name AS name FROM duckdb_views() WHERE schema_name IN ('raw', 'staging', 'mart') ORDER BY 1",
    );
    expect(views.length).toBeGreaterThan(30);
    return await reader.query(
      views.map(({ name }) => `SELECT '${name}' AS name, count(*) AS n FROM ${name}`).join(' UNION ALL '),
    );
  } finally {
    reader.close();
  }
}

/** Numbers in [0, 1) by a seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
