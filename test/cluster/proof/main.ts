import { parseArgs } from 'node:util';
import { killRound } from './kills.ts';
import { quotaRound } from './quota.ts';

/** `npm run test:ledger -- --rounds 10`: what is proved of the ledger with real processes. Ends with 1 where a row is lost or doubled, or a quota
 * is not spent or overspent. */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2' },
    heights: { type: 'string', default: '1500' },
    windows: { type: 'string', default: '10' },
    kills: { type: 'string', default: '12' },
  },
});
const last = Number(values.heights) - 1;
const expected = { rows: last + 1, distinct: last + 1, sum: (last * (last + 1)) / 2 };
for (let round = 1; round <= Number(values.rounds); round++) {
  const { killedIn, zombies, fenced, restarts, refused, lost, batches, ...found } = await killRound(
    last,
    Number(values.kills),
  );
  const isRight = JSON.stringify(found) === JSON.stringify(expected);
  const killed = Object.entries(killedIn).map(([place, times]) => `${times} in ${place}`);
  process.stdout.write(
    `round ${round}: killed ${killed.join(', ')}; ${zombies} stopped beyond their lease, ${fenced} commits refused; PostgreSQL restarted ${restarts} times; ` +
      `the bucket refused ${refused} requests and lost ${lost} answers; ${batches} batches: ` +
      `${JSON.stringify(found)} ${isRight ? 'as expected' : `and not ${JSON.stringify(expected)}`}\n`,
  );
  if (!isRight) process.exitCode = 1;
}
for (const workers of [1, 2, 4]) {
  const { used, refused } = await quotaRound(workers, Number(values.windows));
  const isRight = used >= 0.95 && refused <= 0.01;
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  process.stdout.write(
    `${workers} workers and one quota: ${percent(used)} of it used, ${percent(refused)} of the requests refused${isRight ? '' : ', and not 95 and 1'}\n`,
  );
  if (!isRight) process.exitCode = 1;
}
process.exit();
