import type { RangeStream } from '../core/stream.ts';
import { answer } from './fetch.ts';
import { measured } from './measured.ts';
import type { ReadContext } from './partitionContext.ts';

/** One range as it was answered. */
export interface AnsweredRange {
  readonly from: number;
  readonly to: number;
  readonly records: readonly unknown[];
  readonly request: Parameters<ReadContext['fetch']>[0];
  readonly bytes: number;
  readonly fetchedAt: number;
}

/** Ranges in order, with the next ones already asked for. Ends early when the signal is raised. */
export async function* fetchAhead(
  stream: RangeStream,
  context: ReadContext,
  first: number,
  last: number,
): AsyncGenerator<AnsweredRange> {
  const inFlight: Promise<AnsweredRange>[] = [];
  let start = first;
  const ask = (from: number): Promise<AnsweredRange> => {
    const to = Math.min(from + stream.size - 1, last);
    const { fetch, last: lastAnswer } = measured(context.fetch);
    const range = answer(stream.read(context.partition, from, to), fetch).then((records) => ({
      from,
      to,
      records,
      ...lastAnswer(),
    }));
    // An error is thrown when its turn comes; until then it must not count as unhandled.
    range.catch(() => {});
    return range;
  };
  while (start <= last || inFlight.length > 0) {
    while (start <= last && inFlight.length < stream.ahead && !context.signal.aborted) {
      inFlight.push(ask(start));
      start += stream.size;
    }
    const range = inFlight.shift();
    if (!range) return;
    yield await range;
  }
}
