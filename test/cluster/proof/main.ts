import { parseArgs } from 'node:util';
import { killRound } from './kills.ts';
import { announcedRound, readRound } from './processes.ts';
import { type QuotaRound, quotaRound } from './quota.ts';

/** `npm run test:ledger -- --rounds 10`: what is proved of the ledger with real processes. Ends with 1 where a row is lost or doubled, or a quota
 * is not spent or overspent. */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2' },
    heights: { type: 'string', default: '1500' },
    windows: { type: 'string', default: '10' },
    kills: { type: 'string', default: '12' },
    blocks: { type: 'string', default: '20000' },
    /** Of kills, quota, announced, reading; all where it is left out. */
    only: { type: 'string' },
  },
});
const print = (line: string) => void process.stdout.write(`${line}\n`);
const isTold = (what: string) => values.only === undefined || values.only.split(',').includes(what);
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

async function kills(): Promise<void> {
  const last = Number(values.heights) - 1;
  const expected = { rows: last + 1, distinct: last + 1, sum: (last * (last + 1)) / 2 };
  for (let round = 1; round <= Number(values.rounds); round++) {
    const { killedIn, zombies, fenced, restarts, refused, lost, batches, ...found } = await killRound(
      last,
      Number(values.kills),
    );
    const isRight = JSON.stringify(found) === JSON.stringify(expected);
    const killed = Object.entries(killedIn).map(([place, times]) => `${times} in ${place}`);
    print(
      `round ${round}: killed ${killed.join(', ')}; ${zombies} stopped beyond their lease, ${fenced} commits refused; PostgreSQL restarted ${restarts} times; ` +
        `the bucket refused ${refused} requests and lost ${lost} answers; ${batches} batches: ` +
        `${JSON.stringify(found)} ${isRight ? 'as expected' : `and not ${JSON.stringify(expected)}`}`,
    );
    if (!isRight) process.exitCode = 1;
  }
}

/** In a time of its own, or as processes that ask a server by the clock: there a busy machine may leave some of a quota. */
async function quota(what: string, round: (workers: number, windows: number) => Promise<QuotaRound>): Promise<void> {
  for (const workers of [1, 2, 4]) {
    const { used, refused } = await round(workers, Number(values.windows));
    const isRight = used >= 0.95 && refused <= 0.01;
    print(
      `${workers} workers and one quota${what}: ${percent(used)} of it used, ${percent(refused)} of the requests refused${isRight ? '' : ', and not 95 and 1'}`,
    );
    if (!isRight) process.exitCode = 1;
  }
}

async function reading(): Promise<void> {
  let alone = 0;
  for (const workers of [1, 2, 4]) {
    const { rows, expected, seconds, cpu } = await readRound(workers, Number(values.blocks));
    alone ||= rows / seconds;
    print(
      `${workers} workers and no quota: ${rows} rows in ${seconds.toFixed(1)} s, ${(rows / seconds / alone).toFixed(2)} times the rows a second of one, ` +
        `${((cpu / rows) * 1e6).toFixed(1)} s of processors a million${rows === expected ? '' : `, and not ${expected} rows`}`,
    );
    if (rows !== expected) process.exitCode = 1;
  }
}

if (isTold('kills')) await kills();
if (isTold('quota')) await quota('', quotaRound);
if (isTold('announced')) await quota(' of a server by the clock', announcedRound);
if (isTold('reading')) await reading();
process.exit();
