import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import { freshDatabase, restartServer } from '../postgres.ts';
import { startBucket, store } from '../stage/store.ts';

/** What became of a round. */
export interface KillRound {
  readonly killedIn: Readonly<Record<string, number>>;
  /** Workers that were stopped for longer than their lease, and those of them whose commit was refused. */
  readonly zombies: number;
  readonly fenced: number;
  readonly restarts: number;
  /** Answers of the bucket that were a 503, and those that were lost; a put that is asked again meets a 412 then. */
  readonly refused: number;
  readonly lost: number;
  readonly batches: number;
  readonly rows: number;
  readonly distinct: number;
  readonly sum: number;
}

const places = ['fetch', 'put', 'commit', 'committed', 'apply', 'applied'];
const workersAtOnce = 3;
const leaseMs = 800;
/** Of the answers of the bucket. */
const refusedShare = 0.1;
const lostShare = 0.05;

/**
 * Workers as processes of their own are killed at every place of a commit and while they apply, one in four is stopped in a commit until its
 * lease is another's, PostgreSQL is restarted half-way, and the bucket refuses and loses answers, until `kills` are done; then the rest is
 * read in peace. Without a store the stage is a folder.
 *
 * @param last height of the chain, which begins at 0
 */
export async function killRound(last: number, kills: number): Promise<KillRound> {
  const url = await freshDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'firn-kills-'));
  const bucket = store === undefined ? undefined : await startBucket();
  const stage = bucket?.settings ?? { uri: join(folder, 'stage') };
  const control = await openControl(url, { connections: 2 });
  const counts = { zombies: 0, fenced: 0, restarts: 0, refused: 0, lost: 0 };
  const killedIn: Record<string, number> = {};
  let killed = 0;
  let started = 0;
  const running = new Set<ChildProcess>();
  if (bucket) {
    bucket.meddle = (_, response) => {
      if (Math.random() >= refusedShare) return false;
      counts.refused++;
      response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
      return true;
    };
    bucket.lose = () => {
      const isLost = Math.random() < lostShare;
      if (isLost) counts.lost++;
      return isLost;
    };
  }

  /** Starts a worker; one with a place is killed when it has been there so many times. */
  const start = (place?: string) => {
    const isZombie = started++ % 4 === 3 && place !== undefined;
    const args = [url, JSON.stringify(stage), join(folder, `scratch-${started}`), String(last), String(leaseMs)];
    const child = spawn(process.execPath, [join(import.meta.dirname, 'workerProcess.js'), ...args], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    running.add(child);
    let times = 1 + Math.floor(Math.random() * 3);
    const counted = isZombie ? 'commit' : place;
    const end = (said: string) => {
      if (!child.kill('SIGKILL')) return;
      killed++;
      killedIn[said] = (killedIn[said] ?? 0) + 1;
    };
    createInterface(child.stdout).on('line', (said) => {
      if (said === 'fenced') counts.fenced++;
      if (place === undefined || said !== counted || --times !== 0) return;
      if (!isZombie) return end(said);
      // It stands still until its lease is over, goes on as if nothing had happened, and is killed later.
      counts.zombies++;
      child.kill('SIGSTOP');
      setTimeout(() => child.kill('SIGCONT'), leaseMs * 3);
      setTimeout(() => end('zombie'), leaseMs * 6);
    });
    return once(child, 'exit').then(() => running.delete(child));
  };

  const isRead = async () => {
    try {
      const [row] = await control.query<{ is_read: boolean }>(
        `SELECT coalesce((SELECT max(joined_to) FROM firn.partition), 0) > $1
           AND NOT EXISTS (SELECT 1 FROM firn.batch_file WHERE applied_at IS NULL) AS is_read`,
        [last],
      );
      return row?.is_read === true;
    } catch (error) {
      // It is being restarted.
      if (error instanceof FirnError && error.code === 'unavailable') return false;
      throw error;
    }
  };
  try {
    const killing = Array.from({ length: workersAtOnce }, async (_, slot) => {
      while (killed < kills && !(await isRead())) {
        const ended = start(places[(killed + slot) % places.length]);
        // A worker that no longer comes to its place, since all is read, is ended below.
        while (!(await Promise.race([ended, sleep(200, false)])) && !(await isRead()));
      }
    });
    const restarting = (async () => {
      while (killed < kills / 2 && !(await isRead())) await sleep(50);
      await restartServer();
      counts.restarts++;
    })();
    await Promise.all([...killing, restarting]);
    const peaceful = start();
    while (!(await isRead())) await sleep(100);
    for (const child of running) child.kill('SIGKILL');
    await peaceful;
  } finally {
    for (const child of running) child.kill('SIGKILL');
    bucket?.close();
  }
  const [sums] = await control.query<Record<'rows' | 'distinct' | 'sum' | 'batches', string>>(
    'SELECT count(*) AS rows, count(DISTINCT height) AS distinct, sum(height) AS sum, count(DISTINCT firn_batch) AS batches FROM lake',
  );
  await control.close();
  await rm(folder, { recursive: true, force: true });
  const { rows = '0', distinct = '0', sum = '0', batches = '0' } = sums ?? {};
  return {
    killedIn,
    ...counts,
    batches: Number(batches),
    rows: Number(rows),
    distinct: Number(distinct),
    sum: Number(sum),
  };
}
