import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporary } from '../temporaryFolders.ts';
import { openJournal } from './journal.ts';
import type { Proof } from './proof.ts';
import { createRandom, shuffled } from './random.ts';
import { type Options, runProofs } from './runProofs.ts';
import type { Scene } from './scene.ts';
import { trustTable } from './trustTable.ts';

const scene = {} as Scene;

/** A proof of which some cases do not hold, and those that were tried. */
function proofOf(name: string, cases: number, failing: readonly number[] = []) {
  const tried: number[] = [];
  const proof: Proof = {
    name,
    claim: 'it holds',
    prepare: async () => ({
      cases,
      async run(number) {
        tried.push(number);
        if (failing.includes(number)) throw new Error('it does not\nat all');
        return [number % 2 ? 'odd' : 'even'];
      },
    }),
  };
  return { proof, tried };
}

async function run(proofs: readonly Proof[], file: string, options: Partial<Options> = {}) {
  const said: string[] = [];
  const journal = await openJournal(file, false);
  const told = {
    jobs: 1,
    until: Number.POSITIVE_INFINITY,
    journal,
    say: (line: string) => said.push(line),
    ...options,
  };
  return { said, outcomes: await runProofs(proofs, scene, told) };
}

const journalFile = async () => join(await temporary(), 'journal.jsonl');

test('all proofs come equally far, what fails says how to repeat it, and the table counts', async () => {
  const [one, other] = [proofOf('one', 4, [3]), proofOf('other', 2)];
  const order: string[] = [];
  const { said, outcomes } = await run([one.proof, other.proof], await journalFile(), {
    say: (line) => order.push(line.split(/[ \n]/).slice(0, 2).join(' ')),
  });
  expect(said).toEqual([]);
  expect(order).toEqual(['6 cases', '1/6 one:1', '2/6 other:1', '3/6 one:2', '4/6 FAILED', '5/6 other:2', '6/6 one:4']);
  expect(trustTable(outcomes)).toBe(
    [
      '| proof | what is done, and what must hold | cases | failed | what was done |',
      '| --- | --- | --: | --: | --- |',
      '| one | it holds | 4 of 4 | 1 | 2 even · 1 odd |',
      '| other | it holds | 2 of 2 | 0 | 1 even · 1 odd |',
      '',
      'What did not hold:',
      '',
      '- `npm run proof -- --only one:3`: it does not',
    ].join('\n'),
  );
});

test('a run goes on where the one before was stopped, tries again what failed, and stops when its time is over', async () => {
  const file = await journalFile();
  await run([proofOf('one', 5, [2]).proof], file, { count: 3 });
  // Killed while it wrote a line.
  await appendFile(file, '{"proof":"one","num');
  const { proof, tried } = proofOf('one', 5);
  const { outcomes } = await run([proof], file);
  expect(tried).toEqual([2, 4, 5]);
  expect(outcomes[0]?.tried.map(({ number, error }) => [number, error])).toEqual(
    [1, 2, 3, 4, 5].map((n) => [n, undefined]),
  );
  const late = proofOf('two', 5);
  await run([late.proof], file, { until: 0 });
  expect(late.tried).toEqual([]);
});

test('a seed that is named is tried alone, and again', async () => {
  const file = await journalFile();
  const { proof, tried } = proofOf('one', 5, [4]);
  await run([proof], file, { only: new Map([['one', [4]]]) });
  const { said } = await run([proof], file, { only: new Map([['one', [4]]]) });
  expect(tried).toEqual([4, 4]);
  expect(said.slice(1)).toEqual(['1/1 FAILED one:4: it does not\nat all\n  Repeat it: npm run proof -- --only one:4']);
});

test('what a machine lacks stands in the table', async () => {
  const proof: Proof = { name: 'one', claim: 'it holds', prepare: async () => 'Needs a C compiler.' };
  const { outcomes } = await run([proof], await journalFile());
  expect(trustTable(outcomes)).toContain('| one | it holds | not tried |  | Needs a C compiler. |');
});

test('a proof with a table of its own has it below, the worst first', async () => {
  const cells = [
    ['small', '9'],
    ['large', '80'],
    ['wrong', ''],
  ];
  const proof: Proof = {
    name: 'one',
    claim: 'it holds',
    table: { heads: ['attack', 'MiB'], by: 'MiB' },
    prepare: async () => ({
      cases: 3,
      run: async (number) => (number === 3 ? Promise.reject(new Error('no')) : (cells[number - 1] ?? [])),
    }),
  };
  const { outcomes } = await run([proof], await journalFile());
  const text = trustTable(outcomes);
  expect(text).toContain('| one | it holds | 3 of 3 | 1 | below |');
  expect(text).toContain('one, the worst first:\n\n| attack | MiB |\n| --- | --: |\n| large | 80 |\n| small | 9 |\n');
});

test('a journal that is started over forgets', async () => {
  const file = await journalFile();
  await writeFile(file, `${JSON.stringify({ proof: 'one', number: 1, words: [] })}\n`);
  expect((await openJournal(file, false)).has('one', 1)).toBe(true);
  expect((await openJournal(file, true)).has('one', 1)).toBe(false);
});

test('a seed means the same for ever', () => {
  const random = createRandom(17);
  expect([random(), random()].map((number) => number.toFixed(6))).toEqual(['0.677150', '0.192657']);
  expect(shuffled([1, 2, 3, 4, 5, 6]).sort()).toEqual([1, 2, 3, 4, 5, 6]);
  expect(shuffled(['a', 'b', 'c', 'd'])).toEqual(shuffled(['a', 'b', 'c', 'd']));
});
