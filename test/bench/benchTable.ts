import { cases } from './cases.ts';
import type { Usage } from './measureProcess.ts';
import { median } from './median.ts';
import type { Result } from './runCase.ts';

/** What the others of its case are measured against. */
const bases = ['limit', 'node alone'];

const heads = ['process', 'wall s', 'CPU s', 'peak MiB', 'a second', 'of the limit, wall', 'of the limit, CPU'];

/**
 * One table of all results, as Markdown: of each figure minimum, **median** and maximum. `of the limit` is how quick a side is beside
 * the limit of its case, by medians: 0.5 takes twice as long.
 */
export function benchTable(results: readonly Result[]): string {
  const lines = cases.flatMap(({ name, title, unit }) => {
    const own = results.filter((result) => result.case === name);
    const [first] = own;
    if (!first) return [];
    const base = own.find(({ side }) => bases.includes(side));
    const amount = first.rows > 0 ? `, ${number(first.rows)} ${unit}` : '';
    const megabytes = first.bytes > 0 ? `, ${number(first.bytes / 1e6, 1)} MB` : '';
    const head = [`**${name}**: ${title}${amount}${megabytes}`, ...heads.slice(1).map(() => '')];
    return [head, ...own.map((result) => row(result, base))];
  });
  return [heads, heads.map((_, i) => (i === 0 ? '---' : '--:')), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function row(result: Result, base: Result | undefined): string[] {
  const { side, rows, usages } = result;
  const spread = (of: keyof Usage, digits: number) => {
    const sorted = usages.map((usage) => usage[of]).sort((a, b) => a - b);
    const [least, most] = [sorted[0] ?? 0, sorted.at(-1) ?? 0].map((value) => number(value, digits));
    const typical = `**${number(middle(result, of), digits)}**`;
    return usages.length === 1 ? typical : `${least} · ${typical} · ${most}`;
  };
  const ofBase = (of: keyof Usage) =>
    base && base !== result ? number(middle(base, of) / middle(result, of), 2) : base ? '1' : '';
  const rate = rows > 0 ? number(Math.round(rows / middle(result, 'wall'))) : '';
  return [side, spread('wall', 2), spread('cpu', 2), spread('peak', 0), rate, ofBase('wall'), ofBase('cpu')];
}

const middle = ({ usages }: Result, of: keyof Usage) => median(usages.map((usage) => usage[of]));

const number = (value: number, digits = 0) =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
