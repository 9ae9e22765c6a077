import { expect, test } from 'vitest';
import { trinoLake } from '../../../src/cluster/engine/trinoLake.ts';
import { statementError } from '../../../src/cluster/trino/statementError.ts';
import type { TrinoClient } from '../../../src/cluster/trino/trinoClient.ts';

const failure = (errorName: string, errorType = 'INSUFFICIENT_RESOURCES') =>
  statementError('SELECT 1', 'q', { errorName, errorType, message: errorName });
const tooLarge = failure('EXCEEDED_LOCAL_MEMORY_LIMIT');

/** Sends one statement to a Trino that says these, one after the other. */
async function sent(...says: (Error | 'done')[]) {
  const sessions: unknown[] = [];
  const client = {
    async run(_: string, session: unknown) {
      sessions.push(session);
      const said = says.shift();
      if (said instanceof Error) throw said;
      return said;
    },
  } as unknown as TrinoClient;
  const lake = trinoLake({ client, schema: 'own', stageCatalog: 'stage', stageRoot: 's3://b/' });
  const outcome = await lake.run('SELECT 1', { query_max_stage_count: '600' }).catch((error: unknown) => error);
  return { sessions, outcome };
}

const asGiven = { query_max_stage_count: '600' };
const inParts = { ...asGiven, retry_policy: 'TASK' };

test('a statement that needs too much memory is run once more, in parts', async () => {
  expect(await sent(tooLarge, 'done')).toEqual({ sessions: [asGiven, inParts], outcome: 'done' });
});

test('one that needs too much in parts, too, fails as that', async () => {
  const again = failure('EXCEEDED_GLOBAL_MEMORY_LIMIT');
  expect(await sent(tooLarge, again)).toEqual({ sessions: [asGiven, inParts], outcome: again });
});

test('a Trino without an exchange manager is told what the statement lacked at first', async () => {
  const { outcome } = await sent(tooLarge, failure('EXCHANGE_MANAGER_NOT_CONFIGURED', 'INTERNAL_ERROR'));
  expect(outcome).toBe(tooLarge);
});

test.each(['EXCEEDED_CPU_LIMIT', 'EXCEEDED_SCAN_LIMIT'])('no other limit is met with parts: %s', async (name) => {
  expect(await sent(failure(name))).toMatchObject({ sessions: [asGiven] });
});
