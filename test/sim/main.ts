import '../oneDuckdbThread.ts';
import { catalogue } from '../../pipelines/index.ts';
import { FirnError } from '../../src/core/firnError.ts';
import { optionNumber } from '../optionNumber.ts';
import { runProgram } from '../runProgram.ts';
import { faultNames } from './faults.ts';
import { simulate, streamIds } from './simulate.ts';
import { ledgerStreams, simulateLedger } from './simulateLedger.ts';
import { simulateSettings } from './simulateSettings.ts';

const usage = `npm run sim -- [--seeds 100] [--days 30] [--every 1] [--first 1]   many seeds, one after the other
npm run sim -- --seed 7 [--days 30] [--every 1]                      one seed, run by run

--ledger: of the recorded network, with all its streams, in place of a made-up one. --late: the made-up data service lists rows later than it
dates them, and streams look back. --settings: of the recorded network, in which nothing goes wrong, by
configurations that change from run to run; --days and --every mean nothing to it. --helicon: with --ledger, the C-Chain executes its blocks after it accepted them. --every: hours from one run to the next. --publishing:
share of seeds that build and publish, 0.02 where it is left out. --streams: ids, with commas between them, of streams that every seed reads
beside those that it draws. Ends with 1 where a seed failed, or a fault of the made-up network hit nothing in a hundred seeds or more.`;

const options = {
  seeds: { type: 'string', default: '100' },
  seed: { type: 'string' },
  first: { type: 'string', default: '1' },
  days: { type: 'string', default: '30' },
  every: { type: 'string', default: '1' },
  publishing: { type: 'string' },
  streams: { type: 'string' },
  ledger: { type: 'boolean', default: false },
  settings: { type: 'boolean', default: false },
  late: { type: 'boolean', default: false },
  helicon: { type: 'boolean', default: false },
} as const;

/** Seeds after which every fault must have hit something. */
const enough = 100;

process.exitCode = await runProgram(usage, options, async (values) => {
  const { seed: alone } = values;
  const isAlone = alone !== undefined;
  const first = isAlone ? optionNumber('seed', alone) : optionNumber('first', values.first);
  const seeds = isAlone ? 1 : optionNumber('seeds', values.seeds);
  const streams = values.streams?.split(',');
  const known: readonly string[] = values.settings
    ? catalogue.map(({ id }) => id)
    : values.ledger
      ? Object.keys(await ledgerStreams())
      : streamIds;
  const odd = streams?.find((id) => !known.includes(id));
  if (odd !== undefined)
    throw new FirnError('usage', `There is no stream ${odd} in the simulation; it has ${known.join(', ')}.`);
  const told = {
    days: optionNumber('days', values.days),
    everyHours: optionNumber('every', values.every, 'a number above zero'),
    publishing:
      values.publishing === undefined
        ? undefined
        : optionNumber('publishing', values.publishing, 'a share between 0 and 1'),
    streams,
    isLate: values.late,
    isHelicon: values.helicon,
  };
  const hits = new Map(faultNames.map((name) => [name, 0]));
  let failed = 0;
  for (let seed = first; seed < first + seeds; seed++) {
    try {
      const tell = (line: string) => void process.stdout.write(`${line}\n`);
      const done = await (values.settings ? simulateSettings : values.ledger ? simulateLedger : simulate)({
        seed,
        ...told,
        ...(isAlone && { tell }),
      });
      for (const [name, count] of done.hits) hits.set(name, (hits.get(name) ?? 0) + count);
      process.stdout.write(`seed ${seed}: ${done.runs} runs, ${done.requests} requests, ${done.published} versions\n`);
    } catch (error) {
      failed++;
      const { message, cause } = error as Error;
      process.stdout.write(`seed ${seed} FAILED: ${message}\n${cause instanceof Error ? `${cause.stack}\n` : ''}`);
    }
  }
  process.stdout.write(`${[...hits].map(([name, count]) => `${name} ${count}`).join(', ')}\n`);
  const never =
    seeds >= enough && !values.ledger && !values.settings
      ? [...hits].filter(([, count]) => count === 0).map(([name]) => name)
      : [];
  if (never.length > 0) process.stdout.write(`Never hit anything: ${never.join(', ')}\n`);
  process.stdout.write(`${seeds - failed} of ${seeds} seeds are as they must be\n`);
  return failed > 0 || never.length > 0 ? 1 : 0;
});
