import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { heightsStream } from '../../run/read/heightsStream.ts';
import { freshDatabase } from '../postgres.ts';
import { createFakeEngine } from './fakeEngine.ts';

/** What became of a round. */
export interface KillRound {
  readonly killedIn: Readonly<Record<string, number>>;
  readonly fenced: number;
  readonly conflicts: number;
  readonly batches: number;
  readonly rows: number;
  readonly distinct: number;
  readonly sum: number;
}

const places = ['fetch', 'put', 'commit', 'committed'];
const workersAtOnce = 3;

/**
 * Workers as processes of their own are killed at every place of a commit while two appliers race, one worker in four a zombie that is slower than
 * its lease, until `kills` are done; then the rest is read in peace.
 *
 * @param last height of the chain, which begins at 0
 */
export async function killRound(last: number, kills: number): Promise<KillRound> {
  const url = await freshDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'firn-kills-'));
  const stage = join(folder, 'stage');
  const control = await openControl(url, { connections: 8 });
  const ledger = await openLedger(control);
  const killedIn: Record<string, number> = {};
  let fenced = 0;
  let killed = 0;
  let started = 0;
  const running = new Set<ChildProcess>();

  /** Starts a worker; one with a place is killed when it has been there so many times. */
  const start = (place?: string) => {
    const isZombie = started++ % 4 === 3 && place !== undefined;
    const child = spawn(
      process.execPath,
      [
        join(import.meta.dirname, 'workerProcess.js'),
        url,
        stage,
        join(folder, `scratch-${started}`),
        String(last),
        isZombie ? 'zombie' : '',
      ],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    running.add(child);
    // A zombie is let be until it was fenced, or was quick enough all the same.
    let times = isZombie ? 3 : 1 + Math.floor(Math.random() * 4);
    const counts = isZombie ? 'committed' : place;
    createInterface(child.stdout).on('line', (said) => {
      if (said === 'fenced') fenced++;
      if (isZombie && said === 'fenced') child.kill('SIGKILL');
      if (place === undefined || said !== counts || --times !== 0) return;
      child.kill('SIGKILL');
      killed++;
      killedIn[said] = (killedIn[said] ?? 0) + 1;
    });
    return once(child, 'exit').then(() => running.delete(child));
  };

  let isOver = false;
  let conflicts = 0;
  const applying = [1, 2].map(async () => {
    const engine = await createFakeEngine(control);
    while (!isOver) {
      const batches = await ledger.pending(heightsStream.table.name, 5);
      if (batches.length > 0) {
        const { inserted } = await engine.apply(heightsStream.table.name, batches);
        if (inserted < batches.reduce((rows, batch) => rows + batch.rows, 0)) conflicts++;
        // Now and then the word that it is done is lost.
        if (Math.random() < 0.8)
          await ledger.applied(
            heightsStream.table.name,
            batches.map(({ id }) => id),
          );
      }
      await sleep(20);
    }
    await engine.close();
  });

  const isRead = async () => {
    const [row] = await control.query<{ at: string | null }>('SELECT max(joined_to) AS at FROM firn.partition');
    return Number(row?.at ?? 0) > last && (await ledger.pendingTables()).length === 0;
  };
  try {
    await Promise.all(
      Array.from({ length: workersAtOnce }, async (_, slot) => {
        while (killed < kills && !(await isRead())) await start(places[(killed + slot) % places.length]);
      }),
    );
    const peaceful = start();
    while (!(await isRead())) await sleep(100);
    for (const child of running) child.kill('SIGKILL');
    await peaceful;
  } finally {
    isOver = true;
    for (const child of running) child.kill('SIGKILL');
    await Promise.all(applying);
  }
  const [sums] = await control.query<Record<'rows' | 'distinct' | 'sum' | 'batches', string>>(
    'SELECT count(*) AS rows, count(DISTINCT height) AS distinct, sum(height) AS sum, count(DISTINCT firn_batch) AS batches FROM lake',
  );
  await control.close();
  await rm(folder, { recursive: true, force: true });
  const { rows = '0', distinct = '0', sum = '0', batches = '0' } = sums ?? {};
  return {
    killedIn,
    fenced,
    conflicts,
    batches: Number(batches),
    rows: Number(rows),
    distinct: Number(distinct),
    sum: Number(sum),
  };
}
