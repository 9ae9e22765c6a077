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
    query: async <R>() =>
      [{ relation: 'published_x', definition: `SELECT * FROM x FOR VERSION AS OF ${shown}` }] as R[],
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
