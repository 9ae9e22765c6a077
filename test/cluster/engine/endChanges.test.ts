import { expect, test } from 'vitest';
import { createTrinoEngine } from '../../../src/cluster/engine/trinoEngine.ts';
import { statementError } from '../../../src/cluster/trino/statementError.ts';
import type { TrinoClient } from '../../../src/cluster/trino/trinoClient.ts';

/** An engine over a Trino that tells of running queries, look by look. */
function engineOver(looks: readonly (readonly string[])[], { kills = (_: string) => {} } = {}) {
  const sent: string[] = [];
  const left = [...looks];
  const run = async (sql: string) => {
    sent.push(sql);
    kills(sql);
    const rows = sql.includes('system.runtime.queries') ? (left.shift() ?? []).map((id) => ({ id })) : [];
    return { query: 'q', rows, types: {}, written: 0 };
  };
  const client = { run } as unknown as TrinoClient;
  return { sent, engine: createTrinoEngine({ client, schema: 'own', stageCatalog: 'stage', stageRoot: 's3://b/' }) };
}

test('what changes models bears the mark of its warehouse, by which a later build ends what still runs', {
  tags: 'long',
}, async () => {
  const { engine, sent } = engineOver([['q1', 'q2'], ['q2'], []], {
    kills(sql) {
      if (!sql.includes("'q1'")) return;
      const failure = { message: 'Target query is not running: q1', errorName: 'NOT_FOUND', errorType: 'USER_ERROR' };
      throw statementError(sql, 'q9', failure);
    },
  });
  await engine.claim('one');
  await engine.build('mart.metric', 'SELECT 1');
  await engine.run('MERGE INTO own_mart.metric AS t');
  await engine.show('published_mart.metric', 'SELECT 1');
  const changes = sent.filter((sql) => /^(CREATE OR REPLACE|MERGE)/.test(sql) && !sql.includes('warehouse AS t'));
  expect(changes).toHaveLength(3);
  for (const sql of changes) expect(sql).toMatch(/\n-- warehouse one$/);
  sent.length = 0;
  expect(await engine.endChanges()).toBe(2);
  expect(sent.filter((sql) => sql.startsWith('CALL')).map((sql) => /'(q\d)'/.exec(sql)?.[1])).toEqual(['q1', 'q2']);
  expect(sent[0]).toContain("'\n-- warehouse one'");
  // Its own statements bear none, or it would end itself.
  expect(sent.some((sql) => /\n-- warehouse one$/.test(sql))).toBe(false);
});

test('where nothing runs nothing is ended', async () => {
  const { engine, sent } = engineOver([[]]);
  expect(await engine.endChanges()).toBe(0);
  expect(sent).toHaveLength(1);
});
