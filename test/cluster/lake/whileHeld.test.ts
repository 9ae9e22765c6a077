import { expect, onTestFinished, test } from 'vitest';
import type { Lake } from '../../../src/cluster/lake/openLake.ts';
import { whileHeld } from '../../../src/cluster/lake/whileHeld.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { freshDatabase } from '../postgres.ts';

test('a lake is not changed any more by a process that stood still, once another one took over', async () => {
  const control = await openControl(await freshDatabase());
  const ledger = await openLedger(control);
  onTestFinished(() => ledger.close());
  const done: string[] = [];
  const say = (what: string) => async () => void done.push(what);
  const engine = { run: say('run'), build: say('build'), replace: say('replace'), show: say('show') };
  const lake = {
    control,
    engine,
    builds: { begin: say('begin'), finish: say('finish') },
    ledger: { publish: say('publish') },
  };
  await ledger.alone('build', async (assertHeld) => {
    const held = whileHeld(lake as unknown as Lake, assertHeld);
    const expire = () => control.query(`UPDATE firn.task SET lease_until = now() - interval '1 second'`);
    await expire();
    // Late, but nobody else came.
    await held.engine.run('');
    await expire();
    await ledger.alone('build', say('another'));
    const late = [
      held.engine.run(''),
      held.engine.build('', ''),
      held.engine.replace({ name: '', columns: [] }, []),
      held.engine.show('', ''),
      held.builds.begin(''),
      held.builds.finish([], { modelsHash: '', snapshots: {}, partial: [] }),
      held.ledger.publish({}),
      held.control.query(`DELETE FROM firn.warehouse`),
      held.control.transaction((sql) => sql.query('DELETE FROM firn.warehouse')),
    ];
    const refused = { status: 'rejected', reason: { code: 'locked', retryable: true } };
    expect(await Promise.allSettled(late)).toMatchObject(late.map(() => refused));
  });
  expect(done).toEqual(['run', 'another']);
});
