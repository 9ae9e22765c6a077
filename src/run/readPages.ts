import { setImmediate } from 'node:timers/promises';
import type { Request, Response } from '../core/request.ts';
import type { PagedStream, Pages, Position } from '../core/stream.ts';
import { checked } from './checked.ts';
import { createCommitter } from './committer.ts';
import { parseAnswer } from './parseAnswer.ts';
import type { ReadContext } from './partitionContext.ts';

export interface PagedRead {
  /** The checkpoint that the read began from. */
  readonly saved: Position | null;
  readonly pages: Pages;
  /** What to make durable of a position that paging gives. */
  durable(position: Position): Position;
}

/** Reads pages to their end; the signal ends it after the page under way. */
export async function readPages(stream: PagedStream, context: ReadContext, read: PagedRead): Promise<void> {
  const { partition } = context;
  const { pages } = read;
  const committer = createCommitter(stream, context, read.saved);
  let waiting: { request: Request; response: Response } | undefined;
  let reached: Position | null = null;
  let position: Position | null = null;
  let records = 0;

  // A page is parsed once paging has seen it: only then does `keep` know its bounds. The position of a page counts behind its rows.
  const take = async () => {
    if (waiting) {
      const answered = waiting;
      waiting = undefined;
      const page = committer.batch.gathering(stream, partition);
      const before = page.set.own.length;
      const read = await parseAnswer(stream, context, answered, page);
      context.seen(page.set.own, before);
      committer.batch.add(page, read, { request: answered.request, ...answered.response });
      records += read;
      context.progress(records, null);
    }
    position = reached ?? position;
    reached = null;
  };
  const covered = () => position && read.durable(position);

  try {
    let step = pages.next();
    while (!step.done) {
      if (step.value.kind === 'advance') {
        reached = step.value.position;
        step = pages.next(undefined as never);
        continue;
      }
      if (context.signal.aborted) break;
      const request: Request = step.value;
      // The page before is parsed and committed while this one is on its way.
      const answer = context.fetch(checked(stream, partition, request));
      answer.catch(() => {});
      // The HTTP client writes at the next turn of the event loop; work before it would only delay the request.
      await setImmediate();
      await setImmediate();
      await take();
      await committer.commitIfFull(covered());
      let response: Response;
      try {
        response = await answer;
      } catch (error) {
        step = pages.throw(error);
        continue;
      }
      step = pages.next(response);
      waiting = { request, response };
    }
  } finally {
    await take();
    await committer.finish(covered());
  }
}
