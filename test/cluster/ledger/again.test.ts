import { expect, onTestFinished, test } from 'vitest';
import type { Lease, Ledger } from '../../../src/cluster/contract.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { freshDatabase } from '../postgres.ts';

const ms = 60_000;
const of = { stream: 's', partition: 'all' };
const other = { stream: 's', partition: 'other' };

/** A ledger with two partitions that were read up to 10, in part from 4 on, and the lease of one, as its holder has it and as one has it who lost it. */
async function opened() {
  const control = await openControl(await freshDatabase());
  onTestFinished(() => control.close());
  const ledger = await openLedger(control);
  await ledger.enlist([of, other]);
  await control.query('UPDATE firn.partition SET joined_to = 10, part_from = 4');
  const held = (await ledger.leaseWhole({ ...of, owner: 'one', ms })) as Lease;
  const late = { ...held, epoch: held.epoch - 1 };
  const stretches = () =>
    control.query(
      'SELECT first_position AS first, last_position AS last, beside FROM firn.part WHERE first_position IS NOT NULL ORDER BY 1',
    );
  const inPart = () => control.query('SELECT part_from FROM firn.partition ORDER BY partition');
  const next = (): ReturnType<Ledger['lease']> => ledger.lease({ owner: 'two', ms, partitions: [of] });
  return { control, ledger, held, late, stretches, inPart, next };
}

const file = (id: number, table = 'raw.t') =>
  `INSERT INTO firn.batch_file (batch_id, table_name, uri, rows, bytes, sha256) VALUES (${id}, '${table}', '${table}/${id}', 1, 1, '')`;

test('who lost a partition makes no stretches of it that are read again, and its holder makes them once', async () => {
  const { ledger, held, late, stretches, inPart } = await opened();
  await ledger.divideAgain(late, 4);
  expect([await stretches(), await inPart()]).toEqual([[], [{ part_from: '4' }, { part_from: '4' }]]);
  for (const _ of ['once', 'again']) await ledger.divideAgain(held, 4);
  expect([await stretches(), await inPart()]).toEqual([
    [
      { first: '4', last: '7', beside: 'whole' },
      { first: '8', last: '9', beside: 'whole' },
    ],
    [{ part_from: null }, { part_from: '4' }],
  ]);
});

test('they are handed out once the last batch before them is in the lake, whatever comes after', async () => {
  const { control, ledger, held, next } = await opened();
  const id = await ledger.nextBatch();
  await control.query(file(id));
  await ledger.divideAgain(held, 6);
  await control.query(file(await ledger.nextBatch()));
  expect(await next()).toBeNull();
  await ledger.applied('raw.t', [id]);
  expect(await next()).toMatchObject({ again: 'whole', range: { first: 4, last: 9 } });
});

test('who lost a stretch that is read again does not take it back, and its holder says what is left of it alone', async () => {
  const { control, ledger, held, stretches, inPart, next } = await opened();
  await ledger.divideAgain(held, 6);
  const again = (await next()) as Lease;
  await control.query(`UPDATE firn.part SET cursor = '{"next":6}' WHERE first_position IS NOT NULL`);
  await ledger.leaveInPart({ ...again, epoch: again.epoch - 1 });
  expect([await stretches(), await inPart()]).toEqual([
    [{ first: '4', last: '9', beside: 'whole' }],
    [{ part_from: null }, { part_from: '4' }],
  ]);
  await ledger.leaveInPart(again);
  expect([await stretches(), await inPart()]).toEqual([[], [{ part_from: '6' }, { part_from: '4' }]]);
  // What was taken in part before it stays known.
  await ledger.divideAgain(held, 6);
  const rest = (await next()) as Lease;
  await ledger.takeInPart(held, 5);
  await ledger.leaveInPart(rest);
  expect(await inPart()).toEqual([{ part_from: '5' }, { part_from: '4' }]);
});

test('a stream was read again once a batch of that was committed', async () => {
  const { control, ledger } = await opened();
  await control.query(file(1));
  expect(await ledger.wasReadAgain('raw.t_again')).toBe(false);
  await control.query(file(2, 'raw.t_again'));
  expect(await ledger.wasReadAgain('raw.t_again')).toBe(true);
});
