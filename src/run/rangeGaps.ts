import { numberIn, rawOf } from '../core/answerParts.ts';
import type { Row } from '../core/columnType.ts';
import { FirnError } from '../core/firnError.ts';
import type { RangeStream } from '../core/stream.ts';

/**
 * Positions that a source lacks, both ends included. `to` below `from`: nothing is missing between two positions, yet what
 * stands at `from` does not follow what stands before it.
 */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** Positions that were asked for, both included. */
interface Asked {
  readonly from: number;
  readonly to: number;
}

/** Positions of the range that its records leave out. A record out of order leaves out what should stand in its place. */
export function missingPositions(stream: RangeStream, range: Asked, records: readonly unknown[]): Gap[] {
  const gaps: Gap[] = [];
  let wanted = range.from;
  for (const record of records) {
    const position = numberIn(rawOf(record)[stream.position]);
    if (position === wanted) {
      wanted++;
      continue;
    }
    if (!(position > wanted && position <= range.to)) return [...gaps, { from: wanted, to: range.to }];
    gaps.push({ from: wanted, to: position - 1 });
    wanted = position + 1;
  }
  if (wanted <= range.to) gaps.push({ from: wanted, to: range.to });
  return gaps;
}

/** Positions whose rows name another parent than the row that stands before them. */
export function brokenLinks(stream: RangeStream, previous: Row | undefined, rows: readonly Row[]): Gap[] {
  const { link, position } = stream;
  if (!link) return [];
  const gaps: Gap[] = [];
  let before = previous;
  for (const row of rows) {
    const at = Number(row[position]);
    const adjoins = before !== undefined && Number(before[position]) === at - 1;
    // A row without a parent was not decoded, and its id not proven either.
    const known = (row[link.parent] ?? null) !== null && (before?.[link.parent] ?? null) !== null;
    if (adjoins && known && row[link.parent] !== before?.[link.id]) gaps.push({ from: at, to: at - 1 });
    before = row;
  }
  return gaps;
}

/** The error of a gap that may not be. */
export function gapError(stream: RangeStream, range: Asked, gap: Gap): FirnError {
  const where = `${stream.id}: the answer for ${range.from}..${range.to}`;
  const what =
    gap.to < gap.from
      ? `holds a ${stream.position} ${gap.from} that does not follow ${gap.from - 1}: its parent is another`
      : `has a hole at ${stream.position} ${gap.from}`;
  const next = stream.mayHaveGaps
    ? "If it stays, the node's index is incomplete: take it as it is with the parameter allowIncomplete: true."
    : 'If it stays, ask another node.';
  return new FirnError(
    'contract',
    `${where} ${what}. What lies before it is kept; the next run asks again from there. ${next}`,
  );
}
