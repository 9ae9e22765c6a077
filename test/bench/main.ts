import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { FirnError } from '../../src/core/firnError.ts';
import { commitText } from '../commitText.ts';
import { writeBetweenMarks } from '../writeBetweenMarks.ts';
import { benchTable } from './benchTable.ts';
import { cases } from './cases.ts';
import { type Result, runCase } from './runCase.ts';
import { missing, sides } from './sides.ts';

const options = {
  only: { type: 'string' },
  rounds: { type: 'string', default: '5' },
  rows: { type: 'string' },
  alone: { type: 'boolean', default: false },
  json: { type: 'string' },
  write: { type: 'string' },
} as const;
/** Not measured as a process, and only where it is named: it takes ten minutes and 6 GB. */
const year = 'year';

/** `npm run bench`; README.md beside this file says what the options mean. */
async function bench(): Promise<void> {
  const { only, rounds, rows, alone, json, write } = parseArgs({ options }).values;
  const names = only?.split(',');
  const isNamed = (name: string) => names?.some((part) => name === part || name.startsWith(`${part}-`)) === true;
  const chosen = cases.filter(({ name }) => !names || isNamed(name));
  if (chosen.length === 0 && !isNamed(year)) {
    throw new FirnError('usage', `There is no case ${only}: ${[...cases.map(({ name }) => name), year].join(', ')}.`);
  }
  const results: Result[] = [];
  const notes = new Set<string>();
  for (const one of chosen) {
    const there = one.sides.filter((name) => {
      const line = missing(sides[name]);
      if (line && !alone) notes.add(`Not measured, since it is not installed: ${name}. To install it: \`${line}\``);
      return !line && !(alone && sides[name].needs);
    });
    const plan = {
      names: there,
      rounds: one.once ? 1 : wholeNumber('rounds', rounds),
      rows: rows === undefined || one.rows === 0 ? one.rows : wholeNumber('rows', rows) * (one.times ?? 1),
    };
    console.error(`${one.name}: ${there.join(', ')}; ${plan.rounds} rounds`);
    results.push(...(await runCase(one, plan)));
  }
  if (isNamed(year)) {
    const { benchMetricsYear } = await import('./metricsYear.ts');
    await benchMetricsYear((line) => notes.add(line));
  }
  const machine = `Commit ${commitText()}, Node ${process.version}, ${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${new Date().toISOString().slice(0, 10)}.`;
  const report = [machine, ...(results.length > 0 ? [benchTable(results)] : []), ...notes].join('\n\n');
  console.log(report);
  if (json) await writeFile(json, `${JSON.stringify({ machine, results, notes: [...notes] }, null, 2)}\n`);
  if (write) await writeBetweenMarks(write, 'bench', report);
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new FirnError('usage', `--${name} ${text}: write a whole number above zero.`);
}

try {
  await bench();
} catch (error) {
  console.error(error instanceof FirnError ? error.message : error);
  process.exitCode = 1;
}
