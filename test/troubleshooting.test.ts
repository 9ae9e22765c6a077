import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createProgram } from '../src/cli/program/createProgram.ts';
import { exitCodeText } from '../src/report/texts/exitCodeText.ts';
import { groupFacts, verdictFacts, verdicts } from '../src/report/verdicts/verdictFacts.ts';

const page = join(resolve(import.meta.dirname, '..', 'docs'), 'troubleshooting.md');
const header = '| verdict | shown as | what it means | what to do |\n|---|---|---|---|\n';

// `npx vitest run test/troubleshooting.test.ts -u` writes the table again.
test('the page has every verdict, as the report explains it', async () => {
  const rows = verdicts.map((verdict) => {
    const { group, meaning, todo } = verdictFacts(verdict);
    return `| \`${verdict}\` | ${groupFacts[group].word} | ${meaning} | ${todo} |\n`;
  });
  const [before = '', after = ''] = (await readFile(page, 'utf8')).split(header);
  await expect(`${before}${header}${rows.join('')}${after.replace(/^(\|.*\n)*/, '')}`).toMatchFileSnapshot(page);
});

const codes = Array.from({ length: 256 }, (_, code) => code).filter((code) => exitCodeText(code) !== 'unknown');

test('the help has every exit code', () => {
  let help = '';
  createProgram()
    .configureOutput({ writeOut: (text) => (help += text) })
    .outputHelp();
  const told = [...help.matchAll(/^ {2}(\d[\d, ]*) {2}/gm)].flatMap(([, cell = '']) => cell.trim().split(', '));
  expect(told.map(Number)).toEqual(codes);
});

test('the page and the README have every exit code', async () => {
  expect(codes.length).toBeGreaterThan(8);
  for (const file of [page, join(page, '..', '..', 'README.md')]) {
    const rows = [...(await readFile(file, 'utf8')).matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, cell = '']) =>
      cell.split(', '),
    );
    for (const code of codes) expect(rows, file).toContain(String(code));
  }
});
