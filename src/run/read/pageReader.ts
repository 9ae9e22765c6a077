import { OpenPage, type Settled } from '../../core/openPage.ts';
import { type GatheredPage, parseRecords } from '../../core/parseRecords.ts';
import { recordsIn } from '../../core/records.ts';
import type { Request, Response } from '../../core/request.ts';
import type { LookupStream, PagedStream, SnapshotStream } from '../../core/stream.ts';
import { checked, type Fetch, orParsedWhole } from '../sources/drive.ts';
import type { ReadContext } from './partitionContext.ts';

/** An answer, and what it is to. */
type Answered = Response & { readonly request: Request };

/** Where rows of pages go. */
interface Destination {
  /** What they gather in. */
  gathering(): GatheredPage;
  /** Takes what gathered of a page that paging is done with. */
  add(page: GatheredPage, settled: Settled, from: Answered): void | Promise<void>;
}

/** Reads the answers of a stream into rows, and hands them on once paging is done with them. */
export interface PageReader {
  /** Asks for an answer that holds records of the stream. */
  readonly fetch: Fetch;
  give(request: Request, response: Response): OpenPage<Answered>;
  read(page: OpenPage<Answered>): Promise<void>;
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
      for (const page of open) if (page.isHeld) page.drop();
      return settle();
    },
  };
}
