import { expect, onTestFinished, test } from 'vitest';
import type { Note } from '../../../src/cluster/contract.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { freshDatabase } from '../postgres.ts';

test('what came of keys that were looked up is told of one partition, and what another one found only as long as it found nothing', async () => {
  const control = await openControl(await freshDatabase());
  onTestFinished(() => control.close());
  const ledger = await openLedger(control);
  await control.query(
    `INSERT INTO firn.lookup (load_id, stream, partition, key, outcome) VALUES
       (1, 'keys', 'one', 'a', 'found'), (4, 'keys', 'one', 'b', 'found'), (5, 'keys', 'one', 'c', 'not_found'), (3, 'keys', 'one', 'd', 'unconfirmed'),
       (2, 'keys', 'third', 'c', 'found'), (6, 'keys', 'other', 'a', 'not_found'), (7, 'keys', 'other', 'e', 'unconfirmed'), (8, 'others', 'one', 'e', 'found'), (9, 'others', 'one', 'f', 'unconfirmed')`,
  );
  const one = { stream: 'keys', partition: 'one' };
  const other = { stream: 'keys', partition: 'other' };
  const named = (rows: readonly Note[]) => rows.map(({ key }) => key).sort();
  expect(named(await ledger.lookedUp(one))).toEqual(['b', 'd']);
  expect(named(await ledger.lookedUp(other))).toEqual(['e']);
  const keys = ['f', 'e', 'd', 'c', 'b', 'a'];
  expect(await ledger.unasked(one, keys)).toEqual(['f', 'e', 'd']);
  expect(await ledger.unasked(other, keys)).toEqual(['f', 'e', 'd', 'c', 'b']);
  expect(await ledger.foundElsewhere(one, keys)).toEqual([]);
  expect(named(await ledger.foundElsewhere(other, ['a', 'c', 'd', 'e']))).toEqual(['a', 'c']);
});
