import { OpenPage, type Settled } from '../core/openPage.ts';
import { type GatheredPage, parseRecords } from '../core/parseRecords.ts';
import type { Request, Response } from '../core/request.ts';
import type { LookupStream, PagedStream, SnapshotStream } from '../core/stream.ts';
import { checked, recordsOf } from './checked.ts';
import type { Fetch } from './fetch.ts';
import { orParsedWhole } from './orParsedWhole.ts';
import type { ReadContext } from './partitionContext.ts';

/** Where rows of pages go. */
interface Destination {
  /** What they gather in. */
  gathering(): GatheredPage;
  /** Takes what gathered of a page that paging is done with. */
  add(page: GatheredPage, settled: Settled, from: { readonly request: Request } & Response): void | Promise<void>;
}

/** An answer on its way to rows. */
interface Waiting {
  readonly page: OpenPage;
  readonly request: Request;
  readonly response: Response;
}

/** Reads the answers of a stream into rows, and hands them on once paging is done with them. */
export interface PageReader {
  /** Asks for an answer that holds records of the stream. */
  readonly fetch: Fetch;
  give(request: Request, response: Response): OpenPage;
  read(page: OpenPage): Promise<void>;
  /** Hands on what was given; false where paging holds it. */
  settle(): Promise<boolean>;
  /** Hands on what was given last, without what paging still holds. */
  end(): Promise<boolean>;
}

export function createPageReader(
  stream: PagedStream | SnapshotStream | LookupStream,
  context: Pick<ReadContext, 'partition' | 'network' | 'fetch'>,
  { gathering, add }: Destination,
): PageReader {
  const { partition, network, fetch } = context;
  let open: Waiting[] = [];
  const read = async (waiting: Waiting) => {
    const { page, request, response } = waiting;
    const into = gathering();
    const parse = ({ body }: Response) =>
      page.read(into, () =>
        parseRecords(stream, partition, network, recordsOf(stream, partition, request, body), into),
      );
    try {
      await orParsedWhole(response, parse, (made) => fetch(made(checked(stream, partition, request))));
    } catch (error) {
      open = open.filter((other) => other !== waiting);
      throw error;
    }
  };
  const settle = async () => {
    if (open.some(({ page }) => page.isHeld)) return false;
    for (const waiting of open) if (!waiting.page.isRead) await read(waiting);
    const done = open;
    open = [];
    const [last] = done.slice(-1);
    if (!last) return true;
    const pages = done.map(({ page }) => page);
    const into = gathering();
    const settled = OpenPage.settle(stream.table, pages, into);
    for (const waiting of done) {
      const stays = waiting === last ? settled : { ...settled, kept: 0 };
      await add(into, stays, { request: waiting.request, ...waiting.response });
    }
    return true;
  };
  return {
    fetch: (request) => fetch(checked(stream, partition, request)),
    give(request, response) {
      const page = new OpenPage(stream.table, response.body);
      open.push({ page, request, response });
      return page;
    },
    async read(page) {
      const waiting = open.find((other) => other.page === page);
      if (waiting && !page.isRead) await read(waiting);
    },
    settle,
    async end() {
      for (const { page } of open) if (page.isHeld) page.drop();
      return settle();
    },
  };
}
