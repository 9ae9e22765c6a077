import type { PagedStream, Pages, Position } from '../../core/stream.ts';
import { drive } from '../sources/drive.ts';
import { createCommitter } from './committer.ts';
import { createPageReader } from './pageReader.ts';
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
  const { partition, signal } = context;
  const committer = createCommitter(stream, context, read.saved);
  // A position counts behind the rows of the pages that were given before it.
  let reached: Position | null = null;
  let position: Position | null = null;
  let records = 0;
  const pages = createPageReader(stream, context, {
    gathering: () => committer.batch.gathering(stream, partition),
    add(page, { first, kept }, from) {
      context.seen(page.set.own, first);
      committer.batch.add(page, kept, from);
      records += kept;
      context.progress(records, null);
    },
  });
  const covered = () => position && read.durable(position);
  /** Where it fails, what was reached behind is not to be made durable. */
  const settle = async (settling: () => Promise<boolean>) => {
    const to = reached;
    reached = null;
    const isSettled = await settling();
    if (isSettled) position = to ?? position;
    else reached = to;
    return isSettled;
  };
  try {
    await drive(read.pages, {
      ...pages,
      advance(to) {
        reached = to;
      },
      async meanwhile() {
        // Rows of pages that paging holds gather with the others: until it lets go of them nothing is written.
        if (await settle(pages.settle)) await committer.commitIfFull(covered());
      },
      signal,
    });
  } finally {
    try {
      await settle(pages.end);
    } finally {
      await committer.finish(covered());
    }
  }
}

/**
 * Reads a stream page by page as its generator says. Pages gather until a batch is full; each commit carries the newest
 * position that covers all its pages, or leaves the checkpoint where it was.
 */
export async function readPaged(stream: PagedStream, context: ReadContext): Promise<void> {
  const { partition } = context;
  const saved = await context.saved();
  await readPages(stream, context, {
    saved,
    pages: stream.pages(partition, { position: saved, now: context.now(), brackets: context.brackets }, context.state),
    durable: (position) => position,
  });
}
