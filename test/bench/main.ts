import { writeFile } from 'node:fs/promises';
import { FirnError } from '../../src/core/firnError.ts';
import { machineText } from '../commitText.ts';
import { optionNumber } from '../optionNumber.ts';
import { runProgram } from '../runProgram.ts';
import { writeBetweenMarks } from '../writeBetweenMarks.ts';
import { benchTable } from './benchTable.ts';
import { cases } from './cases.ts';
import { type Result, runCase } from './runCase.ts';
import { missing, sides } from './sides.ts';

const usage = `npm run bench -- [--only tx,memory] [--rounds 5] [--rows 50000] [--alone] [--json FILE] [--write FILE]

test/bench/README.md says what the options mean.`;

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

process.exitCode = await runProgram(usage, options, async ({ only, alone, json, write, ...told }) => {
  const rounds = optionNumber('rounds', told.rounds);
  const rows = told.rows === undefined ? undefined : optionNumber('rows', told.rows);
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
      rounds: one.once ? 1 : rounds,
      rows: rows === undefined || one.rows === 0 ? one.rows : rows * (one.times ?? 1),
    };
    console.error(`${one.name}: ${there.join(', ')}; ${plan.rounds} rounds`);
    results.push(...(await runCase(one, plan)));
  }
  if (isNamed(year)) {
    const { benchMetricsYear } = await import('./metricsYear.ts');
    await benchMetricsYear((line) => notes.add(line));
  }
  const machine = machineText();
  const report = [machine, ...(results.length > 0 ? [benchTable(results)] : []), ...notes].join('\n\n');
  console.log(report);
  if (json) await writeFile(json, `${JSON.stringify({ machine, results, notes: [...notes] }, null, 2)}\n`);
  if (write) await writeBetweenMarks(write, 'bench', report);
  return 0;
});
