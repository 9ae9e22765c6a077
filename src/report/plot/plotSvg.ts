import { type Html, html } from '../html.ts';
import { shortNumber } from '../numberText.ts';
import type { Point } from '../reportData.ts';
import { dayText } from '../timeText.ts';
import { groupOf, type VerdictGroup } from '../verdictFacts.ts';
import { ticks } from './ticks.ts';

export interface PlotOptions {
  readonly points: readonly Point[];
  /** Factor that served values are multiplied by before they are drawn. */
  readonly scale: number;
  /** Milliseconds that a bucket spans, for the bands. */
  readonly bucketSpan: number;
  /** Whether the axis begins at zero. */
  readonly fromZero: boolean;
  /** What a reader who cannot see it is told. */
  readonly label: string;
}

const width = 400;
const height = 132;
const area = { left: 46, right: 396, top: 10, bottom: 112 };
/** A band of one bucket in a long series must still be seen. */
const narrowestBand = 3;

/** A small line plot: the served line thin over the own one, and bands where they do not agree. */
export function plotSvg({ points, scale, bucketSpan, fromZero, label }: PlotOptions): Html {
  const values = points
    .flatMap(({ own, served }) => [own, served === null ? null : served * scale])
    .filter((value) => value !== null);
  const first = points[0]?.bucket ?? 0;
  const last = points.at(-1)?.bucket ?? first;
  const [low, high] = rangeOf(values, fromZero);
  const x = (moment: number): number => scaleTo(moment, first, last, area.left, area.right);
  const y = (value: number): number => scaleTo(value, low, high, area.bottom, area.top);
  const grid = ticks(low, high, 5);
  return html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}" data-from="${first}" data-to="${last}">
${bands(points, bucketSpan).map(
  (band) =>
    html`<rect class="b ${band.group}" ${place(x(band.from), x(band.to))} y="${area.top}" height="${area.bottom - area.top}"/>`,
)}<path class="grid" d="${grid.map((value) => `M${area.left} ${short(y(value))}H${area.right}`).join('')}"/>
${grid.map((value) => html`<text x="${area.left - 4}" y="${short(y(value) + 3.5)}" text-anchor="end">${shortNumber(value)}</text>`)}
<text x="${area.left}" y="${height - 6}">${dayText(first)}</text><text x="${area.right}" y="${height - 6}" text-anchor="end">${dayText(last)}</text>
<path class="own" d="${line(points, x, y, ({ own }) => own)}"/><path class="srv" d="${line(points, x, y, ({ served }) => (served === null ? null : served * scale))}"/></svg>`;
}

/** Lowest and highest value shown; never an empty range. */
function rangeOf(values: readonly number[], fromZero: boolean): [number, number] {
  if (values.length === 0) return [0, 1];
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (fromZero) low = Math.min(0, low);
  return high > low ? [low, high] : [Math.min(0, low), high > 0 ? high : low + 1];
}

function scaleTo(value: number, from: number, to: number, start: number, end: number): number {
  if (to === from) return (start + end) / 2;
  return start + ((value - from) / (to - from)) * (end - start);
}

const short = (value: number): string => String(Math.round(value * 10) / 10);

function line(
  points: readonly Point[],
  x: (moment: number) => number,
  y: (value: number) => number,
  pick: (point: Point) => number | null,
): string {
  let path = '';
  let open = false;
  for (const [index, point] of points.entries()) {
    const value = pick(point);
    if (value === null) {
      open = false;
      continue;
    }
    path += `${open ? 'L' : 'M'}${short(x(point.bucket))} ${short(y(value))}`;
    const next = points[index + 1];
    // A value between two that are missing is drawn as a dot: a line of no length with round ends.
    if (!open && (next === undefined || pick(next) === null)) path += 'h0';
    open = true;
  }
  return path;
}

interface Band {
  readonly group: VerdictGroup;
  readonly from: number;
  readonly to: number;
}

/** Stretches of buckets that share a verdict's group and do not agree. */
function bands(points: readonly Point[], bucketSpan: number): Band[] {
  const found: Band[] = [];
  let open: Band | undefined;
  for (const { bucket, verdict } of points) {
    const group = verdict === null ? 'agrees' : groupOf(verdict);
    if (open && open.group === group) open = { ...open, to: bucket + bucketSpan / 2 };
    else {
      if (open) found.push(open);
      open = group === 'agrees' ? undefined : { group, from: bucket - bucketSpan / 2, to: bucket + bucketSpan / 2 };
    }
  }
  return open ? [...found, open] : found;
}

/** Where a band stands, inside the area and wide enough to be seen. */
function place(from: number, to: number): Html {
  const wide = Math.max(narrowestBand, to - from);
  const middle = (from + to) / 2;
  const left = Math.max(area.left, Math.min(area.right - narrowestBand, middle - wide / 2));
  return html`x="${short(left)}" width="${short(Math.max(narrowestBand, Math.min(area.right, middle + wide / 2) - left))}"`;
}
