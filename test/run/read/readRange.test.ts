import { expect, test } from 'vitest';
import { type ErrorCode, FirnError } from '../../../src/core/firnError.ts';
import { tablesOf } from '../../../src/core/stream/stream.ts';
import { readRange } from '../../../src/run/read/readRange.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';
import { backfillPartition } from '../../../src/run/upkeep/backfillPartition.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { span } from '../../span.ts';
import { createChain, fetchOf, heightsStream, partitionOf } from './heightsStream.ts';
import { readContext } from './readContext.ts';

/** A warehouse and a chain with so many blocks that is read into it. */
async function setUp(head: number | null, stream = heightsStream) {
  const warehouse = await temporaryWarehouse(tablesOf([heightsStream]));
  const chain = createChain(head);
  const notes: string[] = [];
  return {
    chain,
    warehouse,
    /** What the last read told. */
    notes,
    /** Reads what is new; gives what was asked, what came of it, and what is durable. */
    async read(settings: Parameters<typeof partitionOf>[0] = {}, fetch: Fetch = fetchOf(chain), stop?: AbortSignal) {
      chain.asked.length = 0;
      notes.length = 0;
      const more = { note: (sentence: string) => notes.push(sentence), ...(stop && { signal: stop }) };
      const context = readContext(warehouse, stream, partitionOf(settings), fetch, more);
      const outcome = await readRange(stream, context).then(
        () => 'done',
        (error: Error) => error.message,
      );
      const rows = await warehouse.query<{ height: bigint; extra: string | null }>(
        'SELECT height, extra FROM raw.node_heights ORDER BY 1',
      );
      const [at] = await warehouse.query<{ position: string }>('SELECT "position" FROM firn.checkpoint');
      return {
        outcome,
        asked: [...chain.asked],
        heights: rows.map(({ height }) => Number(height)),
        whole: rows.filter(({ extra }) => extra !== null).map(({ height }) => Number(height)),
        position: at && JSON.parse(at.position),
      };
    },
  };
}

test('reads from the first position to the head, then what is new behind a row that the source still holds', async () => {
  const { chain, read } = await setUp(9);
  expect(await read({ from: 2 })).toMatchObject({
    outcome: 'done',
    asked: ['head', '2..5', '6..9'],
    heights: span(2, 10),
    position: { next: 10 },
  });
  expect(await read()).toMatchObject({ asked: ['head'], position: { next: 10 } });
  chain.head = 10;
  expect(await read()).toMatchObject({ asked: ['head', 'holds 9', '10..10'], position: { next: 11 } });
});

test('where it says so, what came meanwhile is read behind it, in one go', async () => {
  const { chain, read } = await setUp(6, { ...heightsStream, readsOn: true });
  const answered = fetchOf(chain);
  const growing: Fetch = (request, sent) => {
    if (/^4\.\.|^10\.\./.test(request.path)) chain.head = 9 + chain.asked.length;
    return answered(request, sent);
  };
  expect(await read({}, growing)).toMatchObject({
    outcome: 'done',
    asked: ['head', '0..3', '4..6', 'head', '7..10', '11..11'],
    heights: span(0, 12),
    position: { next: 12 },
  });
  expect(await read({}, growing)).toMatchObject({ asked: ['head'] });
  chain.head = 12;
  expect(await read()).toMatchObject({ asked: ['head', 'holds 11', '12..12', 'head'], position: { next: 13 } });
  const stop = new AbortController();
  const stopping: Fetch = (request, sent) => {
    if (request.path.startsWith('17..')) stop.abort();
    return growing(request, sent);
  };
  chain.head = 20;
  const stopped = await read({}, stopping, stop.signal);
  expect(stopped).toMatchObject({ asked: ['head', 'holds 12', '13..16', '17..20'], position: { next: 21 } });
});

test('what came meanwhile must be linked to what was read before', async () => {
  const { chain, read } = await setUp(6, { ...heightsStream, readsOn: true });
  chain.foreign.add(7);
  const answered = fetchOf(chain);
  const growing: Fetch = (request, sent) => {
    if (request.path.startsWith('4..')) chain.head = 8;
    return answered(request, sent);
  };
  const broken = await read({}, growing);
  expect(broken).toMatchObject({ heights: span(0, 7), position: { next: 7 } });
  expect(broken.outcome).toMatch(/7/);
});

test('an empty source is nothing yet', async () => {
  const { read } = await setUp(null);
  expect(await read()).toEqual({ outcome: 'done', asked: ['head'], heights: [], whole: [], position: undefined });
});

test('a beginning above the head is told: nothing is read until the source gets there', async () => {
  const { chain, read, notes } = await setUp(9);
  await read({ from: 11 });
  expect(notes).toEqual(['Nothing is read yet: it is to begin at height 11 (from), and the source ends at 9.']);
  chain.head = 11;
  expect(await read({ from: 11 })).toMatchObject({ outcome: 'done', heights: [11] });
  expect(notes).toEqual([]);
});

test('a first read of which nothing came begins where it is to begin by then', async () => {
  const { chain, read } = await setUp(9);
  chain.without.add(4);
  expect(await read({ from: 4 })).toMatchObject({ heights: [], position: undefined });
  chain.without.clear();
  expect(await read({ from: 1 })).toMatchObject({ outcome: 'done', heights: span(1, 10), position: { next: 10 } });
});

test('a beginning that was set lower is told until what lies below is held', async () => {
  const { chain, warehouse, read, notes } = await setUp(9);
  await read({ from: 4 });
  for (const from of [4, 20]) await read({ from });
  expect(notes).toEqual([]);
  chain.head = 10;
  expect(await read({ from: 1 })).toMatchObject({ heights: span(4, 11) });
  expect(notes).toEqual([
    'It begins at height 4, and is to begin at 1 (from): "firn backfill node/heights --from 1" reads what lies below.',
  ]);
  await warehouse.run("INSERT INTO firn.dropped VALUES ('raw.node_heights', now()::TIMESTAMP, 1, now()::TIMESTAMP)");
  await read({ from: 1 });
  expect(notes).toEqual([]);
  await warehouse.run('DELETE FROM firn.dropped');
  await warehouse.run('UPDATE raw.node_heights SET height = 1 WHERE height = 4');
  await read({ from: 1 });
  expect(notes).toEqual([]);
});

test('a beginning whose first record is in quarantine was not set lower', async () => {
  const { chain, read, notes } = await setUp(9);
  chain.wrong.add(0).add(1);
  await read();
  expect(await read()).toMatchObject({ outcome: 'done', heights: span(2, 10) });
  expect(notes).toEqual([]);
});

test('what lies before a hole is kept, and the next run asks from there', async () => {
  const { chain, read } = await setUp(9);
  chain.without.add(6);
  const broken = await read();
  expect(broken).toMatchObject({ heights: span(0, 6), position: { next: 6 } });
  expect(broken.outcome).toMatch(/the answer for 4..7 has a hole at height 6/);
  chain.without.clear();
  expect(await read()).toMatchObject({ outcome: 'done', heights: span(0, 10), position: { next: 10 } });
});

test('of a range with a block that does not follow and a hole behind it, what lies before both is kept', async () => {
  const { chain, read } = await setUp(9);
  chain.foreign.add(5);
  chain.without.add(6);
  expect(await read()).toMatchObject({ heights: span(0, 5), position: { next: 5 } });
});

test('what lies before a position that the source does not give yet is kept, and the next run asks from there', async () => {
  const { chain, read } = await setUp(9);
  const lacking =
    (...heights: number[]): Fetch =>
    async (request) => {
      const [from = 0, to = 0] = request.path.split('..').map(Number);
      const lacks = heights.find((height) => from <= height && height <= to);
      if (lacks === undefined) return fetchOf(chain)(request);
      throw new FirnError('unavailable', `no ${lacks}`, { retryable: true, context: { lacks } });
    };
  expect(await read({}, lacking(7, 6))).toMatchObject({
    outcome: 'no 6',
    asked: ['head', '0..3', '4..5', '8..9'],
    heights: span(0, 6),
    position: { next: 6 },
  });
  expect(await read({}, lacking(6))).toMatchObject({ outcome: 'no 6', heights: span(0, 6), position: { next: 6 } });
  expect(await read()).toMatchObject({ outcome: 'done', heights: span(0, 10), position: { next: 10 } });
});

test('positions that may be missing are noted and passed over', async () => {
  const { chain, read, warehouse } = await setUp(9);
  chain.without.add(6);
  const settings = { from: 2, mayHaveGaps: true };
  expect(await read(settings)).toMatchObject({ outcome: 'done', heights: [2, 3, 4, 5, 7, 8, 9] });
  const gaps = () =>
    warehouse.query('SELECT from_position::INTEGER AS a, to_position::INTEGER AS b FROM firn.gap ORDER BY 1');
  const known = [
    { a: 0, b: 1 },
    { a: 6, b: 6 },
  ];
  expect(await gaps()).toEqual(known);
  // A block that does not follow the range before is a gap without a position.
  chain.head = 10;
  chain.foreign.add(10);
  expect(await read(settings)).toMatchObject({ outcome: 'done', position: { next: 11 } });
  const apart = { a: 10, b: 9 };
  expect(await gaps()).toEqual([...known, apart]);
  await warehouse.run('DELETE FROM firn.gap WHERE from_position = 10');
  chain.foreign.clear();
  const context = () => readContext(warehouse, heightsStream, partitionOf(settings), fetchOf(chain));
  // Four blocks a day.
  const again = { again: { first: '1970-01-01', last: '1970-01-03' } };
  await backfillPartition(heightsStream, context(), again);
  expect(await gaps()).toEqual(known);
  // What audits passed because of a gap, they look at again.
  await warehouse.run(`INSERT INTO firn.audit_state (name, load_id) VALUES ('assert_x', 1)`);
  chain.without.clear();
  await backfillPartition(heightsStream, context(), again);
  expect(await gaps()).toEqual([{ a: 0, b: 1 }]);
  expect(await warehouse.query('FROM firn.audit_state')).toEqual([]);
  await backfillPartition(heightsStream, context(), { from: '1' });
  expect(await gaps()).toEqual([{ a: 0, b: 0 }]);
  await backfillPartition(heightsStream, context(), { from: '0' });
  expect(await gaps()).toEqual([]);
});

test.each<[string, (chain: ReturnType<typeof createChain>) => void, RegExp]>([
  [
    'ends below what was read',
    (chain) => {
      chain.head = 5;
    },
    /the source ends at 5, but 9 was read from it before\. As far as it goes it is the same, so the node that answers is behind/,
  ],
  [
    'ends below what was read, and is another chain',
    (chain) => {
      Object.assign(chain, { head: 5, name: 'b' });
    },
    /the source ends at 5, but 9 was read from it before, and what it has is not known to be the same/,
  ],
  [
    'has nothing any more',
    (chain) => {
      chain.head = null;
    },
    /the source ends at nothing, but 9 was read/,
  ],
  [
    'is another chain',
    (chain) => {
      Object.assign(chain, { head: 20, name: 'b' });
    },
    /no longer holds what was read from it as height 9\. .* drop what was read, so that it is read from this node, with "firn state drop node\/heights all"\.$/,
  ],
])('of a source that %s nothing is taken', async (_, change, message) => {
  const { chain, read } = await setUp(9);
  await read();
  change(chain);
  const refused = await read();
  expect(refused.outcome).toMatch(message);
  expect(refused).toMatchObject({ heights: span(0, 10), position: { next: 10 } });
});

test.each<[number | null, ErrorCode, RegExp]>([
  [5, 'unavailable', /^said$/],
  [null, 'unavailable', /the source ends at nothing, but 9 was read from it before, and what it has is not known/],
  [null, 'interrupted', /^said$/],
])(
  'a source that ends at %s, and says %s of what it holds, is judged only where it has nothing',
  async (head, code, outcome) => {
    const { chain, read } = await setUp(9);
    await read();
    chain.head = head;
    const failing: Fetch = async (request) => {
      if (request.path.startsWith('holds')) throw new FirnError(code, 'said');
      return fetchOf(chain)(request);
    };
    expect(await read({}, failing)).toMatchObject({ outcome: expect.stringMatching(outcome), position: { next: 10 } });
  },
);

test('another chain is known by the newest row where what was read last is in quarantine', async () => {
  const { chain, read } = await setUp(9);
  for (const height of [8, 9]) chain.wrong.add(height);
  expect(await read()).toMatchObject({ outcome: 'done', heights: span(0, 8), position: { next: 10 } });
  Object.assign(chain, { head: 20, name: 'b' });
  const refused = await read();
  expect(refused.outcome).toMatch(/no longer holds what was read from it as height 7/);
  expect(refused).toMatchObject({ heights: span(0, 8), position: { next: 10 } });
  Object.assign(chain, { name: 'a' });
  chain.wrong.clear();
  expect(await read()).toMatchObject({ outcome: 'done', heights: span(0, 21), position: { next: 21 } });
});

test('what was taken in part is read again once all of it is wanted, and goes on there after a failure', async () => {
  const { chain, read } = await setUp(9);
  expect(await read({ part: true })).toMatchObject({ whole: [], position: { next: 10, partFrom: 0 } });
  const failing: Fetch = async (request) => {
    if (request.path === '8..9') throw new Error('down');
    return fetchOf(chain)(request);
  };
  expect(await read({}, failing)).toMatchObject({
    outcome: 'down',
    whole: span(0, 8),
    heights: span(0, 10),
    position: { next: 10, partFrom: 8 },
  });
  chain.head = 11;
  expect(await read()).toMatchObject({ outcome: 'done', whole: span(0, 12), position: { next: 12 } });
});

test('what the source no longer has of what was taken in part keeps nothing that is new from being read', async () => {
  const { chain, read } = await setUp(9);
  await read({ part: true });
  chain.head = 11;
  const pruned: Fetch = async (request) => {
    if (request.path === '4..7')
      throw new FirnError('unavailable', 'Pruned. Begin later.', { context: { next: 'Begin later.' } });
    return fetchOf(chain)(request);
  };
  for (const head of [11, 13]) {
    chain.head = head;
    expect(await read({}, pruned)).toMatchObject({
      outcome: expect.stringMatching(
        /^Pruned\. From height 4 on it was read in part, .* what is new is read all the same\. .* set back what was switched on\.$/,
      ),
      whole: [0, 1, 2, 3, ...span(10, head + 1)],
      position: { next: head + 1, partFrom: 4 },
    });
  }
  expect(await read()).toMatchObject({ outcome: 'done', whole: span(0, 14), position: { next: 14 } });
});

test('of what was taken in part only what is held still is read again', async () => {
  const { chain, read, warehouse } = await setUp(9);
  await read({ part: true });
  await warehouse.run('DELETE FROM raw.node_heights WHERE height < 6');
  await warehouse.run(`INSERT INTO firn.dropped VALUES ('raw.node_heights', now()::TIMESTAMP, 6, now()::TIMESTAMP)`);
  chain.head = 11;
  expect(await read()).toMatchObject({
    outcome: 'done',
    asked: ['head', 'holds 9', 'holds 9', '6..9', '10..11'],
    whole: span(6, 12),
    position: { next: 12 },
  });
});

test('of what was taken in part nothing is read again once all of it was dropped', async () => {
  const { read, warehouse } = await setUp(9);
  await read({ part: true });
  await warehouse.run(`DELETE FROM raw.node_heights;
    INSERT INTO firn.dropped VALUES ('raw.node_heights', now()::TIMESTAMP, 10, now()::TIMESTAMP)`);
  expect(await read()).toMatchObject({ outcome: 'done', asked: ['head'], heights: [] });
});

test('what leaves the quarantine in part is read again once all of it is wanted', async () => {
  const { chain, read } = await setUp(9);
  chain.wrong.add(3).add(5);
  expect(await read()).toMatchObject({ heights: [0, 1, 2, 4, 6, 7, 8, 9], position: { next: 10 } });
  chain.wrong.clear();
  Object.assign(chain, { head: 11 });
  expect(await read({ part: true })).toMatchObject({ heights: span(0, 12), position: { next: 12, partFrom: 3 } });
  expect(await read()).toMatchObject({ outcome: 'done', whole: span(0, 12), position: { next: 12 } });
});

test('what lies in quarantine is asked for again, and leaves it once it can be read', async () => {
  const { chain, read, warehouse } = await setUp(5);
  chain.wrong.add(3);
  expect(await read()).toMatchObject({ outcome: 'done', heights: [0, 1, 2, 4, 5], position: { next: 6 } });
  expect(await read()).toMatchObject({ asked: ['head', '3..3'], heights: [0, 1, 2, 4, 5] });
  chain.wrong.clear();
  await warehouse.run('UPDATE firn.quarantine SET record_key = NULL');
  expect(await read()).toMatchObject({ asked: ['head', '3..3'], heights: span(0, 6), position: { next: 6 } });
  expect(await read()).toMatchObject({ asked: ['head'] });
  const open = await warehouse.query('SELECT 1 AS one FROM firn.quarantine WHERE replayed_at IS NULL');
  expect(open).toEqual([]);
});

test('what leaves the quarantine follows what stands before it, and what came behind it beside it', async () => {
  const { chain, read, warehouse } = await setUp(5);
  chain.wrong.add(3);
  // Behind a record that cannot be read nothing tells that it is another chain's.
  chain.foreign.add(4);
  expect(await read()).toMatchObject({ outcome: 'done', heights: [0, 1, 2, 4, 5] });
  chain.wrong.clear();
  expect(await read()).toMatchObject({ asked: ['head', '3..3', '3..4'], heights: [0, 1, 2, 4, 5] });
  chain.foreign.clear();
  chain.foreign.add(3);
  expect(await read()).toMatchObject({ asked: ['head', '3..3'], heights: [0, 1, 2, 4, 5] });
  chain.foreign.clear();
  expect(await read()).toMatchObject({ asked: ['head', '3..3', '3..4'], heights: span(0, 6), position: { next: 6 } });
  expect(await warehouse.query('SELECT parent FROM raw.node_heights WHERE height = 4')).toEqual([{ parent: 'a 3' }]);
});

test('what comes behind a record that has left the quarantine follows it', async () => {
  const { chain, read } = await setUp(5);
  chain.wrong.add(5);
  expect(await read()).toMatchObject({ outcome: 'done', heights: span(0, 5), position: { next: 6 } });
  chain.wrong.clear();
  Object.assign(chain, { head: 9 });
  chain.foreign.add(6);
  expect(await read()).toMatchObject({ heights: span(0, 6), position: { next: 6 } });
  chain.foreign.clear();
  expect(await read()).toMatchObject({ outcome: 'done', heights: span(0, 10), position: { next: 10 } });
});

test.each<[ErrorCode, string]>([
  ['unavailable', 'done'],
  ['unauthorized', 'said'],
  ['interrupted', 'said'],
])('asked for again, a record of which the source says %s', async (code, outcome) => {
  const { chain, read } = await setUp(5);
  chain.wrong.add(3);
  await read();
  const refusing: Fetch = async (request) => {
    if (request.path === '3..3') throw new FirnError(code, 'said');
    return fetchOf(chain)(request);
  };
  expect(await read({}, refusing)).toMatchObject({ outcome, heights: [0, 1, 2, 4, 5] });
});

test('the signal ends it behind the ranges under way', async () => {
  const { chain, read } = await setUp(99);
  const stop = new AbortController();
  const fetch: Fetch = async (request) => {
    if (request.path === '4..7') stop.abort();
    return fetchOf(chain)(request);
  };
  const stopped = await read({}, fetch, stop.signal);
  expect(stopped).toMatchObject({ outcome: 'done', heights: span(0, 8), position: { next: 8 } });
});
