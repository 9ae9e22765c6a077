import { countText, plural } from '../../texts/numberText.ts';
import { dayText } from '../../texts/timeText.ts';
import { groupFacts, verdictGroups } from '../../verdicts/verdictFacts.ts';
import { element } from '../element.ts';
import type { Payload, ShownSeries } from '../readPayload.ts';
import { type Choice, choiceOf, defaultChoice, shownRange } from './choice.ts';
import { createControls } from './controls.ts';
import { createFigure } from './figure.ts';
import type { Place } from './place.ts';
import type { Plot } from './plot.ts';

export interface Explorer {
  /** The choice that a place stands for: what it does not name keeps its present value. */
  choose(place: Place): Choice;
  readonly choice: Choice;
  redraw(): void;
}

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

function noteText(all: readonly ShownSeries[], { interval }: Choice, from: number, to: number): string {
  const held = Math.max(0, ...all.map(({ points }) => points.length));
  const whole = Math.max(0, ...all.map(({ buckets }) => buckets));
  const left = held < whole ? ` The page holds the newest ${countText(held)} of ${plural(whole, interval)}.` : '';
  if (from > to) return 'Nothing is held of these days.';
  return `${dayText(from)} to ${dayText(to)}, by ${interval}.${left}`;
}

const keyOfColours = () =>
  element(
    'p',
    { class: 'key' },
    element('span', { class: 'k own' }, 'recomputed here'),
    ' ',
    element('span', { class: 'k srv' }, 'served'),
    ' ',
    verdictGroups
      .filter((group) => group !== 'agrees')
      .map((group) => [element('span', { class: `k ${group}` }, groupFacts[group].word), ' ']),
    element(
      'span',
      { class: 'hint' },
      'Drag over a plot to choose a range; click a point, or press Enter on it, to see its blocks.',
    ),
  );
