import type { Proof } from './proof.ts';
import { type Outcome, repeatCommand } from './runProofs.ts';

/** One table of all outcomes, as Markdown, and below it what did not hold. */
export function trustTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ proof, cases, tried }) =>
    typeof cases === 'string'
      ? [proof.name, proof.claim, 'not tried', '', cases]
      : [
          proof.name,
          proof.claim,
          `${tried.length} of ${cases}`,
          `${failed(tried).length}`,
          proof.table ? 'below' : counted(tried),
        ],
  );
  const heads = [
    ['proof', 'what is done, and what must hold', 'cases', 'failed', 'what was done'],
    ['---', '---', '--:', '--:', '---'],
  ];
  const own = outcomes.flatMap(({ proof, tried }) =>
    proof.table && tried.length > 0 ? [`${proof.name}, the worst first:\n\n${ownTable(proof.table, tried)}`] : [],
  );
  const table = [textOf([...heads, ...rows]), ...own].join('\n\n');
  const failures = outcomes.flatMap(({ tried }) => failed(tried));
  if (failures.length === 0) return table;
  const list = failures.map(
    ({ proof, number, error = '' }) =>
      `- \`${repeatCommand(`${proof}:${number}`)}\`: ${error.split('\n')[0]?.slice(0, 300)}`,
  );
  return `${table}\n\nWhat did not hold:\n\n${list.join('\n')}`;
}

const textOf = (lines: readonly (readonly string[])[]) => lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function ownTable({ heads, by }: NonNullable<Proof['table']>, tried: Outcome['tried']): string {
  const column = heads.indexOf(by);
  const rows = tried.flatMap(({ words, error }) => (error === undefined ? [words] : []));
  rows.sort((a, b) => Number(b[column]) - Number(a[column]));
  const sides = heads.map((_, i) => (rows.every((row) => !Number.isNaN(Number(row[i]))) ? '--:' : '---'));
  return textOf([heads, sides, ...rows]);
}

const failed = (tried: Outcome['tried']) => tried.filter(({ error }) => error !== undefined);

/** `12 in publish · 3 in sync`, the most frequent first. */
function counted(tried: Outcome['tried']): string {
  const counts = new Map<string, number>();
  for (const word of tried.flatMap(({ words }) => words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
    .map(([word, count]) => `${count} ${word}`)
    .join(' · ');
}
