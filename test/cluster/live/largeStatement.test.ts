import { afterAll, expect, test } from 'vitest';
import { trinoLake } from '../../../src/cluster/engine/trinoLake.ts';
import type { TrinoClient } from '../../../src/cluster/trino/trinoClient.ts';
import { lakeClient } from './lake.ts';

const whole = lakeClient();
afterAll(() => whole.close());

/** One group for each of a million and a half texts: 50 MB and more of a hash table. */
const large = `SELECT count(*) AS groups, sum(met) AS rows FROM (
  SELECT CAST(a.x * 3000 + b.y AS VARCHAR) AS text, count(*) AS met
  FROM UNNEST(sequence(1, 1000)) AS a (x) CROSS JOIN UNNEST(sequence(1, 1500)) AS b (y) GROUP BY 1
)`;

test('a statement that needs more memory than Trino gives to one gets through in parts', async () => {
  const sessions: unknown[] = [];
  const client: TrinoClient = {
    ...whole,
    run(sql, session) {
      sessions.push(session);
      return whole.run(sql, { ...session, query_max_memory_per_node: '40MB' });
    },
  };
  await expect(client.run(large)).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringMatching(/40MB.*Raise the limit/),
  });
  const lake = trinoLake({ client, schema: 'own', stageCatalog: 'stage', stageRoot: '' });
  expect((await lake.run(large)).rows).toEqual([{ groups: 1_500_000n, rows: 1_500_000n }]);
  expect(sessions).toEqual([undefined, undefined, { retry_policy: 'TASK' }]);
});
