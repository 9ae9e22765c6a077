import type { PlottedPoint } from '../../reportData.ts';
import { groupDigits } from '../../texts/numberText.ts';
import { bucketText, dayMs, dayText } from '../../texts/timeText.ts';
import { latestPoints } from '../../verdicts/latestPoints.ts';
import { groupWords, seriesVerdict } from '../../verdicts/seriesVerdicts.ts';
import { element, icon } from '../element.ts';
import { ownText, pointText, servedText } from '../pointText.ts';
import type { Payload, ShownSeries } from '../readPayload.ts';
import { type Choice, named } from './choice.ts';
import { bucketName, type Place, placeHref } from './place.ts';
import { type Plot, plot } from './plot.ts';

const spans: Readonly<Record<string, number>> = {
  hour: dayMs / 24,
  day: dayMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
};

interface FigureContext {
  readonly from: number;
  readonly to: number;
  readonly choice: Choice;
  go(place: Place): void;
}

/** The plot of a series with its caption; `draw` draws it once it stands in the document. */
export function createFigure(series: ShownSeries, payload: Payload, { from, to, choice, go }: FigureContext) {
  const { metric, interval, scale } = series;
  const points = series.drawn.filter(({ bucket }) => bucket >= from && bucket <= to);
  const facts = payload.metrics.of(metric);
  const latest = latestPoints(series.drawn);
  const here = named(choice);
  const readout = element('p', { class: 'readout' });
  const last = Math.max(0, points.length - 1);
  const host = element('div', {
    class: 'plot',
    tabindex: 0,
    role: 'slider',
    'aria-label': `${facts.title} by ${interval}`,
    'aria-valuemin': 0,
    'aria-valuemax': last,
    'aria-valuenow': last,
  });
  const first = latest.settled ?? latest.provisional;
  const resting = first && points.length > 0 ? pointText(first, interval, scale) : 'Nothing is held of these days.';
  const tell = (index: number | null) => {
    const point = index === null ? undefined : points[index];
    readout.textContent = point ? pointText(point, interval, scale) : resting;
    host.setAttribute('aria-valuetext', readout.textContent ?? '');
    if (index !== null) host.setAttribute('aria-valuenow', String(index));
  };
  tell(null);
  const open = (index: number) => {
    const point = points[index];
    if (point) go({ ...here, metric, bucket: bucketName(point.bucket, interval) });
  };
  const root = element(
    'figure',
    {},
    element(
      'figcaption',
      {},
      element('h3', {}, facts.title, interval !== 'day' && ` by ${interval}`),
      verdictSign(series, payload, choice),
      element('code', {}, metric),
      element('a', { class: 'end', href: placeHref({ ...here, metric }) }, 'buckets, definition, SQL'),
      latestLine('settled', latest.settled, facts.unit, interval),
      latestLine('provisional', latest.provisional, facts.unit, interval),
    ),
    host,
    readout,
    scale !== 1 && element('p', { class: 'note' }, `Served values are drawn × ${groupDigits(String(scale))}.`),
  );
  const draw = (): Plot => {
    let at: number | null = null;
    const show = (index: number | null) => {
      at = index;
      tell(index);
    };
    const drawn = plot(host, {
      points,
      scale,
      from,
      to,
      span: spans[interval] ?? dayMs,
      fromZero: !facts.isLevel,
      onPoint: show,
      onOpen: open,
      onBrush: (left, right) => go({ ...here, from: dayText(left), to: dayText(right) }),
    });
    const mark = (index: number | null) => {
      drawn.mark(index);
      show(index);
    };
    steerByKeys(host, last, { at: () => at, mark, open });
    return drawn;
  };
  return { root, draw };
}

interface Steered {
  /** The point that is marked or pointed at. */
  at(): number | null;
  mark(index: number | null): void;
  open(index: number): void;
}

/** Lets keys mark one point after the other, up to the last, and open the one that is marked. */
function steerByKeys(host: HTMLElement, last: number, { at, mark, open }: Steered): void {
  const move = (to: number) => mark(Math.max(0, Math.min(last, to)));
  const back = () => move((at() ?? last + 1) - 1);
  const on = () => move((at() ?? last - 1) + 1);
  const openMarked = () => open(at() ?? last);
  const steps: Readonly<Record<string, () => void>> = {
    ArrowLeft: back,
    ArrowDown: back,
    ArrowRight: on,
    ArrowUp: on,
    PageDown: () => move((at() ?? last) - 10),
    PageUp: () => move((at() ?? last) + 10),
    Home: () => move(0),
    End: () => move(last),
    Enter: openMarked,
    ' ': openMarked,
  };
  host.addEventListener('keydown', (event) => {
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    step();
  });
  host.addEventListener('blur', () => mark(null));
}

function verdictSign({ metric, interval }: ShownSeries, payload: Payload, { chain }: Choice): HTMLElement {
  const counts = payload.verdicts(chain, metric, interval);
  if (counts.length === 0) return element('span');
  const { group, counts: sums } = seriesVerdict(counts);
  const words = groupWords(sums).join(', ');
  return element(
    'span',
    { class: 'end' },
    element('span', { class: `c ${group}`, title: words }, icon(group), element('span', { class: 'vh' }, words)),
  );
}

function latestLine(word: string, point: PlottedPoint | undefined, unit: string, interval: string): HTMLElement {
  if (!point) return element('span', { class: 'latest-value' });
  return element(
    'span',
    { class: `latest-value ${word}` },
    element('b', {}, point.own === null ? `${ownText(point)}, served ${servedText(point)}` : ownText(point)),
    ` ${unit} `,
    element(
      'small',
      { class: 't' },
      `${point.verdict === null ? 'not compared' : word}, ${bucketText(point.bucket, interval)}`,
    ),
  );
}
