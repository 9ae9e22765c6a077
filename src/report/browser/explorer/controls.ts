import { dayText } from '../../texts/timeText.ts';
import { element } from '../element.ts';
import type { Payload } from '../readPayload.ts';
import { type Choice, day, named, wholeRange } from './choice.ts';
import type { Place } from './place.ts';

/** What chooses chain, interval and days; `update` shows what is chosen. */
export function createControls(payload: Payload, current: () => Choice, go: (place: Place) => void) {
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
          const choose = () => go({ ...named(current()), interval });
          return intervalChoice(interval, interval === choice.interval, choose);
        }),
      );
    },
  };
}

function intervalChoice(interval: string, checked: boolean, choose: () => void): HTMLElement {
  const input = element('input', {
    type: 'radio',
    name: 'interval',
    value: interval,
    change: () => {
      choose();
      // Choosing draws the controls anew.
      document.querySelector<HTMLInputElement>(`.choices input[value="${interval}"]`)?.focus();
    },
  });
  input.checked = checked;
  return element('label', {}, input, ` ${interval}`);
}
