import { expect, onTestFinished, test } from 'vitest';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { freshDatabase } from '../postgres.ts';

const [one, other, list, late, none] = [
  { stream: 'heights', partition: 'one' },
  { stream: 'heights', partition: 'other' },
  { stream: 'list', partition: 'one' },
  { stream: 'list', partition: 'other' },
  { stream: 'list', partition: 'none' },
];

/** Two partitions by position, with stretches above and below, and two lists, one with a backfill; loads 1 to 3 are of the first. */
const held = `
  INSERT INTO firn.partition (stream, partition, joined_to, tip) VALUES
    ('heights', 'one', 30, '{"id": "x", "row": {"number": 29}}'), ('heights', 'other', 7, NULL), ('list', 'one', NULL, NULL), ('list', 'other', NULL, NULL);
  INSERT INTO firn.part (stream, partition, beside, first_position, last_position, cursor, read_at) VALUES
    ('heights', 'one', NULL, NULL, NULL, NULL, '2026-01-02Z'), ('heights', 'one', NULL, 30, 39, '{"next":31}', NULL),
    ('heights', 'one', NULL, 0, 4, '{"next":2}', NULL), ('heights', 'one', 'backfill', NULL, NULL, '{"next":99}', NULL),
    ('heights', 'other', NULL, NULL, NULL, NULL, '2026-06-07Z'), ('heights', 'other', NULL, 2, 2, NULL, NULL), ('heights', 'other', NULL, 3, 3, NULL, NULL),
    ('heights', 'other', NULL, 7, 9, NULL, NULL), ('list', 'other', NULL, NULL, NULL, '{"next":8}', NULL),
    ('list', 'one', NULL, NULL, NULL, '{"next":5}', NULL), ('list', 'one', 'backfill', NULL, NULL, '{"next":1}', NULL);
  INSERT INTO firn.load (load_id, run_id, stream, partition, pages, rows_in, rows_written, rows_quarantined, bytes, position_from, position_to, committed_at) VALUES
    (1, '', 'heights', 'one', 1, 1, 3, 0, 1, NULL, '{"next":3}', '2026-02-01 03:04'), (2, '', 'heights', 'one', 1, 0, 0, 0, 1, '{"next":3}', '{"next":3}', '2026-02-01 01:00'),
    (3, '', 'heights', 'one', 1, 0, 0, 0, 1, NULL, NULL, '2026-03-01 00:00'), (4, '', 'heights', 'other', 1, 1, 1, 0, 1, NULL, '{"next":7}', '2026-05-05 00:00');
  INSERT INTO firn.quarantine (load_id, number, stream, partition, reason, record, record_hash, times_seen, quarantined_at, last_seen_at, last_load_id, position, replayed_at)
    SELECT 1, 0, 'heights', p, '', '', position, 1, '2026-01-01', '2026-01-01', 1, position, replayed::timestamp
    FROM (VALUES ('one', 12, NULL), ('one', 13, '2026-01-02'), ('other', 1, NULL)) AS v (p, position, replayed)`;

test('what is asked of a partition is told of it alone', async () => {
  const control = await openControl(await freshDatabase());
  onTestFinished(() => control.close());
  const ledger = await openLedger(control);
  await control.query(held);
  const of = async (each: (of: typeof one) => Promise<unknown>) =>
    Promise.all([one, other, list, late, none].map(each));
  expect(await of(ledger.standsAt)).toEqual([
    { cursor: { next: 30 }, tip: { number: 29 }, partFrom: null },
    { cursor: { next: 7 }, tip: null, partFrom: null },
    { cursor: { next: 5 }, tip: null, partFrom: null },
    { cursor: { next: 8 }, tip: null, partFrom: null },
    { cursor: null, tip: null, partFrom: null },
  ]);
  expect(await of(ledger.handedOut)).toEqual([
    { lowest: 12, open: 1 },
    { lowest: 1, open: 2 },
    { lowest: null, open: 0 },
    { lowest: null, open: 0 },
    { lowest: null, open: 0 },
  ]);
  // A look that brought nothing is none.
  expect(await of(ledger.readUntil)).toEqual(['2026-02-01 03:04', '2026-06-07 00:00', null, null, null]);
  expect(await of(ledger.wasRead)).toEqual([true, true, false, false, false]);
  expect(await of((each) => ledger.loadsOf(each, [1, 2, 4, 9]))).toEqual([[1, 2], [4], [], [], []]);
  expect(await of(ledger.newestLoad)).toEqual([1, 4, null, null, null]);
  const waiting = await of(async (each) => (await ledger.waiting(each)).map(({ position }) => Number(position)));
  expect(waiting).toEqual([[12], [1], [], [], []]);
});
