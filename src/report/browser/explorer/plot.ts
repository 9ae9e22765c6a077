import uPlot from 'uplot';
import { shortNumber } from '../../texts/numberText.ts';
import { dayText, momentText } from '../../texts/timeText.ts';
import { groupOf, type VerdictGroup } from '../../verdicts/verdictFacts.ts';
import type { ShownSeries } from '../readPayload.ts';
import { brushByTouch } from './brushByTouch.ts';

export interface PlotOptions extends Pick<ShownSeries, 'points' | 'scale'> {
  /** Milliseconds that are shown, both ends. */
  readonly from: number;
  readonly to: number;
  /** Milliseconds that a bucket spans, about; for the bands, and to see which buckets are missing. */
  readonly span: number;
  /** Whether the axis begins at zero. */
  readonly fromZero: boolean;
  /** The point under the pointer; null where it left. */
  onPoint(index: number | null): void;
  onOpen(index: number): void;
  onBrush(from: number, to: number): void;
}

export interface Plot {
  /** Marks a point, as the keyboard does. */
  mark(index: number | null): void;
  /** Redraws with the present colours and width. */
  redraw(): void;
  destroy(): void;
}

const height = 150;
const font = '10.5px system-ui, sans-serif';
/** A band of one bucket must still be visible in a long series. */
const narrowestBand = 3;

/** Draws own and served values of a series into `host`: the served line thin over the own one, bands where they do not agree. */
export function plot(host: HTMLElement, options: PlotOptions): Plot {
  let marked: number | null = null;
  const settings = settingsOf(host, options, () => marked);
  const drawn = new uPlot(settings, valuesOf(options), host);
  brushByTouch(drawn);
  drawn.over.addEventListener('pointermove', () => {
    marked = null;
  });
  drawn.over.addEventListener('click', () => {
    const index = drawn.cursor.idx;
    if (index !== null && index !== undefined) options.onOpen(index);
  });
  const isOff = () => host.clientWidth > 0 && host.clientWidth !== drawn.width;
  const resize = () => drawn.setSize({ width: width(host), height });
  const observer = new ResizeObserver(() => isOff() && resize());
  observer.observe(host);
  return {
    mark(index) {
      marked = index;
      const point = index === null ? undefined : options.points[index];
      const left = point ? drawn.valToPos(point.bucket / 1000, 'x') : -10;
      drawn.setCursor({ left, top: point ? 1 : -10 });
    },
    redraw: () => (isOff() ? resize() : drawn.redraw(false, true)),
    destroy() {
      observer.disconnect();
      drawn.destroy();
    },
  };
}

/** What uPlot is to draw, and what it tells. @param marked the point that the keyboard marks */
function settingsOf(host: HTMLElement, options: PlotOptions, marked: () => number | null): uPlot.Options {
  const { from, to, fromZero } = options;
  const colour = (name: string) => () => getComputedStyle(host).getPropertyValue(name).trim();
  const line: uPlot.Series = {
    gaps: (self, place, first, last) => gapsOf(self, place, first, last, options),
    points: { filter: (self, place, all) => (all ? null : lonePoints(self, place, options)) },
  };
  const axis = { stroke: colour('--soft'), font, ticks: { show: false }, grid: { stroke: colour('--line'), width: 1 } };
  return {
    width: width(host),
    height,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    legend: { show: false },
    // Half of the last date reaches beyond the plot.
    padding: [8, 32, 0, 0],
    scales: {
      x: { range: () => [from / 1000, Math.max(to, from + 1) / 1000] },
      y: { range: (_, low, high) => rangeOf(low, high, fromZero) },
    },
    axes: [
      { ...axis, size: 24, space: 92, grid: { show: false }, values: (_, at, __, ___, step) => timeTexts(at, step) },
      { ...axis, size: 52, space: 26, values: (_, at) => at.map((value) => shortNumber(value)) },
    ],
    series: [
      {},
      { ...line, stroke: colour('--halo'), width: 4, points: { ...line.points, size: 5, fill: colour('--halo') } },
      { ...line, stroke: colour('--ink'), width: 1.2, points: { ...line.points, size: 3, fill: colour('--ink') } },
    ],
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false },
      points: { size: 7 },
      dataIdx: (_, __, hovered) => marked() ?? hovered,
    },
    hooks: {
      drawClear: [(self) => drawBands(self, options, (group) => colour(`--${group}`)())],
      setCursor: [(self) => marked() === null && options.onPoint(inside(self) ? (self.cursor.idx ?? null) : null)],
      setSelect: [
        (self) => {
          const { left, width } = self.select;
          if (width < 4) return;
          self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          options.onBrush(self.posToVal(left, 'x') * 1000, self.posToVal(left + width, 'x') * 1000);
        },
      ],
    },
  };
}

const valuesOf = ({ points, scale }: PlotOptions): uPlot.AlignedData => [
  points.map(({ bucket }) => bucket / 1000),
  points.map(({ own }) => drawable(own, 1)),
  points.map(({ served }) => drawable(served, scale)),
];

/** A number with a place on an axis; null for a text that has none. */
function drawable(text: string | null, scale: number): number | null {
  const value = text === null ? Number.NaN : Number(text) * scale;
  return Number.isFinite(value) ? value : null;
}

const width = (host: HTMLElement): number => Math.max(200, host.clientWidth);

const inside = ({ cursor: { left } }: uPlot): boolean => left !== undefined && left >= 0;

/** Lowest and highest value of the axis; never an empty range. */
function rangeOf(low: number | null, high: number | null, fromZero: boolean): [number, number] {
  if (low === null || high === null) return [0, 1];
  const from = fromZero ? Math.min(0, low) : low;
  const room = (high - from) * 0.04;
  return high > from ? [from, high + room] : [Math.min(0, from), high > 0 ? high * 1.04 : from + 1];
}

const daySeconds = 86_400;

/** Dates in full; for hours, the time as well. */
const timeTexts = (at: readonly number[], step: number): string[] =>
  at.map((seconds) => (step < daySeconds ? momentText(seconds * 1000).slice(5, 16) : dayText(seconds * 1000)));

/** Whether a bucket is missing between a point and the one before. Months have 28 to 31 days. */
const isApart = ({ points, span }: PlotOptions, index: number): boolean =>
  (points[index]?.bucket ?? 0) - (points[index - 1]?.bucket ?? 0) > 1.5 * span;

/** Whether no line leads to a point from the one before: one of them has no value, or a bucket is missing between them. */
const isBroken = (self: uPlot, place: number, options: PlotOptions, index: number): boolean =>
  [index - 1, index].some((at) => !Number.isFinite(self.data[place]?.[at])) || isApart(options, index);

/** Where a line is broken, in pixels of the canvas. @param place of the line's values among the data */
function gapsOf(self: uPlot, place: number, first: number, last: number, options: PlotOptions): uPlot.Series.Gaps {
  const pixel = (index: number) => Math.round(self.valToPos(self.data[0][index] ?? 0, 'x', true));
  const gaps: uPlot.Series.Gaps = [];
  for (let index = first + 1; index <= last; index++)
    if (isBroken(self, place, options, index)) gaps.push([pixel(index - 1), pixel(index)]);
  return gaps;
}

/** Points that no line leads to or from: without a dot they would not be seen. */
const lonePoints = (self: uPlot, place: number, options: PlotOptions): number[] =>
  [...options.points.keys()].filter((index) => [index, index + 1].every((at) => isBroken(self, place, options, at)));

/** Shades runs of buckets that do not agree, share a verdict's group and have none missing between them. */
function drawBands(self: uPlot, options: PlotOptions, colour: (group: VerdictGroup) => string): void {
  const { points, span } = options;
  const { ctx, bbox } = self;
  const least = narrowestBand * devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (let begin = 0; begin < points.length; ) {
    const group = groupAt(points[begin]);
    let end = begin;
    while (end + 1 < points.length && groupAt(points[end + 1]) === group && !isApart(options, end + 1)) end++;
    if (group !== 'agrees') {
      const left = self.valToPos(((points[begin]?.bucket ?? 0) - span / 2) / 1000, 'x', true);
      const right = self.valToPos(((points[end]?.bucket ?? 0) + span / 2) / 1000, 'x', true);
      const wide = Math.max(least, right - left);
      ctx.globalAlpha = group === 'differs' ? 0.55 : 1;
      ctx.fillStyle = colour(group);
      ctx.fillRect((left + right - wide) / 2, bbox.top, wide, bbox.height);
    }
    begin = end + 1;
  }
  ctx.restore();
}

const groupAt = (point: { readonly verdict: string | null } | undefined): VerdictGroup =>
  point?.verdict ? groupOf(point.verdict) : 'agrees';
