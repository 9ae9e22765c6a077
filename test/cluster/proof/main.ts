import { FirnError } from '../../../src/core/firnError.ts';
import { optionNumber } from '../../optionNumber.ts';
import { runProgram } from '../../runProgram.ts';
import { killRound } from './kills.ts';
import { announcedRound, readRound } from './processes.ts';
import { type QuotaRound, quotaRound } from './quota.ts';

const usage = `npm run test:ledger -- [--only kills,quota,announced,reading] [--rounds 2] [--kills 12] [--heights 1500] [--windows 10] [--blocks 20000]

What is proved of the ledger with real processes. Ends with 1 where a row is lost or doubled, or a quota is not spent or overspent.
--rounds, --kills, --heights: of kills. --windows: of quota and announced. --blocks: of reading.`;

const options = {
  only: { type: 'string' },
  rounds: { type: 'string', default: '2' },
  kills: { type: 'string', default: '12' },
  heights: { type: 'string', default: '1500' },
  windows: { type: 'string', default: '10' },
  blocks: { type: 'string', default: '20000' },
} as const;

const print = (line: string) => void process.stdout.write(`${line}\n`);
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

async function kills(rounds: number, times: number, heights: number): Promise<boolean> {
  let isAllRight = true;
  const last = heights - 1;
  const expected = { rows: last + 1, distinct: last + 1, sum: (last * (last + 1)) / 2 };
  for (let round = 1; round <= rounds; round++) {
    const { killedIn, zombies, fenced, restarts, refused, lost, batches, ...found } = await killRound(last, times);
    const isRight = JSON.stringify(found) === JSON.stringify(expected);
    const killed = Object.entries(killedIn).map(([place, count]) => `${count} in ${place}`);
    print(
      `round ${round}: killed ${killed.join(', ')}; ${zombies} stopped beyond their lease, ${fenced} commits refused; PostgreSQL restarted ${restarts} times; ` +
        `the bucket refused ${refused} requests and lost ${lost} answers; ${batches} batches: ` +
        `${JSON.stringify(found)} ${isRight ? 'as expected' : `and not ${JSON.stringify(expected)}`}`,
    );
    isAllRight &&= isRight;
  }
  return isAllRight;
}

/** In a time of its own, or as processes that ask a server by the clock: there a busy machine may leave some of a quota. */
async function quota(windows: number, what: string, round: (workers: number, windows: number) => Promise<QuotaRound>) {
  let isAllRight = true;
  for (const workers of [1, 2, 4]) {
    const { used, refused } = await round(workers, windows);
    const isRight = used >= 0.95 && refused <= 0.01;
    print(
      `${workers} workers and one quota${what}: ${percent(used)} of it used, ${percent(refused)} of the requests refused${isRight ? '' : ', and not 95 and 1'}`,
    );
    isAllRight &&= isRight;
  }
  return isAllRight;
}

async function reading(blocks: number): Promise<boolean> {
  let isAllRight = true;
  let alone = 0;
  for (const workers of [1, 2, 4]) {
    const { rows, expected, seconds, cpu } = await readRound(workers, blocks);
    alone ||= rows / seconds;
    print(
      `${workers} workers and no quota: ${rows} rows in ${seconds.toFixed(1)} s, ${(rows / seconds / alone).toFixed(2)} times the rows a second of one, ` +
        `${((cpu / rows) * 1e6).toFixed(1)} s of processors a million${rows === expected ? '' : `, and not ${expected} rows`}`,
    );
    isAllRight &&= rows === expected;
  }
  return isAllRight;
}

const code = await runProgram(usage, options, async ({ only, ...told }) => {
  const number = (name: keyof typeof told) => optionNumber(name, told[name]);
  const [rounds, times, heights] = [number('rounds'), number('kills'), number('heights')];
  const [windows, blocks] = [number('windows'), number('blocks')];
  const parts = {
    kills: () => kills(rounds, times, heights),
    quota: () => quota(windows, '', quotaRound),
    announced: () => quota(windows, ' of a server by the clock', announcedRound),
    reading: () => reading(blocks),
  };
  const chosen = only?.split(',');
  const odd = chosen?.find((name) => !Object.hasOwn(parts, name));
  if (odd !== undefined) throw new FirnError('usage', `There is no part ${odd}: ${Object.keys(parts).join(', ')}.`);
  let isAllRight = true;
  for (const [name, part] of Object.entries(parts))
    if (!chosen || chosen.includes(name)) isAllRight = (await part()) && isAllRight;
  return isAllRight ? 0 : 1;
});
process.exit(code);
