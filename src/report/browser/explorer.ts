import { latestPoints } from '../latestPoints.ts';
import { countText, groupDigits, plural } from '../numberText.ts';
import type { PlottedPoint } from '../reportData.ts';
import { seriesVerdict } from '../seriesVerdicts.ts';
import { bucketText, dayText } from '../timeText.ts';
import { groupFacts, type VerdictGroup, verdictGroups } from '../verdictFacts.ts';
import { element, icon } from './element.ts';
import { bucketName, type Place, placeHref } from './place.ts';
import { type Plot, plot } from './plot.ts';
import { ownText, pointText, servedText } from './pointText.ts';
import type { Payload, ShownSeries } from './readPayload.ts';

const dayMs = 86_400_000;
const spans: Readonly<Record<string, number>> = {
  hour: dayMs / 24,
  day: dayMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
};

/** What is chosen. */
export interface Choice {
  readonly chain: string;
  readonly interval: string;
  /** Days, both shown; null for all there is. */
  readonly from: string | null;
  readonly to: string | null;
}

export interface Explorer {
  /** The choice that a place stands for: what it does not name keeps its present value. */
  choose(place: Place): Choice;
  readonly choice: Choice;
  redraw(): void;
}

const day = /^\d{4}-\d{2}-\d{2}$/;

/** Fills `host` with the plots of one chain and interval at a time, and what chooses them. */
export function createExplorer(host: HTMLElement, payload: Payload, go: (place: Place) => void): Explorer {
  let plots: Plot[] = [];
  let choice = defaultChoice(payload);
  let drawn = '';
  const controls = createControls(payload, () => choice, go);
  const figures = element('div', { class: 'plots' });
  const note = element('p', { class: 'note', role: 'status' });
  host.replaceChildren(controls.root, keyOfColours(), note, figures);
  host.hidden = false;

  const show = () => {
    const key = JSON.stringify(choice);
    if (key === drawn) return;
    drawn = key;
    for (const one of plots) one.destroy();
    controls.update();
    const all = payload.series(choice.chain, choice.interval);
    const [from, to] = shownRange(all, choice);
    note.textContent = noteText(all, choice, from, to);
    const made = all.map((series) => createFigure(series, payload, { from, to, choice, go }));
    figures.replaceChildren(...made.map(({ root }) => root));
    // An element outside the document has no width to draw in.
    plots = made.map(({ draw }) => draw());
  };
  show();
  return {
    choose(place) {
      choice = choiceOf(payload, choice, place);
      show();
      return choice;
    },
    get choice() {
      return choice;
    },
    redraw() {
      for (const one of plots) one.redraw();
    },
  };
}

function defaultChoice(payload: Payload): Choice {
  const chain = payload.chains[0]?.[0] ?? '';
  const intervals = payload.intervals(chain);
  return { chain, interval: intervals.includes('day') ? 'day' : (intervals[0] ?? 'day'), from: null, to: null };
}

function choiceOf(payload: Payload, before: Choice, place: Place): Choice {
  const chain = payload.chains.some(([id]) => id === place.chain) ? (place.chain ?? '') : before.chain;
  const intervals = payload.intervals(chain);
  const interval = [place.interval, before.interval, 'day', ...intervals].find((one) => one && intervals.includes(one));
  const bound = (text: string | undefined) => (text && day.test(text) && Date.parse(text) > 0 ? text : null);
  return { chain, interval: interval ?? 'day', from: bound(place.from), to: bound(place.to) };
}

/** From the first bucket to the last, or the chosen days; hours start with the newest two weeks. */
function shownRange(all: readonly ShownSeries[], { interval, from, to }: Choice): [number, number] {
  const [begin, end] = wholeRange(all);
  const last = to === null ? end : Math.min(end, Date.parse(to) + dayMs - 1);
  const standard = interval === 'hour' ? last - 14 * dayMs : begin;
  return [Math.max(begin, from === null ? standard : Date.parse(from)), last];
}

function wholeRange(all: readonly ShownSeries[]): [number, number] {
  const moments = all.flatMap(({ points }) => [points[0], points.at(-1)].flatMap((point) => point?.bucket ?? []));
  return moments.length === 0 ? [0, 0] : [Math.min(...moments), Math.max(...moments)];
}

function noteText(all: readonly ShownSeries[], { interval }: Choice, from: number, to: number): string {
  const held = Math.max(0, ...all.map(({ points }) => points.length));
  const whole = Math.max(0, ...all.map(({ buckets }) => buckets));
  const left = held < whole ? ` The page holds the newest ${countText(held)} of ${plural(whole, interval)}.` : '';
  if (from > to) return 'Nothing is held of these days.';
  return `${dayText(from)} to ${dayText(to)}, by ${interval}.${left}`;
}

function createControls(payload: Payload, current: () => Choice, go: (place: Place) => void) {
  const chain = element(
    'select',
    { id: 'choose-chain', change: () => go({ ...named(current()), chain: chain.value }) },
    payload.chains.map(([id, name]) => element('option', { value: id }, name)),
  );
  const intervals = element('fieldset', { class: 'choices' });
  const bound = (id: 'from' | 'to') => {
    const input = element('input', {
      id: `choose-${id}`,
      type: 'date',
      change: () => (input.value === '' || day.test(input.value)) && go({ ...named(current()), [id]: input.value }),
    });
    return input;
  };
  const [from, to] = [bound('from'), bound('to')];
  const whole = element(
    'button',
    {
      type: 'button',
      click: () => {
        const { chain, interval } = current();
        go({ chain, interval, from: dayText(wholeRange(payload.series(chain, interval))[0]) });
      },
    },
    'Everything',
  );
  const root = element(
    'form',
    { class: 'controls', submit: (event) => event.preventDefault(), 'aria-label': 'What is drawn' },
    element('label', { for: 'choose-chain' }, 'Chain ', chain),
    intervals,
    element('label', { for: 'choose-from' }, 'From ', from),
    element('label', { for: 'choose-to' }, 'to ', to),
    whole,
  );
  return {
    root,
    update() {
      const choice = current();
      chain.value = choice.chain;
      from.value = choice.from ?? '';
      to.value = choice.to ?? '';
      intervals.replaceChildren(
        element('legend', { class: 'vh' }, 'Interval'),
        ...payload.intervals(choice.chain).map((interval) => {
          const input = element('input', {
            type: 'radio',
            name: 'interval',
            value: interval,
            change: () => {
              go({ ...named(current()), interval });
              document.querySelector<HTMLInputElement>(`.choices input[value="${interval}"]`)?.focus();
            },
          });
          input.checked = interval === choice.interval;
          return element('label', {}, input, ` ${interval}`);
        }),
      );
    },
  };
}

/** A choice as a place, which names only what was chosen. */
export const named = ({ chain, interval, from, to }: Choice): Place => ({
  chain,
  interval,
  ...(from && { from }),
  ...(to && { to }),
});

const keyOfColours = () =>
  element(
    'p',
    { class: 'key' },
    element('span', { class: 'k own' }, 'recomputed here'),
    ' ',
    element('span', { class: 'k srv' }, 'served'),
    ' ',
    (['differs', 'explained', 'served', 'own', 'rounded', 'waiting'] as const).map((group) => [
      element('span', { class: `k ${group}` }, groupFacts[group].word),
      ' ',
    ]),
    element(
      'span',
      { class: 'hint' },
      'Drag over a plot to choose a range; click a point, or press Enter on it, to see its blocks.',
    ),
  );

interface FigureContext {
  readonly from: number;
  readonly to: number;
  readonly choice: Choice;
  go(place: Place): void;
}

function createFigure(series: ShownSeries, payload: Payload, { from, to, choice, go }: FigureContext) {
  const { metric, interval, scale } = series;
  const points = series.points.filter(({ bucket }) => bucket >= from && bucket <= to);
  const facts = payload.metrics.of(metric);
  const { settled, provisional } = latestPoints(series.points);
  const counts = payload.verdicts.filter(
    (count) => count.chainId === choice.chain && count.metric === metric && count.interval === interval,
  );
  const { group, counts: sums } = seriesVerdict(counts);
  const here = named(choice);
  const readout = element('p', { class: 'readout' });
  const host = element('div', {
    class: 'plot',
    tabindex: 0,
    role: 'slider',
    'aria-label': `${facts.title} by ${interval}`,
    'aria-valuemin': 0,
    'aria-valuemax': Math.max(0, points.length - 1),
    'aria-valuenow': Math.max(0, points.length - 1),
  });
  const first = settled ?? provisional;
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
      counts.length > 0 ? verdictSign(group, sums) : element('span'),
      element('code', {}, metric),
      element('a', { class: 'end', href: placeHref({ ...here, metric }) }, 'buckets, definition, SQL'),
      latestLine('settled', settled, facts.unit, interval),
      latestLine('provisional', provisional, facts.unit, interval),
    ),
    host,
    readout,
    scale !== 1 && element('p', { class: 'note' }, `Served values are drawn × ${groupDigits(String(scale))}.`),
  );
  const draw = (): Plot => {
    let at: number | null = null;
    const drawn = plot(host, {
      points,
      scale,
      from,
      to,
      span: spans[interval] ?? dayMs,
      fromZero: !facts.isLevel,
      onPoint: (index) => {
        at = index;
        tell(index);
      },
      onOpen: open,
      onBrush: (left, right) => go({ ...here, from: dayText(left), to: dayText(right) }),
    });
    const move = (to: number) => {
      at = Math.max(0, Math.min(points.length - 1, to));
      drawn.mark(at);
      tell(at);
    };
    const last = points.length - 1;
    host.addEventListener('keydown', (event) => {
      const steps: Readonly<Record<string, () => void>> = {
        ArrowLeft: () => move(at === null ? last : at - 1),
        ArrowDown: () => move(at === null ? last : at - 1),
        ArrowRight: () => move(at === null ? last : at + 1),
        ArrowUp: () => move(at === null ? last : at + 1),
        PageDown: () => move((at ?? last) - 10),
        PageUp: () => move((at ?? last) + 10),
        Home: () => move(0),
        End: () => move(last),
        Enter: () => open(at ?? last),
        ' ': () => open(at ?? last),
      };
      const step = steps[event.key];
      if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      step();
    });
    host.addEventListener('blur', () => {
      at = null;
      drawn.mark(null);
      tell(null);
    });
    return drawn;
  };
  return { root, draw };
}

function verdictSign(group: VerdictGroup, sums: Readonly<Record<VerdictGroup, number>>): HTMLElement {
  const words = verdictGroups
    .filter((name) => sums[name] > 0)
    .map((name) => `${countText(sums[name])} ${groupFacts[name].word}`)
    .join(', ');
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
    element('b', {}, point.own === null ? servedText(point) : ownText(point)),
    ` ${unit} `,
    element(
      'small',
      { class: 't' },
      `${point.verdict === null ? 'not compared' : word}, ${bucketText(point.bucket, interval)}`,
    ),
  );
}
