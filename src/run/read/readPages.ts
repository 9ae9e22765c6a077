import { OpenPage, type Settled } from '../../core/parse/openPage.ts';
import { type GatheredPage, parseRecords } from '../../core/parse/parseRecords.ts';
import type { Request, Response } from '../../core/requests/request.ts';
import type { Rows } from '../../core/rows/rows.ts';
import type { Position } from '../../core/stream/partition.ts';
import { recordsIn } from '../../core/stream/records.ts';
import type { LookupStream, PagedStream, Pages, SnapshotStream } from '../../core/stream/stream.ts';
import { checked, drive, type Fetch, orParsedWhole } from '../sources/drive.ts';
import { Committer } from './committer.ts';
import { type BeginElsewhere, lookBack } from './lookBack.ts';
import type { ReadContext } from './partitionContext.ts';

export interface PagedRead {
  /** The checkpoint that the read began from. */
  readonly saved: Position | null;
  readonly pages: Pages;
  /** The position to make durable for one that paging gives. */
  durable(position: Position): Position;
}

/** Reads pages to their end; the signal ends it after the page under way. */
export async function readPages(stream: PagedStream, context: ReadContext, read: PagedRead): Promise<void> {
  const { partition, signal } = context;
  const committer = new Committer(stream, context, read.saved);
  // A position covers the rows of the pages that were given before it.
  let reached: Position | null = null;
  let position: Position | null = null;
  let records = 0;
  const pages = createPageReader(stream, context, {
    gathering: () => committer.batch.gathering(stream, partition),
    passed: (rows, first) => context.sameChain?.passed(stream, partition, rows, first),
    add(page, { first, kept, holdsFrom }, from) {
      context.seen(page.set.own, first);
      committer.batch.add(page, kept, { ...from, holdsFrom });
      records += kept;
      context.progress(records, null);
    },
  });
  const covered = () => position && read.durable(position);
  /** Where it fails, or leaves out a page that paging held, a position reached after it must not become durable. */
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
        // Rows of pages that paging holds gather with the others: nothing is written until it releases them.
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
 *
 * @param elsewhere as `lookBack` says
 */
export async function readPaged(stream: PagedStream, context: ReadContext, elsewhere?: BeginElsewhere): Promise<void> {
  const { partition } = context;
  const saved = await context.saved();
  const isBack = saved !== null && partition.lookback !== undefined;
  const { position, durable } = isBack
    ? await lookBack(stream, context, saved, elsewhere)
    : { position: saved, durable: (reached: Position) => reached };
  await readPages(stream, context, {
    saved,
    pages: stream.pages(partition, { position, now: context.now(), brackets: context.brackets }, context.state),
    durable,
  });
}

/** An answer, and its request. */
type Answered = Response & { readonly request: Request };

/** Where rows of pages go. */
interface Destination {
  /** Where they gather. */
  gathering(): GatheredPage;
  /** Told rows that were gathered last, before those go that are not wanted. */
  passed?(rows: Rows, first: number): void;
  /** Takes the gathered rows of a page that paging is done with. */
  add(page: GatheredPage, settled: Settled, from: Answered): void | Promise<void>;
}

/** Reads the answers of a stream into rows, and hands them on once paging is done with them. */
export interface PageReader {
  /** Asks for an answer that holds records of the stream. */
  readonly fetch: Fetch;
  give(request: Request, response: Response): OpenPage<Answered>;
  read(page: OpenPage<Answered>): Promise<void>;
  /** Hands on the pages given so far; false where paging holds them. */
  settle(): Promise<boolean>;
  /** Hands on the last pages, without those that paging still holds; false where there are any. */
  end(): Promise<boolean>;
}

export function createPageReader(
  stream: PagedStream | SnapshotStream | LookupStream,
  context: Pick<ReadContext, 'partition' | 'network' | 'fetch'>,
  { gathering, passed, add }: Destination,
): PageReader {
  const { partition, network, fetch } = context;
  let open: OpenPage<Answered>[] = [];
  const read = async (page: OpenPage<Answered>) => {
    const { request } = page.answer;
    const into = gathering();
    const parse = ({ body }: Response) =>
      page.read(into, () =>
        parseRecords(
          stream,
          partition,
          network,
          recordsIn(stream.records, body, partition, page.about ?? request.about),
          into,
        ),
      );
    try {
      await orParsedWhole(page.answer, parse, (made) => fetch(made(checked(stream, partition, request))));
    } catch (error) {
      open = open.filter((other) => other !== page);
      throw error;
    }
  };
  const settle = async () => {
    if (open.length === 0) return true;
    if (open.some(({ isHeld }) => isHeld)) return false;
    for (const page of open) await read(page);
    const pages = open;
    open = [];
    const into = gathering();
    if (passed && pages.some((page) => page.kept < page.length)) passed(into.set.own, (pages[0] as OpenPage).first);
    const settled = OpenPage.settle(stream.table, pages, into);
    for (const [i, { answer }] of pages.entries()) await add(into, i === 0 ? settled : { ...settled, kept: 0 }, answer);
    return true;
  };
  return {
    fetch: (request) => fetch(checked(stream, partition, request)),
    give(request, response) {
      const page = new OpenPage(stream.table, { ...response, request });
      open.push(page);
      return page;
    },
    read,
    settle,
    async end() {
      const held = open.filter((page) => page.isHeld);
      for (const page of held) page.drop();
      await settle();
      return held.length === 0;
    },
  };
}
