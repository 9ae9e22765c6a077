/** What to say of an unknown word: which one may have been meant, and which there are. */
export function meant(word: string, known: readonly string[]): string {
  if (known.length === 0) return 'There is none.';
  const close = closest(word, known);
  return `${close.length > 0 ? `Did you mean ${close.join(' or ')}? ` : ''}There ${known.length === 1 ? 'is' : 'are'}: ${known.join(', ')}.`;
}

const most = 3;

/** Known words that differ by a slip or two, or of which one holds the other. */
function closest(word: string, known: readonly string[]): string[] {
  const wanted = word.toLowerCase();
  const found = known.map((candidate) => {
    const other = candidate.toLowerCase();
    const isPart = Math.min(wanted.length, other.length) > 2 && (other.includes(wanted) || wanted.includes(other));
    return {
      candidate,
      slips: wanted !== other && isPart ? 1 : slips(wanted, other),
      allowed: Math.max(wanted.length, other.length) / 3,
    };
  });
  return found
    .filter(({ slips: own, allowed }) => own <= allowed)
    .sort((a, b) => a.slips - b.slips)
    .filter(({ slips: own }, _, [best]) => own === best?.slips)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

/** Letters that are too many, missing, wrong, or swapped. */
function slips(a: string, b: string): number {
  // Nobody means a word that is much shorter, and a hostile one may be of any length.
  if (Math.abs(a.length - b.length) > Math.max(a.length, b.length) / 3) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const change = (last[j - 1] ?? 0) + (same ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? (before[j - 2] ?? 0) + 1 : change;
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, change, swap));
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
