import type { PlottedPoint, PlottedSeries, SeriesColumns } from './reportData.ts';
import { dayMs } from './texts/timeText.ts';

/** What steps from bucket to bucket are counted in: zones differ by quarters of an hour, and a service may count days of another one. */
const quarterMs = 900_000;

/** The points that the columns of a series hold, oldest first. */
export function seriesPoints({ columns }: Pick<PlottedSeries, 'columns'>): PlottedPoint[] {
  if (columns.bucket === '') return [];
  const [buckets, firsts, lasts, owns, serveds, verdicts] = columnNames.map((name) => columns[name].split(','));
  let [quarter, block] = [0, 0];
  return (buckets ?? []).map((step, index) => {
    quarter += Number(step);
    const own = owns?.[index] ?? '';
    const served = serveds?.[index] ?? '';
    const [first, last] = [firsts?.[index], lasts?.[index]];
    const firstBlock = first ? block + Number(first) : null;
    if (firstBlock !== null) block = firstBlock + Number(last);
    return {
      bucket: quarter * quarterMs,
      firstBlock,
      lastBlock: firstBlock === null ? null : block,
      own: own === '' || own === '-' ? null : own,
      covered: own !== '-',
      served: served === '' ? null : served === '=' ? own : served,
      verdict: verdicts?.[index] || null,
    };
  });
}

/** The points that do not lie ahead: one that a service dates wrongly says nothing of how far the series is. Clocks may differ. @param now ms since the epoch */
export const pointsUntil = (points: readonly PlottedPoint[], now: number): PlottedPoint[] =>
  points.filter(({ bucket }) => bucket <= now + dayMs);

/** The newest `most` points of columns; values that count from the point before are computed anew for the first. */
export function newestColumns(columns: SeriesColumns, most: number): SeriesColumns {
  const all = columns.bucket.split(',');
  const left = Math.max(0, all.length - most);
  if (left === 0) return columns;
  const points = seriesPoints({ columns });
  const before = points.slice(0, left).findLast(({ lastBlock }) => lastBlock !== null)?.lastBlock ?? 0;
  const cut = mapColumns(columns, (text) => text.split(',').slice(left));
  const next = points[left];
  if (next) cut.bucket[0] = String(next.bucket / quarterMs);
  const first = cut.firstBlock.findIndex((step) => step !== '');
  if (first >= 0) cut.firstBlock[first] = String(before + Number(cut.firstBlock[first]));
  return mapColumns(cut, (values) => values.join(','));
}

/** The same columns of other values. */
export const mapColumns = <From, To>(
  columns: Readonly<Record<keyof SeriesColumns, From>>,
  make: (column: From) => To,
): Record<keyof SeriesColumns, To> =>
  Object.fromEntries(columnNames.map((name) => [name, make(columns[name])])) as Record<keyof SeriesColumns, To>;

const columnNames = ['bucket', 'firstBlock', 'lastBlock', 'own', 'served', 'verdict'] as const;
