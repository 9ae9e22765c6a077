import type { ServiceContext } from '../serviceContext.ts';
import { driftRow } from './driftRow.ts';
import { everywhere, type Row } from './everywhere.ts';
import { RawNumber } from './jsonText.ts';

const most256 = String(2n ** 256n - 1n);
const most64 = String(2n ** 64n - 1n);
/** What a name may hold without being wrong: quotes, a statement, a line end, NUL, an emoji, a right-to-left mark. */
const oddName = `"'; DROP TABLE x; --\n\u0000\u{1f3d4}\u202eabc`;

/** `extreme`: the largest numbers that fit their types, as text and bare. */
function extreme(row: Row): void {
  if ('tokenId' in row) row['tokenId'] = most256;
  if ('erc20Token' in row || 'erc1155Token' in row) row['value'] = most256;
  if ('nonce' in row) row['nonce'] = new RawNumber(most64);
  if ('stakeableLocktime' in row) row['stakeableLocktime'] = new RawNumber(most64);
}

/** `names`: odd names, symbols and descriptions. */
function names(row: Row): void {
  for (const name of ['name', 'symbol', 'description']) if (typeof row[name] === 'string') row[name] = oddName;
}

/** `absurd`: numbers that no type holds, in members that every row of its kind has; the row is wrong as a whole. */
const absurdities: readonly (readonly [member: string, value: unknown])[] = [
  ['nonce', -1],
  ['gasUsed', '0.5'],
  ['value', '0.7'],
  ['amount', new RawNumber('1e400')],
  ['startTimestamp', 'soon'],
];

function absurd(row: Row, number: number): void {
  const possible = absurdities.filter(([member]) => typeof row[member] === 'string' || typeof row[member] === 'number');
  const chosen = possible[Math.floor(number * possible.length)];
  if (chosen !== undefined) row[chosen[0]] = chosen[1];
}

/** A row with the faults that rows have by their rates. `row` is changed in place. */
export function oddRow(row: unknown, context: ServiceContext, binding: string, position: number): unknown {
  const { pageFaults } = context.options;
  const hit = (name: 'extreme' | 'absurd' | 'names') =>
    context.faults.number(name, binding, position) < (pageFaults[name] ?? 0);
  if (hit('extreme')) everywhere(row, extreme);
  if (hit('names')) everywhere(row, names);
  if (hit('absurd')) {
    const { nativeTransaction } = row as { nativeTransaction?: Row };
    absurd(nativeTransaction ?? (row as Row), context.faults.number('absurdity', binding, position));
  }
  return driftRow(row, context, binding, position);
}
