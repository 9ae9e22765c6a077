import { dayMs } from '../../texts/timeText.ts';
import type { Payload, ShownSeries } from '../readPayload.ts';
import type { Place } from './place.ts';

/** What is chosen. */
export interface Choice {
  readonly chain: string;
  readonly interval: string;
  /** Days, both shown; null for all there is. */
  readonly from: string | null;
  readonly to: string | null;
}

/** A day as a place names it. */
export const day = /^\d{4}-\d{2}-\d{2}$/;

export function defaultChoice(payload: Payload): Choice {
  const chain = payload.chains[0]?.[0] ?? '';
  const intervals = payload.intervals(chain);
  return { chain, interval: intervals.includes('day') ? 'day' : (intervals[0] ?? 'day'), from: null, to: null };
}

export function choiceOf(payload: Payload, before: Choice, place: Place): Choice {
  const chain = payload.chains.some(([id]) => id === place.chain) ? (place.chain ?? '') : before.chain;
  const intervals = payload.intervals(chain);
  const interval = [place.interval, before.interval, 'day', ...intervals].find((one) => one && intervals.includes(one));
  const bound = (text: string | undefined) => (text && day.test(text) && Date.parse(text) > 0 ? text : null);
  return { chain, interval: interval ?? 'day', from: bound(place.from), to: bound(place.to) };
}

/** From the first bucket to the last, or the chosen days; hours start with the newest two weeks. */
export function shownRange(all: readonly ShownSeries[], { interval, from, to }: Choice): [number, number] {
  const [begin, end] = wholeRange(all);
  const last = to === null ? end : Math.min(end, Date.parse(to) + dayMs - 1);
  const standard = interval === 'hour' ? last - 14 * dayMs : begin;
  return [Math.max(begin, from === null ? standard : Date.parse(from)), last];
}

/** Both ends; the end before the begin where nothing is drawn. */
export function wholeRange(all: readonly ShownSeries[]): [number, number] {
  const moments = all.flatMap(({ drawn }) => [drawn[0], drawn.at(-1)].flatMap((point) => point?.bucket ?? []));
  return moments.length === 0 ? [0, -1] : [Math.min(...moments), Math.max(...moments)];
}

/** A choice as a place, which names only what was chosen. */
export const named = ({ chain, interval, from, to }: Choice): Place => ({
  chain,
  interval,
  ...(from && { from }),
  ...(to && { to }),
});
