import { z } from 'zod';
import { int64, optional, text, unixSeconds } from '../../../src/core/columns/columns.ts';
import { OpenPage } from '../../../src/core/parse/openPage.ts';
import { emptyPage, parseRecords } from '../../../src/core/parse/parseRecords.ts';
import type { Page } from '../../../src/core/requests/page.ts';
import type { Request } from '../../../src/core/requests/request.ts';
import { defineStream } from '../../../src/core/stream/defineStream.ts';
import type { Position } from '../../../src/core/stream/partition.ts';
import { recordsIn } from '../../../src/core/stream/records.ts';
import type { Pages, Window } from '../../../src/core/stream/stream.ts';
import type { Item, ListSource } from './listSource.ts';

const partition = { values: {} };
const network = { networkId: 1, network: 'mainnet', hrp: 'avax', chains: [] };

/** What the rows of a `ListSource` become. */
const stream = defineStream(
  { name: 'data', description: 'made up', numbers: 'lossless' },
  {
    name: 'list',
    description: 'A made-up list.',
    endpoint: 'GET /list',
    parameters: z.strictObject({}),
    partitions: () => [partition],
    schema: z.object({
      id: text('Id.'),
      cursor: int64('What the list is sorted by.'),
      time: optional(unixSeconds('Ten times the cursor.')),
      owner: optional(text('Owner.')),
      group: optional(text('Of rows without a key.')),
    }),
    key: ['id'],
    way: 'snapshot',
    *pages() {},
    records: 'items',
  },
);

/** Pages that become rows one behind the other. */
function gather() {
  const into = { ...emptyPage(stream, partition), marks: [] as (readonly number[])[] };
  let open: OpenPage[] = [];
  return {
    into,
    give(body: unknown): OpenPage {
      const page = new OpenPage(stream.table, { body });
      open.push(page);
      return page;
    },
    read(page: OpenPage): void {
      page.read(into, () =>
        parseRecords(stream, partition, network, recordsIn(stream.records, page.body, partition), into),
      );
    },
    /** Whether what was given is rows now: nothing is held. */
    settle(): boolean {
      if (open.some(({ isHeld }) => isHeld)) return false;
      for (const page of open) this.read(page);
      OpenPage.settle(stream.table, open, into);
      open = [];
      return true;
    },
  };
}

/** A page of these records that was read. */
export function pageOf(records: readonly unknown[], more: object = {}): Page {
  const pages = gather();
  const page = pages.give({ items: records, ...more });
  pages.read(page);
  return page;
}

/** What a warehouse would hold of a partition: rows by key, records that cannot be read, and the checkpoint. */
export interface Store {
  readonly rows: Map<string, Item>;
  readonly quarantined: Set<string>;
  position: Position | null;
}

export const createStore = (): Store => ({ rows: new Map(), quarantined: new Set(), position: null });

export interface DriveOptions {
  /** Steps (requests and advances) after which the read is killed. */
  readonly steps?: number;
  readonly now?: number;
  readonly keyOf?: (row: Item) => string;
}

/**
 * Drives paging as a sync does, but commits after every page: the most kills can hit. What was read after the last commit is
 * lost with a kill. Rows of a page that are alike in their key are counted, as `position` columns are.
 *
 * @returns whether the read came to its end
 * @throws TypeError where a request that was announced is not the next one
 */
export function drive(
  pagesOf: (window: Window) => Pages,
  source: ListSource,
  store: Store,
  options: DriveOptions = {},
): boolean {
  const { steps = Number.POSITIVE_INFINITY, now = 0, keyOf = ({ id }) => id } = options;
  const pages = pagesOf({ position: store.position === null ? null : JSON.parse(JSON.stringify(store.position)), now });
  let gathered = gather();
  const commit = (): void => {
    if (!gathered.settle()) return;
    const counted = new Map<string, number>();
    for (const row of gathered.into.set.own.toObjects() as unknown as Item[]) {
      const key = keyOf(row);
      const number = counted.get(key) ?? 0;
      counted.set(key, number + 1);
      store.rows.set(number === 0 ? key : `${key}#${number}`, row);
    }
    for (const { record } of gathered.into.quarantined) store.quarantined.add(record);
    gathered = gather();
  };
  let announced: Request | undefined;
  const none = undefined as never;
  let step = pages.next();
  for (let taken = 0; !step.done; ) {
    const said = step.value;
    if (said.kind === 'read') {
      announced = said.ahead;
      gathered.read(said.page as OpenPage);
      step = pages.next(none);
      continue;
    }
    if (taken++ >= steps) return false;
    commit();
    if (said.kind === 'advance') {
      store.position = said.position;
      step = pages.next(none);
      continue;
    }
    if (announced && announced !== said) throw new TypeError('another request was announced');
    announced = undefined;
    let body: unknown;
    try {
      ({ body } = source.answer(said));
    } catch (error) {
      step = pages.throw(error);
      continue;
    }
    step = pages.next(gathered.give(body));
  }
  if (announced) throw new TypeError('a request was sent in vain');
  commit();
  return true;
}
