import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FirnError } from '../../src/core/firnError.ts';
import { packageRoot } from '../../src/load/packageFiles.ts';
import { commitText } from '../commitText.ts';
import { writeBetweenMarks } from '../writeBetweenMarks.ts';
import { openJournal } from './journal.ts';
import { proofs } from './proofs.ts';
import { runProofs } from './runProofs.ts';
import { openScene } from './scene.ts';
import { trustTable } from './trustTable.ts';

const options = {
  only: { type: 'string' },
  count: { type: 'string' },
  jobs: { type: 'string', default: '1' },
  hours: { type: 'string', default: '4' },
  folder: { type: 'string' },
  fresh: { type: 'boolean', default: false },
  write: { type: 'string' },
} as const;

/** `npm run proof`; docs/trust.md says what the options mean. */
async function prove(): Promise<void> {
  const { only, count, jobs, hours, folder, fresh, write } = parseArgs({ options }).values;
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
        only: seeds,
        count: count === undefined ? undefined : wholeNumber('count', count),
        jobs: wholeNumber('jobs', jobs),
        until: Date.now() + hoursOf(hours) * 3_600_000,
        journal,
        say: (line) => console.error(line),
      },
    );
    const machine = `Commit ${commit}, Node ${process.version}, ${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${new Date().toISOString().slice(0, 10)}.`;
    const report = `${machine}\n\n${trustTable(outcomes)}`;
    console.log(report);
    if (write) await writeBetweenMarks(write, 'proof', report);
    if (outcomes.some(({ tried }) => tried.some(({ error }) => error !== undefined))) process.exitCode = 1;
  } finally {
    await scene.close();
  }
}

/** `kills:17,bits` as cases by proof; none where all of a proof are meant. */
function seedsOf(text: string): Map<string, number[]> {
  const seeds = new Map<string, number[]>();
  for (const part of text.split(',')) {
    const [name = '', number] = part.split(':');
    if (!proofs.some((proof) => proof.name === name)) {
      throw new FirnError('usage', `There is no proof ${name}: ${proofs.map((proof) => proof.name).join(', ')}.`);
    }
    const numbers = seeds.get(name) ?? [];
    seeds.set(name, number === undefined ? numbers : [...numbers, wholeNumber('only', number)]);
  }
  return seeds;
}

function hoursOf(text: string): number {
  if (Number(text) > 0) return Number(text);
  throw new FirnError('usage', `--hours ${text}: write a number above zero, such as 0.5.`);
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new FirnError('usage', `--${name} ${text}: write a whole number above zero.`);
}

try {
  await prove();
} catch (error) {
  console.error(error instanceof FirnError ? error.message : error);
  process.exitCode = 1;
}
