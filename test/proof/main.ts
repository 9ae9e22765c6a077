import { join } from 'node:path';
import { FirnError } from '../../src/core/firnError.ts';
import { packageRoot } from '../../src/load/packageFiles.ts';
import { commitText, machineText } from '../commitText.ts';
import { optionNumber } from '../optionNumber.ts';
import { runProgram } from '../runProgram.ts';
import { writeBetweenMarks } from '../writeBetweenMarks.ts';
import { openJournal } from './journal.ts';
import { proofs } from './proofs.ts';
import { runProofs } from './runProofs.ts';
import { openScene } from './scene.ts';
import { trustTable } from './trustTable.ts';

const usage = `npm run proof -- [--only bits,kills:17] [--count 20] [--jobs 1] [--hours 4] [--folder DIR] [--fresh] [--write FILE]

docs/trust.md says what the options mean. Ends with 1 where a case does not hold.`;

const options = {
  only: { type: 'string' },
  count: { type: 'string' },
  jobs: { type: 'string', default: '1' },
  hours: { type: 'string', default: '4' },
  folder: { type: 'string' },
  fresh: { type: 'boolean', default: false },
  write: { type: 'string' },
} as const;

process.exitCode = await runProgram(usage, options, async ({ only, count, jobs, hours, folder, fresh, write }) => {
  const limits = {
    count: count === undefined ? undefined : optionNumber('count', count),
    jobs: optionNumber('jobs', jobs),
    until: Date.now() + optionNumber('hours', hours, 'a number above zero') * 3_600_000,
  };
  const chosen = only === undefined ? undefined : seedsOf(only);
  const commit = commitText();
  const seeds = new Map([...(chosen ?? [])].filter(([, numbers]) => numbers.length > 0));
  const journal = await openJournal(
    join(packageRoot(), 'node_modules', '.cache', 'firn-proof', `${commit.replaceAll(' ', '-')}.jsonl`),
    fresh,
  );
  const scene = await openScene(folder);
  try {
    const outcomes = await runProofs(
      proofs.filter(({ name }) => chosen === undefined || chosen.has(name)),
      scene,
      {
        ...limits,
        only: seeds,
        journal,
        say: (line) => console.error(line),
      },
    );
    const report = `${machineText(commit)}\n\n${trustTable(outcomes)}`;
    console.log(report);
    if (write) await writeBetweenMarks(write, 'proof', report);
    return outcomes.some(({ tried }) => tried.some(({ error }) => error !== undefined)) ? 1 : 0;
  } finally {
    await scene.close();
  }
});

/** `kills:17,bits` as cases by proof; none where all of a proof are meant. */
function seedsOf(text: string): Map<string, number[]> {
  const seeds = new Map<string, number[]>();
  for (const part of text.split(',')) {
    const [name = '', number] = part.split(':');
    if (!proofs.some((proof) => proof.name === name)) {
      throw new FirnError('usage', `There is no proof ${name}: ${proofs.map((proof) => proof.name).join(', ')}.`);
    }
    const numbers = seeds.get(name) ?? [];
    seeds.set(name, number === undefined ? numbers : [...numbers, optionNumber('only', number)]);
  }
  return seeds;
}
