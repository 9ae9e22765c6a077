import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { FirnError } from '../../src/core/firnError.ts';
import { benchTable } from './benchTable.ts';
import { type Case, cases } from './cases.ts';
import { benchMetricsYear } from './metricsYear.ts';
import { type Result, runCase } from './runCase.ts';
import { missing, sides } from './sides.ts';

// `npm run bench -- --only tx,evm --rounds 3 --rows 50000 --alone --json out.json --write docs/speed.md`; test/bench/README.md says what each means.
const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    rows: { type: 'string' },
    alone: { type: 'boolean', default: false },
    json: { type: 'string' },
    write: { type: 'string' },
  },
});
const names = options.only?.split(',') ?? [];
const year = 'year';
const isNamed = (name: string) => names.some((part) => name === part || name.startsWith(`${part}-`));
const chosen = cases.filter(({ name }) => names.length === 0 || isNamed(name));
if (chosen.length === 0 && !isNamed(year)) {
  const all = [...cases.map(({ name }) => name), year].join(', ');
  throw new FirnError('usage', `There is no case ${options.only}: write ${all}.`);
}

const results: Result[] = [];
const notes = new Set<string>();
for (const one of chosen) results.push(...(await runCase(one, await planOf(one))));
if (isNamed(year)) await benchMetricsYear((line) => notes.add(`${line}.`));

const machine = `Commit ${commit()}, Node ${process.version}, ${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${new Date().toISOString().slice(0, 10)}.`;
const report = [machine, ...(results.length > 0 ? [benchTable(results)] : []), ...notes].join('\n\n');
console.log(`\n${report}`);
if (options.json)
  await writeFile(options.json, `${JSON.stringify({ machine, results, notes: [...notes] }, null, 2)}\n`);
if (options.write) await writeBetweenMarks(options.write, report);

async function planOf(one: Case) {
  const sidesOf = one.sides.filter((name) => {
    const side = sides[name];
    if (options.alone && side.needs) return false;
    const line = missing(side);
    if (line) notes.add(`Not measured, since it is not installed: ${name}. Install it: \`${line}\`.`);
    return !line;
  });
  const rows = options.rows === undefined ? one.rows : Number(options.rows) * (one.times ?? 1);
  const rounds = one.once ? 1 : Number(options.rounds);
  console.error(`${one.name}: ${sidesOf.join(', ')}; ${rounds} rounds`);
  return { rows, rounds, names: sidesOf };
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const isChanged = git('status', '--porcelain', '--untracked-files=no') !== '';
  return git('rev-parse', '--short', 'HEAD') + (isChanged ? ' with changes' : '');
}

/** Puts a report where a document says that it stands. */
async function writeBetweenMarks(file: string, report: string): Promise<void> {
  const [begin, end] = ['<!-- bench -->', '<!-- end of bench -->'];
  const text = await readFile(file, 'utf8');
  const [before, after] = [text.indexOf(begin), text.indexOf(end)];
  if (before < 0 || after < before) throw new FirnError('usage', `${file} has no lines ${begin} and ${end}.`);
  await writeFile(file, `${text.slice(0, before + begin.length)}\n${report}\n${text.slice(after)}`);
}
