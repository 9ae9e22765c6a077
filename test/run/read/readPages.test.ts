import { expect, test, vi } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { RawValue } from '../../../src/core/json/rawValue.ts';
import type { Request } from '../../../src/core/requests/request.ts';
import type { Position } from '../../../src/core/stream/partition.ts';
import { type PagedStream, type Pages, tablesOf } from '../../../src/core/stream/stream.ts';
import { readCheckpoint } from '../../../src/load/commit/checkpoints.ts';
import { readPages } from '../../../src/run/read/readPages.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { partition, transfer, transfersStream } from '../../load/transfers.ts';
import { readContext } from './readContext.ts';

const stream = transfersStream() as PagedStream;

const list = (height: number): Request => ({ kind: 'get', path: `/${height}`, weight: 1 });
const down = new FirnError('unavailable', 'no answer');

/** Reads pages of a source whose answer to `/n` is the transfer of height n, unless `answers` has another; gives what is durable. */
async function reading(
  pages: () => Pages,
  answers: Readonly<Record<string, (request: Request) => unknown>> = {},
  { stop = new AbortController(), bytes = 8e6 } = {},
) {
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const log: string[] = [];
  const fetch = async (request: Request) => {
    log.push(`send ${request.path}`);
    // Each answer alone fills a batch.
    const body = answers[request.path]?.(request) ?? [transfer(Number(request.path.slice(1)))];
    return { body, fetchedAt: 1, bytes };
  };
  const seen = (rows: { readonly length: number }, first = 0) => log.push(`rows ${rows.length - first}`);
  const context = readContext(warehouse, stream, partition, fetch, { seen, signal: stop.signal });
  const durable = (position: Position) => ({ ...position, by: 'test' });
  const outcome = await readPages(stream, context, { saved: null, pages: pages(), durable }).then(
    () => 'done',
    (error: Error) => error.message,
  );
  const rows = await warehouse.query<{ height: bigint }>('SELECT height FROM raw.data_transfers ORDER BY 1');
  return {
    outcome,
    log,
    heights: rows.map(({ height }) => Number(height)),
    position: await readCheckpoint(warehouse, stream.id, 'chain_id=43112'),
    commits: context.done.length,
  };
}

/** Pages one after the other, the checkpoint behind each. */
const upTo = (last: number, isAnnounced = false) =>
  function* (): Pages {
    let asked = list(1);
    for (let height = 1; height <= last; height++) {
      const page = yield asked;
      asked = list(height + 1);
      if (isAnnounced) yield { kind: 'read', page, ahead: height < last ? asked : undefined };
      yield { kind: 'advance', position: { at: height } };
    }
  };

test.each([false, true])(
  'the next request is on its way while a page is read and committed; announced: %s',
  async (isAnnounced) => {
    const { log, ...rest } = await reading(upTo(3, isAnnounced));
    expect(rest).toEqual({ outcome: 'done', heights: [1, 2, 3], position: { at: 3, by: 'test' }, commits: 3 });
    expect(log).toEqual(['send /1', 'send /2', 'rows 1', 'send /3', 'rows 1', 'rows 1']);
  },
);

test.each([false, true])('what lies before a request that fails is durable; announced: %s', async (isAnnounced) => {
  const fail = () => {
    throw down;
  };
  const read = await reading(upTo(5, isAnnounced), { '/3': fail });
  expect(read).toMatchObject({ outcome: 'no answer', heights: [1, 2], position: { at: 2, by: 'test' } });
});

const broken = () => RawValue.of(['{"height":}']);

test('a page whose records are no JSON is asked for once more, parsed whole', async () => {
  const raws: unknown[] = [];
  const answer = (request: Request) => {
    raws.push('raw' in request ? request.raw : undefined);
    return raws.length === 1 ? [...RawValue.of([JSON.stringify(transfer(9))]), ...broken()] : [transfer(2)];
  };
  const read = await reading(upTo(3), { '/2': answer });
  expect(read).toMatchObject({ outcome: 'done', heights: [1, 2, 3], position: { at: 3 } });
  expect(raws).toEqual([['[]'], undefined]);
});

test.each([false, true])(
  'the checkpoint does not pass a page that cannot be had; its rows asked for: %s',
  async (isAnnounced) => {
    let asked = 0;
    const answer = () => {
      if (asked++ > 0) throw down;
      return broken();
    };
    const read = await reading(upTo(4, isAnnounced), { '/2': answer });
    expect(read).toMatchObject({ outcome: 'no answer', heights: [1], position: { at: 1 } });
  },
);

test('a position counts though paging fails behind it, and what it still holds is left out', async () => {
  const read = await reading(function* (): Pages {
    yield list(1);
    yield { kind: 'advance', position: { at: 1 } };
    const page = yield list(2);
    yield { kind: 'read', page };
    page.hold();
    const other = yield list(3);
    yield { kind: 'read', page: other };
    throw new FirnError('contract', 'paging would never end');
  });
  expect(read).toMatchObject({ outcome: 'paging would never end', heights: [1, 3], position: { at: 1 } });
});

test('pages that are held are committed together, once they are taken', async () => {
  const read = await reading(function* (): Pages {
    const held = yield list(1);
    yield { kind: 'read', page: held };
    held.hold();
    for (const height of [2, 3]) {
      const page = yield list(height);
      yield { kind: 'read', page };
      if (height === 2) page.drop();
    }
    held.take();
    yield { kind: 'advance', position: { at: 3 } };
    yield list(4);
  });
  expect(read).toMatchObject({ outcome: 'done', heights: [1, 3, 4], position: { at: 3 }, commits: 2 });
});

test('a position that is reached while pages are held counts once they are taken, and not where they are left out', async () => {
  const pages = (isTaken: boolean) =>
    function* (): Pages {
      yield list(1);
      yield { kind: 'advance', position: { at: 1 } };
      const held = yield list(2);
      yield { kind: 'read', page: held };
      held.hold();
      yield { kind: 'advance', position: { at: 2 } };
      const other = yield list(3);
      yield { kind: 'read', page: other };
      if (isTaken) held.take();
      throw new FirnError('contract', 'paging would never end');
    };
  expect(await reading(pages(true))).toMatchObject({ heights: [1, 2, 3], position: { at: 2 } });
  expect(await reading(pages(false))).toMatchObject({ heights: [1, 3], position: { at: 1 } });
});

test('the signal ends it behind the page under way', async () => {
  const stop = new AbortController();
  const answer = () => {
    stop.abort();
    return undefined;
  };
  const read = await reading(upTo(5), { '/2': answer }, { stop });
  expect(read).toMatchObject({ outcome: 'done', heights: [1, 2], position: { at: 2 } });
});

test('writes nothing of pages that paging holds, however old the batch is by then', async () => {
  let time = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => time);
  const pages = function* (): Pages {
    const first = yield list(1);
    yield { kind: 'read', page: first };
    const held = yield list(2);
    yield { kind: 'read', page: held };
    held.hold();
    const again = yield list(3);
    yield { kind: 'read', page: again };
    held.drop();
  };
  const late = () => {
    time = 60_000;
    return [transfer(3)];
  };
  const { outcome, heights } = await reading(pages, { '/3': late }, { bytes: 100 });
  clock.mockRestore();
  expect([outcome, heights]).toEqual(['done', [1, 3]]);
});
