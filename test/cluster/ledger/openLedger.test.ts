import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Lease, Ledger, LedgerCommit, Note, ReadOutcome } from '../../../src/cluster/contract.ts';
import type { Control } from '../../../src/cluster/ledger/control.ts';
import { copyNotes } from '../../../src/cluster/ledger/copyNotes.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { toReplay } from '../../../src/cluster/ledger/partitions.ts';
import { readOutcomes } from '../../../src/cluster/ledger/readProgress.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { noNotes } from '../modelLedger.ts';
import { freshDatabase } from '../postgres.ts';

let url: string;
let control: Control;
let ledger: Ledger;
beforeAll(async () => {
  url = await freshDatabase();
  control = await openControl(url);
  ledger = await openLedger(control);
});
afterAll(() => ledger.close());

const ms = 60_000;
const take = async (of: Pick<Lease, 'stream' | 'partition'>, owner = 'one') => {
  const held = await ledger.lease({ owner, ms, partitions: [of] });
  if (!held) throw new Error(`nothing of ${of.stream} to lease`);
  return held;
};

/** Commits positions up to `to`; the first row names `parent`, the last one is `id`. */
async function commit(
  held: Lease,
  to: number,
  { parent = null as string | null, id = null as string | null, ...more } = {},
) {
  const batch = await ledger.nextBatch();
  const file = { table: `raw.${held.stream}`, uri: `${held.stream}/${batch}`, rows: 1, bytes: 1, sha256: '00' };
  const made: LedgerCommit = {
    id: batch,
    from: held.cursor,
    to: { next: to },
    files: [file],
    notes: noNotes,
    ends: { parent, id, tip: { number: to - 1 } },
    ...more,
  };
  return ledger.commit(held, made);
}

/** A partition of positions from 0 that is divided in stretches of ten. */
async function divided(stream: string, last: number) {
  const of = { stream, partition: 'all' };
  await ledger.enlist([of]);
  const whole = await take(of);
  await ledger.divide(whole, { first: 0, last, size: 10 });
  await ledger.release(whole, { dueInMs: 0 });
  return of;
}

/** Every part of it, held: the stretches in order, and the one that stands for the whole. */
async function takeAll(of: Pick<Lease, 'stream' | 'partition'>) {
  const held: Lease[] = [];
  for (let one: Lease | null = await take(of); one; one = await ledger.lease({ owner: 'one', ms, partitions: [of] }))
    held.push(one);
  const whole = held.find(({ range }) => !range) as Lease;
  return { whole, stretches: held.filter((one) => one !== whole) as [Lease, Lease, Lease] };
}

/** How many statements wait for a lock. */
async function waiting(): Promise<number> {
  const [row] = await control.query<{ held: string }>(
    `SELECT count(*) AS held FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
  );
  return Number(row?.held);
}

const partitionRow = async (stream: string) =>
  (await control.query('SELECT joined_to, divided_to, tip FROM firn.partition WHERE stream = $1', [stream]))[0];

test('twenty workers that ask at once get twenty parts', async () => {
  const of = await divided('many', 199);
  const held = await Promise.all(
    Array.from({ length: 21 }, (_, i) => ledger.lease({ owner: `w${i}`, ms, partitions: [of] })),
  );
  expect(new Set(held.map((one) => one?.part)).size).toBe(21);
  expect(await ledger.lease({ owner: 'late', ms, partitions: [of] })).toBeNull();
});

test('a part that is being committed to keeps nobody from the next one', async () => {
  const of = await divided('skipped', 19);
  await control.transaction(async (sql) => {
    await sql.query(
      `SELECT 1 FROM firn.part WHERE stream = 'skipped' AND first_position IS DISTINCT FROM 10 FOR UPDATE`,
    );
    expect((await take(of)).range?.first).toBe(10);
  });
});

test('of ten commits of one cursor one is done, with all that belongs to it', async () => {
  const of = await divided('raced', 9);
  const {
    stretches: [held],
  } = await takeAll(of);
  const said = await Promise.all(Array.from({ length: 10 }, () => commit(held, 5)));
  expect(said.sort()).toEqual([...Array<string>(9).fill('fenced'), 'ok']);
  expect(await ledger.pending('raw.raced', 10)).toHaveLength(1);
});

test('stretches that end out of order are joined in order, and what is new is divided on from there', async () => {
  const of = await divided('ordered', 24);
  const {
    whole,
    stretches: [a, b, c],
  } = await takeAll(of);
  for (const [held, to, parent, id] of [
    [c, 25, '19', '24'],
    [b, 20, '9', '19'],
  ] as const) {
    expect(await commit(held, to, { parent, id })).toBe('ok');
    expect(await ledger.release(held, { dueInMs: 0 })).toBe('ok');
    expect(await partitionRow('ordered')).toMatchObject({ joined_to: '0', tip: null });
  }
  await commit(a, 10, { id: '9' });
  await ledger.release(a, { dueInMs: 0 });
  expect(await partitionRow('ordered')).toMatchObject({ joined_to: '25', tip: { id: '24', row: { number: 24 } } });
  await ledger.divide(whole, { first: 0, last: 30, size: 10 });
  await ledger.release(whole, { dueInMs: 0 });
  expect((await takeAll(of)).stretches[0]).toMatchObject({
    range: { first: 25, last: 30 },
    cursor: null,
    tip: { number: 24 },
  });
});

test('a stretch of another chain is not joined, and the error says where', async () => {
  const of = await divided('forked', 19);
  const {
    stretches: [a, b],
  } = await takeAll(of);
  await commit(b, 20, { parent: 'other', id: '19' });
  await ledger.release(b, { dueInMs: 0 });
  await commit(a, 10, { id: '9' });
  await expect(ledger.release(a, { dueInMs: 0 })).rejects.toMatchObject({
    code: 'contract',
    message: expect.stringContaining('position 10 does not follow 9'),
  });
  expect(await partitionRow('forked')).toMatchObject({ joined_to: '10' });
  // As long as the partition is read.
  await control.query(`UPDATE firn.part SET due_at = now() - interval '3 days' WHERE stream = 'forked' AND is_done`);
  expect((await readOutcomes(control)).last.find(({ stream }) => stream === 'forked')).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining('position 10 does not follow 9'),
  });
});

test.each([
  ['whose last position has no row has no name there', 11, null],
  ['that does not move keeps the name', 10, '9'],
])('a part after a batch without rows %s', async (_, to, id) => {
  const of = { stream: `tip ${to}`, partition: 'all' };
  await ledger.enlist([of]);
  const held = await take(of);
  await commit(held, 10, { id: '9' });
  const cursor = { next: 10 };
  expect(await commit({ ...held, cursor }, to, { ends: undefined } as never)).toBe('ok');
  expect(await control.query('SELECT tip FROM firn.part WHERE stream = $1', [of.stream])).toEqual([
    { tip: { id, row: { number: 9 } } },
  ]);
});

test('a part that is given back before its end goes on where it stood, after the wait', async () => {
  const of = { stream: 'paged', partition: 'address=0x1' };
  await ledger.enlist([of]);
  const held = await take(of);
  await commit(held, 7);
  await ledger.release(held, { dueInMs: 3_600_000, problem: 'the source is down' });
  // Who gave it back has no say in it any more.
  expect(await ledger.release(held, { dueInMs: 0 })).toBe('fenced');
  expect(await ledger.lease({ owner: 'one', ms, partitions: [of] })).toBeNull();
  expect(await control.query('SELECT problem FROM firn.part WHERE stream = $1', ['paged'])).toEqual([
    { problem: 'the source is down' },
  ]);
  await control.query(`UPDATE firn.part SET due_at = now() WHERE stream = 'paged'`);
  expect(await take(of, 'two')).toMatchObject({ owner: 'two', cursor: { next: 7 }, tip: { number: 6 } });
});

test('what a load tells is there once, and a record that comes again is counted', async () => {
  const of = { stream: 'noted', partition: 'all' };
  await ledger.enlist([of]);
  const held = await take(of);
  const at = '2026-01-20 00:00:00.123456';
  const entry = {
    load_id: 1,
    number: 0,
    ...of,
    reason: 'bad',
    record: '{"ä":"\\u0000"}',
    record_hash: 'ab',
    record_key: '["1"]',
  };
  const quarantine = [{ ...entry, times_seen: 2, quarantined_at: at, last_seen_at: at, last_load_id: 1 }];
  const gap = [{ ...of, from_position: 1, to_position: 2, load_id: 1 }];
  const schema_change = [{ stream: 'noted', member: 'new', example: '1', load_id: 1, seen_at: at }];
  const counts = { pages: 1, rows_in: '9007199254740993', rows_written: 1, rows_quarantined: 1, bytes: 1 };
  const load = {
    load_id: 9_000_001,
    run_id: 'r',
    ...of,
    request: 'GET /',
    ...counts,
    position_from: null,
    position_to: '{"next":1}',
    committed_at: at,
  };
  const notes = { load: [load], quarantine, gap, schema_change, lookup: [] };
  expect(await commit(held, 1, { notes } as never)).toBe('ok');
  expect(await commit({ ...held, cursor: { next: 1 } }, 2, { notes: { ...notes, load: [] } } as never)).toBe('ok');
  expect(await commit(held, 3, { notes: { ...notes, load: [] } } as never)).toBe('fenced');
  // A worker's clock may be anywhere.
  const noted = `SELECT rows_in, abs(extract(epoch FROM (now() AT TIME ZONE 'UTC') - committed_at)) < 3600 AS is_now FROM firn.load WHERE stream = 'noted'`;
  expect(await control.query(noted)).toEqual([{ rows_in: '9007199254740993', is_now: true }]);
  const times = `SELECT min(at)::date > '${at}' AS is_later FROM (SELECT unnest(ARRAY[quarantined_at, last_seen_at]) AS at FROM firn.quarantine WHERE stream = 'noted'
    UNION ALL SELECT seen_at FROM firn.schema_change WHERE stream = 'noted') AS told`;
  expect(await control.query(times)).toEqual([{ is_later: true }]);
  expect(await control.query('SELECT record, times_seen FROM firn.quarantine WHERE stream = $1', ['noted'])).toEqual([
    { record: entry.record, times_seen: '4' },
  ]);
  expect(await control.query('SELECT count(*) FROM firn.schema_change')).toEqual([{ count: '1' }]);
});

test('a record that a batch reads after all is resolved in its partition, once', async () => {
  const parts = ['here', 'there'].map((partition) => ({ stream: 'resolved', partition }));
  await ledger.enlist(parts);
  const [here = {} as Lease, there = {} as Lease] = await Promise.all(parts.map((of) => take(of)));
  const at = '2026-01-20';
  const entryOf = (of: object) => ({ load_id: 1, number: 0, ...of, reason: 'bad', record: '{}', record_hash: 'a' });
  for (const held of [here, there]) {
    const { stream, partition } = held;
    const seen = { times_seen: 1, quarantined_at: at, last_seen_at: at, last_load_id: 1 };
    const quarantine = [{ ...entryOf({ stream, partition }), ...seen }];
    expect(await commit(held, 1, { notes: { ...noNotes, quarantine } } as never)).toBe('ok');
  }
  const resolved = () =>
    control.query('SELECT partition, replayed_at::text AS at FROM firn.quarantine WHERE stream = $1 ORDER BY 1', [
      'resolved',
    ]);
  expect(await commit({ ...here, cursor: { next: 1 } }, 2, { resolved: ['a'] } as never)).toBe('ok');
  const once = await resolved();
  expect(once).toMatchObject([
    { partition: 'here', at: expect.any(String) },
    { partition: 'there', at: null },
  ]);
  expect(await commit({ ...here, cursor: { next: 2 } }, 3, { resolved: ['a'] } as never)).toBe('ok');
  expect(await resolved()).toEqual(once);
});

test('of what was noted as missing no more is forgotten than a batch reads, and no less', async () => {
  const of = await divided('missing', 29);
  const { stretches } = await takeAll(of);
  await control.query(`INSERT INTO firn.gap (stream, partition, from_position, to_position, load_id)
    VALUES ('missing', 'all', 0, 0, 1), ('missing', 'all', 5, 9, 1)`);
  expect(await commit(stretches[0], 6)).toBe('ok');
  expect(await control.query("SELECT from_position, to_position FROM firn.gap WHERE stream = 'missing'")).toEqual([
    { from_position: '6', to_position: '9' },
  ]);
});

test('who takes a part over is given what the last batch that said so wants to be remembered', async () => {
  const of = { stream: 'remembering', partition: 'all' };
  await ledger.enlist([of]);
  const held = await take(of);
  const memory = [{ table: 'raw.remembering', uri: 'x' }];
  expect(await commit(held, 1, { memory } as never)).toBe('ok');
  expect(await commit({ ...held, cursor: { next: 1 } }, 2)).toBe('ok');
  await ledger.release(held, { dueInMs: 0 });
  expect((await take(of)).memory).toMatchObject(memory);
});

test('batches that meet the same new members in another order do not wait for each other', async () => {
  const parts = ['forward', 'back'].map((partition) => ({ stream: 'members', partition }));
  await ledger.enlist(parts);
  const bringing = async (of: (typeof parts)[number], members: readonly string[]) => {
    const held = await take(of);
    const change = { stream: 'members', example: '1', load_id: 1, seen_at: '2026-01-01' };
    const notes = { ...noNotes, schema_change: members.map((member) => ({ ...change, member })) };
    return commit(held, 1, { notes } as never);
  };
  // Each has written its first member, unless it waits for the other one, and waits for the second.
  let both = Promise.resolve<unknown>(undefined);
  await control.transaction(async (sql) => {
    await sql.query(`INSERT INTO firn.schema_change VALUES ('members', 'b', '1', 1, '2026-01-01')`);
    both = Promise.all(parts.map((of, i) => bringing(of, i === 0 ? ['a', 'b', 'c'] : ['c', 'b', 'a'])));
    await vi.waitFor(async () => expect(await waiting()).toBe(2), 10_000);
  });
  expect(await both).toEqual(['ok', 'ok']);
});

test('a commit that cannot be done whole leaves nothing', async () => {
  const of = { stream: 'broken', partition: 'all' };
  await ledger.enlist([of]);
  const held = await take(of);
  const notes = { ...noNotes, load: [{ load_id: 5, stream: 'broken' }] };
  await expect(commit(held, 1, { notes } as never)).rejects.toThrow(/null value/);
  expect(await ledger.pending('raw.broken', 10)).toEqual([]);
  expect(await commit(held, 1)).toBe('ok');
});

test('files that were applied are not pending any more, and only those', async () => {
  const of = { stream: 'applied', partition: 'all' };
  await ledger.enlist([of]);
  let held = await take(of);
  for (const to of [1, 2, 3]) {
    await commit(held, to);
    held = { ...held, cursor: { next: to } };
  }
  const [first, , third] = await ledger.pending('raw.applied', 10);
  await ledger.applied('raw.applied', [first?.id as number, third?.id as number]);
  await ledger.applied('raw.applied', [first?.id as number]);
  await ledger.applied('raw.other', [(first?.id as number) + 1]);
  expect((await ledger.pending('raw.applied', 10)).map(({ id }) => id)).toEqual([(first?.id as number) + 1]);
  expect(await ledger.pendingTables()).toContain('raw.applied');
  const hour = 3_600_000;
  expect(await ledger.pendingTables({ bytes: 2, ms: hour })).not.toContain('raw.applied');
  expect(await ledger.pendingTables({ bytes: 1, ms: hour })).toContain('raw.applied');
  expect(await ledger.pendingTables({ bytes: 2, ms: 0 })).toContain('raw.applied');
  // The oldest one says how long it has waited.
  held = { ...held, cursor: { next: 3 } };
  await control.query(
    `UPDATE firn.batch_file SET committed_at = now() - interval '2 hours' WHERE table_name = 'raw.applied'`,
  );
  await commit(held, 4);
  expect(await ledger.pendingTables({ bytes: 9, ms: hour })).toContain('raw.applied');
});

test('a file that was applied is so since it was first noted, however often that is repeated', async () => {
  const of = { stream: 'applied_once', partition: 'all' };
  await ledger.enlist([of]);
  await commit(await take(of), 1);
  const [file] = await ledger.pending('raw.applied_once', 1);
  const since = async () => {
    await ledger.applied('raw.applied_once', [file?.id as number]);
    return control.query(`SELECT applied_at FROM firn.batch_file WHERE table_name = 'raw.applied_once'`);
  };
  expect(await since()).toEqual(await since());
});

test('of files that wait the newest one of some partitions is found, and none of others', async () => {
  const loads = [
    [800_001, 'newest', 'a'],
    [800_002, 'newest', 'a'],
    [800_003, 'newest', 'a'],
    [800_004, 'newest', 'b'],
    [800_005, 'another', 'a'],
    [800_006, 'newest', 'a'],
  ];
  for (const [id, stream, partition] of loads)
    await control.query(
      `INSERT INTO firn.load (load_id, run_id, stream, partition, pages, rows_in, rows_written, rows_quarantined, bytes, committed_at)
       VALUES ($1, '', $2, $3, 1, 1, 1, 0, 1, now())`,
      [id, stream, partition],
    );
  // The last one is of no load: it was moved here.
  await control.query(
    `INSERT INTO firn.batch_file (batch_id, table_name, uri, rows, bytes, sha256, applied_at)
     SELECT id, CASE id WHEN 800006 THEN 'raw.newest_kids' ELSE 'raw.newest' END, 'newest/' || id, 1, 1, '', CASE id WHEN 800003 THEN now() END
     FROM generate_series(800001, 800007) AS id`,
  );
  const newest = (...partitions: string[]) =>
    ledger.newestPending({ table: 'raw.newest', stream: 'newest', partitions });
  expect(await newest('a', 'c')).toMatchObject({ id: 800_002, uri: 'newest/800002', table: 'raw.newest' });
  expect(await newest('c')).toBeUndefined();
});

test('files keep their columns until they are applied, each list of them once', async () => {
  const of = { stream: 'columns', partition: 'all' };
  await ledger.enlist([of]);
  let held = await take(of);
  const each = [['a', 'b'], ['a', 'b'], ['a, "b"'], undefined];
  for (const [i, columns] of each.entries()) {
    const file = { table: 'raw.columns', uri: `columns/${i}`, rows: 1, bytes: 1, sha256: '00' };
    await commit(held, i + 1, { files: [{ ...file, ...(columns && { columns }) }] } as never);
    held = { ...held, cursor: { next: i + 1 } };
  }
  expect((await ledger.pending('raw.columns', 10)).map(({ columns }) => columns)).toEqual(each);
  expect(await control.query('SELECT names FROM firn.file_columns ORDER BY 1')).toHaveLength(2);
});

test('work of one name is done by one at a time', async () => {
  const other = await openLedger(await openControl(url));
  const within = await ledger.alone('apply raw.x', async () => [
    await other.alone('apply raw.x', async () => 'both'),
    await other.alone('apply raw.y', async () => 'another'),
  ]);
  expect(within).toEqual([undefined, 'another']);
  expect(await other.alone('apply raw.x', async () => 'free again')).toBe('free again');
  await other.close();
});

test('partitions take turns, however many stretches one of them has', async () => {
  const long = await divided('long', 99);
  const short = { stream: 'short', partition: 'all' };
  await ledger.enlist([short]);
  const order: string[] = [];
  for (let i = 0; i < 4; i++) {
    const held = await ledger.lease({ owner: 'one', ms, partitions: [long, short] });
    order.push(`${held?.stream} ${held?.range?.first ?? 'whole'}`);
    if (held) await ledger.release(held, { dueInMs: 0 });
  }
  expect(order.filter((one) => one === 'short whole')).toHaveLength(2);
});

test('work of a process that stands still is taken over once its lease is over', async () => {
  const within = await ledger.alone('apply raw.z', async (assertHeld) => {
    await assertHeld();
    await control.query(`UPDATE firn.task SET lease_until = now() - interval '1 second' WHERE name = 'apply raw.z'`);
    return ledger.alone('apply raw.z', async (assertTaken) => {
      await assertTaken();
      await expect(assertHeld()).rejects.toMatchObject({ code: 'locked' });
      return 'taken over';
    });
  });
  expect(within).toBe('taken over');
});

test('a worker that slept for hours does not go on, though nobody took its part: its files may be swept', async () => {
  const of = { stream: 'slept', partition: 'all' };
  await ledger.enlist([of]);
  const held = await take(of);
  const over = (ago: string) =>
    control.query(`UPDATE firn.part SET lease_until = now() - interval '${ago}' WHERE id = ${held.part}`);
  await over('50 minutes');
  expect(await ledger.renew(held, ms)).toBe('ok');
  await over('7 hours');
  expect(await ledger.renew(held, ms)).toBe('fenced');
  expect(await commit(held, 5)).toBe('fenced');
  expect(await ledger.release(held, { dueInMs: 0 })).toBe('ok');
  expect(await commit(await take(of), 5)).toBe('ok');
});

test('a server that took over without the newest leases does not take who has one for its next holder', async () => {
  const of = { stream: 'failed_over', partition: 'all' };
  await ledger.enlist([of]);
  const [before] = await control.query<{ epoch: string }>("SELECT epoch FROM firn.part WHERE stream = 'failed_over'");
  const lost = await take(of);
  await control.query(
    `UPDATE firn.part SET epoch = $1, owner = NULL, lease_until = '-infinity' WHERE stream = 'failed_over'`,
    [before?.epoch],
  );
  const held = await take(of);
  expect(held.part).toBe(lost.part);
  expect(await ledger.renew(lost, ms)).toBe('fenced');
  expect(await commit(lost, 5)).toBe('fenced');
  expect(await commit(held, 5)).toBe('ok');
  await ledger.alone('failed over', async (assertHeld) => {
    await control.query(`DELETE FROM firn.task WHERE name = 'failed over'`);
    await ledger.alone('failed over', () => expect(assertHeld()).rejects.toMatchObject({ code: 'locked' }));
  });
});

test('what is read beside a partition ends with its part, whose position alone becomes what came of it', async () => {
  const of = { stream: 'beside', partition: 'all' };
  await ledger.enlist([of]);
  await commit(await take(of), 5);
  const beside = async (name: string) => (await ledger.leaseWhole({ ...of, owner: 'one', ms, beside: name })) as Lease;
  const [held, other] = [await beside('again'), await beside('other')];
  expect(await ledger.handOut(held, { first: 0, last: 4, size: 3 })).toBe('ok');
  const parts = () =>
    control.query(
      `SELECT beside, first_position AS f, last_position AS l, cursor FROM firn.part WHERE stream = 'beside' ORDER BY beside, first_position NULLS FIRST`,
    );
  const rest = [
    { beside: 'other', f: null, l: null, cursor: null },
    { beside: null, f: null, l: null, cursor: '{"next":7}' },
    { beside: null, f: '0', l: '2', cursor: null },
    { beside: null, f: '3', l: '4', cursor: null },
  ];
  const next = (position: Lease['cursor']) => position && { next: Number(position['next']) + 2 };
  expect(await ledger.endBeside(held, next, '2026-01-01')).toBe('ok');
  expect(await parts()).toEqual(rest);
  expect(other.begun).toBeNull();
  // One that is late changes nothing any more.
  const late = { ...other, epoch: other.epoch - 1 };
  expect(await ledger.endBeside(late, next, '2026-02-02')).toBe('fenced');
  expect(await ledger.handOut(late, { first: -5, last: -1, size: 5 })).toBe('fenced');
  expect(await parts()).toEqual(rest);
  expect((await ledger.leaseWhole({ ...of, owner: 'one', ms, beside: 'third' }))?.begun).toBe('2026-01-01');
});

test('what a worker commits while a read beside it ends is what that goes on from', async () => {
  const of = { stream: 'beside_late', partition: 'all' };
  await ledger.enlist([of]);
  const held = (await ledger.leaseWhole({ ...of, owner: 'one', ms, beside: 'again' })) as Lease;
  let ending = Promise.resolve<unknown>(undefined);
  await control.transaction(async (sql) => {
    await sql.query(`UPDATE firn.part SET cursor = '{"next":9}' WHERE stream = 'beside_late' AND beside IS NULL`);
    ending = ledger.endBeside(held, (position) => position ?? { next: 1 });
    await vi.waitFor(async () => expect(await waiting()).toBe(1), 10_000);
  });
  expect(await ending).toBe('ok');
  expect((await ledger.standsAt(of)).cursor).toEqual({ next: 9 });
});

test.each<[what: string, late: (held: Lease) => Promise<unknown>]>([
  ['gives back', (held) => ledger.release(held, { dueInMs: 0 })],
  ['commits', (held) => commit(held, 5)],
])('who %s at the moment at which another one takes over is refused', async (what, late) => {
  const of = { stream: `taken over ${what}`, partition: 'all' };
  await ledger.enlist([of]);
  const held = await take(of);
  let said = Promise.resolve<unknown>(undefined);
  await control.transaction(async (sql) => {
    await sql.query(`UPDATE firn.part SET epoch = epoch + 1, owner = 'two' WHERE id = $1`, [held.part]);
    said = late(held);
    await vi.waitFor(async () => expect(await waiting()).toBe(1), 10_000);
  });
  expect(await said).toBe('fenced');
  expect(await control.query('SELECT owner, cursor FROM firn.part WHERE id = $1', [held.part])).toEqual([
    { owner: 'two', cursor: null },
  ]);
});

test('stretches that end at one moment are joined', async () => {
  const of = await divided('at_once', 19);
  const {
    stretches: [a, b],
  } = await takeAll(of);
  await commit(a, 10, { id: '9' });
  // The first batch of a stretch says what it follows.
  await commit(b, 15, { parent: '9', id: '14' });
  await commit({ ...b, cursor: { next: 15 } }, 20, { parent: '14', id: '19' });
  let ending = Promise.resolve<unknown>(undefined);
  await control.transaction(async (sql) => {
    await sql.query(`SELECT 1 FROM firn.partition WHERE stream = 'at_once' FOR UPDATE`);
    ending = Promise.all([a, b].map((held) => ledger.release(held, { dueInMs: 0 })));
    await vi.waitFor(async () => expect(await waiting()).toBe(2), 10_000);
  });
  expect(await ending).toEqual(['ok', 'ok']);
  expect(await partitionRow('at_once')).toMatchObject({ joined_to: '20' });
});

test('one that is late does not say from where on the partition of another is read', async () => {
  const of = { stream: 'begun', partition: 'all' };
  await ledger.enlist([of]);
  const late = await take(of);
  await control.query(`UPDATE firn.part SET lease_until = now() - interval '1 second' WHERE id = ${late.part}`);
  await ledger.begin(await take(of, 'other'), '2026-03-01');
  await ledger.begin(late, '2026-01-01');
  expect((await ledger.leaseWhole({ ...of, owner: 'one', ms, beside: 'again' }))?.begun).toBe('2026-03-01');
});

test('what the clock of the control database was set back from is not waited for', async () => {
  const of = { stream: 'set_back', partition: 'all' };
  await ledger.enlist([of]);
  const held = await take(of);
  await ledger.alone('set back', async () => {
    const ahead = `interval '1 day'`;
    await control.query(`UPDATE firn.part SET lease_until = lease_until + ${ahead} WHERE id = $1`, [held.part]);
    await control.query(`UPDATE firn.task SET lease_until = lease_until + ${ahead} WHERE name = 'set back'`);
    expect(await ledger.alone('set back', async () => 'mine')).toBe('mine');
    const again = await take(of, 'two');
    expect(again.part).toBe(held.part);
    await ledger.release(again, { dueInMs: 1_000 });
    expect(await ledger.lease({ owner: 'one', ms, partitions: [of] })).toBeNull();
    await control.query(`UPDATE firn.part SET due_at = due_at + ${ahead} WHERE id = $1`, [held.part]);
    expect((await take(of)).part).toBe(held.part);
  });
});

test('the newest version is the one that counts', async () => {
  expect(await ledger.version()).toBeUndefined();
  const first = await ledger.publish({ 'mart.metric': '2' });
  const snapshots = { 'mart.metric': '9007199254740993' };
  expect(await ledger.version()).toEqual(first);
  expect(await ledger.publish(snapshots)).toMatchObject({ snapshots });
  expect(await ledger.version()).toMatchObject({ snapshots });
  for (let i = 0; i < 110; i++) await ledger.publish(snapshots);
  expect(await control.query('SELECT count(*) FROM firn.version')).toEqual([{ count: '100' }]);
  expect(await ledger.version()).toMatchObject({ snapshots });
  expect(first.publishedAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

test('a renewal that comes after work has ended holds nothing', async () => {
  let late: (() => Promise<unknown>) | undefined;
  const slow: Control = {
    ...control,
    async query(text: string, values: readonly unknown[] = []) {
      if (!late && /^UPDATE firn.task/.test(text)) {
        late = () => control.query(text, values);
        return [];
      }
      return control.query(text, values);
    },
  } as Control;
  const overtaken = await openLedger(slow);
  await overtaken.alone('late', async (assertHeld) => assertHeld().catch(() => {}));
  await late?.();
  expect(await ledger.alone('late', async () => 'mine')).toBe('mine');
});

test('what a part failed with stays beside its outcome until it is read again, whatever a replay commits', async () => {
  const of = { stream: 'replayed', partition: 'all' };
  await ledger.enlist([of]);
  const told = async (result?: ReadOutcome, problem?: string) => {
    const held = await take(of);
    expect(await commit(held, Number(held.cursor?.['next'] ?? 0) + 1)).toBe('ok');
    await ledger.release(held, { dueInMs: 0, problem, result });
    return (await control.query('SELECT outcome, problem FROM firn.part WHERE stream = $1', [of.stream]))[0];
  };
  const failed = { outcome: 'failed', problem: 'why' };
  expect(await told({ outcome: 'failed' }, 'why')).toEqual(failed);
  expect(await told()).toEqual(failed);
  expect(await told({ outcome: 'done' })).toEqual({ outcome: 'done', problem: null });
});

test('a lookup that left keys was not read to its end', async () => {
  const of = { stream: 'left', partition: 'all' };
  await ledger.enlist([of]);
  const isRead = async (result: ReadOutcome) => {
    await ledger.release(await take(of), { dueInMs: 0, result });
    return (await control.query(`SELECT read_at IS NOT NULL AS is_read FROM firn.part WHERE stream = 'left'`))[0];
  };
  expect(await isRead({ outcome: 'done', behind: 3 })).toEqual({ is_read: false });
  expect(await isRead({ outcome: 'done' })).toEqual({ is_read: true });
});

test('records that wait are told without what they say, and what they say some at a time', async () => {
  const of = { stream: 'waiting', partition: 'all' };
  await control.query(
    `INSERT INTO firn.quarantine (load_id, number, stream, partition, reason, record, record_hash, times_seen, quarantined_at, last_seen_at, last_load_id, position)
     SELECT 1, 0, 'waiting', 'all', 'why', 'says ' || n + 100, n::text, 1, '2026-01-01', '2026-01-01', 1, n FROM generate_series(1, 205) AS n`,
  );
  const light = await ledger.waiting(of);
  expect(light[100]).toMatchObject({ record: '', position: '101' });
  const ids = light.map(({ id }) => BigInt(id as string));
  expect(await ledger.records(ids.slice(100, 102))).toEqual(
    new Map([
      [ids[100], 'says 201'],
      [ids[101], 'says 202'],
    ]),
  );
  const all = light.map((entry, i) => ({ ...entry, record: `says ${i + 101}` }));
  for (const [limits, sizes] of [
    [{ records: 100, bytes: 1e6 }, [100, 100, 5, 0]],
    [{ records: 1000, bytes: 8 * 90 }, [90, 90, 25, 0]],
    [{ records: 1000, bytes: 1 }, Array(205).fill(1).concat(0)],
    [undefined, [205, 0]],
  ] as const) {
    const pages: Note[][] = [];
    for (let after = 0; after >= 0; after = Number(pages.at(-1)?.at(-1)?.['id'] ?? -1))
      pages.push(await toReplay(control, of, after, limits));
    expect(pages.map(({ length }) => length)).toEqual(sizes);
    expect(pages.flat()).toEqual(all);
  }
});

test('keys are asked for again at most every hour, whichever of them any worker asked for', async () => {
  const of = { stream: 'asked_again', partition: 'all' };
  const askable = async (...keys: readonly string[]) => {
    const found = await ledger.toAskAgain(of, keys, { most: 32, runs: 2, ms: 3_600_000 });
    return found.map(({ key, asked }) => [key, asked]).sort();
  };
  // Those of another partition are asked for by themselves.
  await control.query(
    `INSERT INTO firn.load (load_id, run_id, stream, partition, pages, rows_in, rows_written, rows_quarantined, bytes, committed_at)
     VALUES (900002, '', 'asked_again', 'other', 0, 0, 0, 0, 0, now() AT TIME ZONE 'UTC')`,
  );
  await control.query(
    `INSERT INTO firn.lookup (stream, partition, key, outcome, load_id) VALUES ('asked_again', 'other', '2', '1', 900002)`,
  );
  expect(await askable('1', '2')).toEqual([
    ['1', null],
    ['2', null],
  ]);
  await control.query(
    `INSERT INTO firn.load (load_id, run_id, stream, partition, pages, rows_in, rows_written, rows_quarantined, bytes, committed_at)
     VALUES (900001, '', 'asked_again', 'all', 0, 0, 0, 0, 0, now() AT TIME ZONE 'UTC' - interval '59 minutes')`,
  );
  await control.query(
    `INSERT INTO firn.lookup (stream, partition, key, outcome, load_id) VALUES ('asked_again', 'all', '1', '1', 900001)`,
  );
  expect(await askable('1', '2')).toEqual([]);
  await control.query(`UPDATE firn.load SET committed_at = committed_at - interval '2 minutes' WHERE load_id = 900001`);
  expect(await askable('1', '2')).toEqual([
    ['1', '1'],
    ['2', null],
  ]);
  await control.query(`UPDATE firn.lookup SET outcome = '2' WHERE stream = 'asked_again'`);
  expect(await askable('1', '2')).toEqual([['2', null]]);
});

test('records in quarantine are copied some at a time', async () => {
  const sizes: number[] = [];
  const counting = {
    async query<R extends object>(sql: string) {
      const rows = await control.query<R & { held: string }>(sql);
      sizes.push(Number(rows[0]?.held));
      return rows;
    },
  };
  await control.query(
    `INSERT INTO firn.quarantine (load_id, number, stream, partition, reason, record, record_hash, times_seen, quarantined_at, last_seen_at, last_load_id)
     SELECT 1, 0, 'copied', 'all', 'why', 'says ' || n, n::text, 1, '2026-01-01', '2026-01-01', 1 FROM generate_series(1, 205) AS n`,
  );
  const scratch = await temporaryWarehouse([]);
  await copyNotes(counting, scratch, 'quarantine', 'id');
  expect(Math.max(...sizes)).toBe(100);
  const copied = `SELECT count(*)::INTEGER AS held FROM firn.quarantine WHERE stream = 'copied' AND record = 'says ' || record_hash`;
  expect(await scratch.query(copied)).toEqual([{ held: 205 }]);
});
