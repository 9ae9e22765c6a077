import { parseArgs } from 'node:util';
import { killRound } from './kills.ts';

/** `npm run test:cluster -- --rounds 10`: what is proved of the ledger with real processes. Ends with 1 where a row is lost or doubled. */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2' },
    heights: { type: 'string', default: '1500' },
    kills: { type: 'string', default: '12' },
  },
});
const last = Number(values.heights) - 1;
const expected = { rows: last + 1, distinct: last + 1, sum: (last * (last + 1)) / 2 };
for (let round = 1; round <= Number(values.rounds); round++) {
  const { killedIn, fenced, conflicts, batches, ...found } = await killRound(last, Number(values.kills));
  const isRight = JSON.stringify(found) === JSON.stringify(expected);
  const killed = Object.entries(killedIn).map(([place, times]) => `${times} in ${place}`);
  process.stdout.write(
    `round ${round}: killed ${killed.join(', ')}; ${fenced} fenced, ${conflicts} appliers beaten, ${batches} batches: ` +
      `${JSON.stringify(found)} ${isRight ? 'as expected' : `and not ${JSON.stringify(expected)}`}\n`,
  );
  if (!isRight) process.exitCode = 1;
}
process.exit();
