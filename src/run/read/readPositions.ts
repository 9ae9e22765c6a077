import type { Row } from '../../core/columns/columnType.ts';
import { brokenLinks, gapError } from '../../core/paging/rangeGaps.ts';
import type { Position } from '../../core/stream/partition.ts';
import type { RangeStream } from '../../core/stream/stream.ts';
import { Committer } from './committer.ts';
import type { ReadContext } from './partitionContext.ts';
import { takeRange } from './takeRange.ts';

export interface PositionsRead {
  /** The checkpoint that the read began from. */
  readonly saved: Position | null;
  readonly first: number;
  readonly last: number;
  /** The row before the first one, to which it must be linked. */
  readonly previous?: Row | undefined;
  /** Positions right before the first one that the source lacks, where it may lack some. */
  readonly missing?: { readonly from: number; readonly to: number } | undefined;
  /** What to make durable when everything before a position is committed. */
  durable(next: number): Position;
}

/** Reads the positions from `first` to `last`, both included; the signal ends it after the range under way. */
export async function readPositions(stream: RangeStream, context: ReadContext, read: PositionsRead): Promise<void> {
  const { first, last } = read;
  if (first > last) return;
  const { size, ahead } = stream;
  const committer = new Committer(stream, context, read.saved);
  let { previous } = read;
  let next = first;
  const passesOver = stream.mayHaveGaps?.(context.partition) ?? false;
  if (passesOver && read.missing) committer.batch.noteGap(read.missing.from, read.missing.to);
  const take = (from: number, to: number) => takeRange(stream, context, { from, to, passesOver });
  try {
    for await (const range of fetchAhead({ first, last, size, ahead, signal: context.signal }, take)) {
      const { page } = range;
      const [apart] = brokenLinks(stream, previous, page.set.own, 1);
      if (apart && !passesOver) throw gapError(stream, range, apart);
      for (const { from, to } of apart ? [apart, ...range.gaps] : range.gaps) committer.batch.noteGap(from, to);
      context.seen(page.set.own);
      committer.batch.add(page, range.records, range);
      if (stream.enrichment) committer.batch.waitFor(context.enrich(stream.enrichment, page));
      next = range.hole ? range.hole.from : range.to + 1;
      if (range.hole) throw gapError(stream, range, range.hole);
      if (range.failure) throw range.failure;
      previous = page.set.own.last() ?? previous;
      await committer.commitIfFull(read.durable(next));
      context.progress(next - first, last - first + 1);
    }
  } finally {
    // What was read in order before an error or a signal is kept.
    await committer.finish(next > first ? read.durable(next) : null);
  }
}

/** What is read in ranges of at most `size` positions, `ahead` of them at once. */
interface Ahead {
  readonly first: number;
  readonly last: number;
  readonly size: number;
  readonly ahead: number;
  readonly signal: AbortSignal;
}

/** Ranges in order, with the next ones already asked for. Ends early when the signal is raised. */
async function* fetchAhead<T>(
  { first, last, size, ahead, signal }: Ahead,
  ask: (from: number, to: number) => Promise<T>,
): AsyncGenerator<T> {
  const inFlight: Promise<T>[] = [];
  let start = first;
  for (;;) {
    while (start <= last && inFlight.length < ahead && !signal.aborted) {
      const range = ask(start, Math.min(start + size - 1, last));
      // An error is thrown when its turn comes; until then it must not count as unhandled.
      range.catch(() => {});
      inFlight.push(range);
      start += size;
    }
    const range = inFlight.shift();
    if (!range) return;
    yield await range;
  }
}
