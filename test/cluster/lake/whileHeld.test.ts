import { expect, onTestFinished, test } from 'vitest';
import { createTrinoEngine } from '../../../src/cluster/engine/trinoEngine.ts';
import type { Lake } from '../../../src/cluster/lake/openLake.ts';
import { whileHeld } from '../../../src/cluster/lake/whileHeld.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { statementError } from '../../../src/cluster/trino/statementError.ts';
import type { TrinoClient } from '../../../src/cluster/trino/trinoClient.ts';
import { freshDatabase } from '../postgres.ts';

const refused = { code: 'locked', retryable: true };

/** A lake whose changes are noted, and a build that another process takes over. */
async function opened(answer: (sql: string) => Promise<void> | void = () => {}) {
  const control = await openControl(await freshDatabase());
  const ledger = await openLedger(control);
  onTestFinished(() => ledger.close());
  const done: string[] = [];
  const say = (what: string) => async () => void done.push(what);
  const run = async (sql: string) => {
    done.push(sql.split('\n')[0] as string);
    await answer(sql);
    return { query: 'q', rows: [], types: {}, written: 0 };
  };
  const client = { run } as unknown as TrinoClient;
  const engine = createTrinoEngine({ client, schema: 'own', stageCatalog: 'stage', stageRoot: 's3://b/' });
  const builds = { begin: say('begin'), finish: say('finish') };
  const lake = { control, engine, builds, ledger: { publish: say('publish') } };
  const expire = () => control.query(`UPDATE firn.task SET lease_until = now() - interval '1 second'`);
  const takeOver = async () => {
    await expire();
    await ledger.alone('build', say('another'));
  };
  const build = (work: (held: Lake) => Promise<unknown>) =>
    ledger.alone('build', (assertHeld) => work(whileHeld(lake as unknown as Lake, assertHeld)));
  return { done, build, expire, takeOver };
}

test('a lake is not changed any more by a process that stood still, once another one took over', async () => {
  const { done, build, expire, takeOver } = await opened();
  await build(async (held) => {
    await expire();
    // Late, but nobody else came.
    await held.engine.run('MERGE');
    await takeOver();
    const late = [
      held.engine.run(''),
      held.engine.build('mart.x', ''),
      held.engine.replace({ name: 'firn.x', columns: [] }, []),
      held.engine.drop('firn.x'),
      held.engine.show('published_mart.x', ''),
      held.builds.begin(''),
      held.builds.finish([], { modelsHash: '', snapshots: {}, partial: {}, behind: [] }),
      held.ledger.publish({}),
      held.control.query(`DELETE FROM firn.warehouse`),
      held.control.transaction((sql) => sql.query('DELETE FROM firn.warehouse')),
    ];
    const each = late.map(() => ({ status: 'rejected', reason: refused }));
    expect(await Promise.allSettled(late)).toMatchObject(each);
  });
  expect(done.filter((what) => !what.startsWith('CREATE SCHEMA'))).toEqual(['MERGE', 'another']);
});

test('a statement that Trino gave up while its process stood still is not sent again, once another one took over', {
  tags: 'long',
}, async () => {
  const abandoned = { message: 'was abandoned by the client', errorName: 'ABANDONED_QUERY', errorType: 'USER_ERROR' };
  const { done, build, takeOver } = await opened(async (sql) => {
    if (!sql.startsWith('MERGE')) return;
    await takeOver();
    throw statementError(sql, 'q', abandoned);
  });
  await build((held) => expect(held.engine.run('MERGE')).rejects.toMatchObject(refused));
  expect(done).toEqual(['MERGE', 'another']);
});
