import type { Row } from '../columns/columnType.ts';
import { FirnError } from '../firnError.ts';
import type { RawValue } from '../json/rawValue.ts';
import type { Rows } from '../rows/rows.ts';
import type { RangeStream } from '../stream/stream.ts';

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

/** Position of a raw record; NaN where it cannot be read. */
export const positionOf = ({ position }: RangeStream, record: RawValue): number => record.number(position);

/** Positions of the range that its records leave out. A record out of order leaves out what should stand in its place. */
export function missingPositions(stream: RangeStream, range: Asked, records: readonly RawValue[]): Gap[] {
  const gaps: Gap[] = [];
  let wanted = range.from;
  for (const record of records) {
    const position = positionOf(stream, record);
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

/** Position, id and parent. */
type Link = readonly unknown[];

const linkOf = (position: string, { id, parent }: NonNullable<RangeStream['link']>, row: Row): Link =>
  [position, id, parent].map((name) => row[name]);

/**
 * Whether a row stands no further on than the one before it, as one may whose record says its position twice, or names another parent. One
 * without a parent was not decoded, and its id not proven either.
 */
function isApart(before: Link, [at, , parent]: Link): boolean {
  const step = Number(at) - Number(before[0]);
  const known = (parent ?? null) !== null && (before[2] ?? null) !== null;
  return step < 1 || (step === 1 && known && parent !== before[1]);
}

/** Whether the second row names another parent than the first, which stands before it. */
export function isLinkBroken({ link, position }: RangeStream, before: Row, now: Row): boolean {
  if (!link) return false;
  return isApart(linkOf(position, link, before), linkOf(position, link, now));
}

/** Positions whose rows do not follow the row that stands before them; of the first rows only, where `most` says how many. */
export function brokenLinks(stream: RangeStream, previous: Row | undefined, rows: Rows, most = rows.length): Gap[] {
  const { link, position } = stream;
  const names = link && [position, link.id, link.parent].map((name) => rows.column(name));
  if (!link || !names) return [];
  const gaps: Gap[] = [];
  let before: Link | undefined = previous && linkOf(position, link, previous);
  for (let row = 0; row < Math.min(most, rows.length); row++) {
    const now = names.map((column) => column && rows.value(column, row));
    if (before && isApart(before, now)) gaps.push({ from: Number(before[0]) + 1, to: Number(before[0]) });
    before = now;
  }
  return gaps;
}

/** The error of a gap where none is allowed. */
export function gapError(stream: RangeStream, range: Asked, gap: Gap): FirnError {
  const where = `${stream.id}: the answer for ${range.from}..${range.to}`;
  const what =
    gap.to < gap.from
      ? `holds ${stream.position} ${gap.from}, which does not follow ${gap.from - 1}: its parent, or the position that it says, is another`
      : `has a hole at ${stream.position} ${gap.from}`;
  const next = stream.mayHaveGaps
    ? "If this persists, the node's index is incomplete: read that of another node, or take it as it is with the parameter allowIncomplete: true."
    : 'If this persists, ask another node.';
  return new FirnError(
    'contract',
    `${where} ${what}. What lies before it is kept; the next run asks again from there. ${next}`,
  );
}
