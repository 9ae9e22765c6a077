import { expect, onTestFinished, test } from 'vitest';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { verifyViews } from '../../../src/cluster/verify/verifyViews.ts';
import { freshDatabase } from '../postgres.ts';

test('views of the version before, or of a newer one, are no harm while a publish replaces them, and one of the past is', async () => {
  const control = await openControl(await freshDatabase());
  onTestFinished(() => control.close());
  const ledger = await openLedger(control);
  for (const x of ['11', '22']) await ledger.publish({ x });
  const third = await ledger.publish({ x: '33' });
  let shown = '';
  let held: string[] = [];
  const engine = {
    name: (relation: string) => relation,
    query: async <R>(sql: string) =>
      (sql.includes('$snapshots')
        ? ['11', '22', '33', '44'].map((id) => ({ table: 'x', id }))
        : [{ relation: 'published_x', definition: `SELECT * FROM x FOR VERSION AS OF ${shown}` }]) as R[],
  };
  const isHarmed = async (snapshot: string) => {
    shown = snapshot;
    return (await verifyViews(engine, control, third, held)).length > 0;
  };
  const each = async () => [await isHarmed('11'), await isHarmed('22'), await isHarmed('33'), await isHarmed('44')];
  expect(await each()).toEqual([true, true, false, true]);
  expect(await ledger.alone('build', each)).toEqual([true, false, false, true]);
  held = ['x'];
  expect(await each()).toEqual([false, false, false, false]);
  held = ['other'];
  await ledger.publish({ x: '44' });
  expect(await each()).toEqual([true, true, false, false]);
});

test('a view of what is held back is harmed once a snapshot is gone that it names, also one of a table that is not held back', async () => {
  const control = await openControl(await freshDatabase());
  onTestFinished(() => control.close());
  const ledger = await openLedger(control);
  const version = await ledger.publish({ 'mart.fct_block': '33' });
  const asked: string[] = [];
  let left = ['11', '33'];
  const engine = {
    name: (relation: string) => `firn_${relation}`,
    query: async <R>(sql: string) => {
      if (!sql.includes('$snapshots'))
        return [
          {
            relation: 'firn_published_mart.metric',
            definition:
              'WITH a AS (SELECT * FROM\n  firn_mart.fct_block FOR VERSION AS OF 11\n) SELECT * FROM a, firn_mart.fct_block FOR VERSION AS OF 33',
          },
        ] as R[];
      asked.push(sql);
      return left.map((id) => ({ table: 'firn_mart.fct_block', id })) as R[];
    },
  };
  const found = () => verifyViews(engine, control, version, ['mart.metric']);
  expect(await found()).toEqual([]);
  expect(asked).toEqual([expect.stringContaining('FROM firn_mart."fct_block$snapshots"')]);
  left = ['33'];
  expect(await found()).toEqual([
    {
      check: 'missing',
      item: 'firn_published_mart.metric',
      message: expect.stringContaining('snapshot 11 of firn_mart.fct_block is gone'),
    },
  ]);
});
