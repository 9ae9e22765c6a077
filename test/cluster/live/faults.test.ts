import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, inject, test } from 'vitest';
import type { Engine, LakeTable } from '../../../src/cluster/contract.ts';
import { createTrinoEngine } from '../../../src/cluster/engine/trinoEngine.ts';
import { startCluster } from '../../../src/cluster/local/localCluster.ts';
import { pidOf } from '../../../src/cluster/local/processes.ts';
import { ownColumn } from '../../../src/core/columns/table.ts';
import { stageRows } from '../engine/stageRows.ts';
import { freshLake, lakeClient, stagePlace } from './lake.ts';

const rows = 300_000;
const client = lakeClient();
afterAll(() => client.close());

const engineWith = (properties: Readonly<Record<string, string>>): Engine =>
  createTrinoEngine({
    client: { ...client, run: (sql, session) => client.run(sql, { ...session, ...properties }) },
    schema: 'firn',
    stageCatalog: 'stage',
    stageRoot: stagePlace().root,
  });

/** What is staged for a table of its own, in two batches. */
async function staged(engine: Engine, name: string) {
  const table: LakeTable = { name, columns: [ownColumn('k', 'bigint'), ownColumn('note', 'varchar')] };
  const { folder, root } = stagePlace();
  await engine.ensureTable(table);
  return Promise.all(
    [1, 2].map((id) =>
      stageRows(
        folder,
        root,
        name,
        id,
        `SELECT ${id} * ${rows} + n AS k, md5(n::VARCHAR) || md5((n + 1)::VARCHAR) AS note, ${id}::BIGINT AS firn_batch, n AS firn_row FROM range(${rows}) AS r (n)`,
      ),
    ),
  );
}

/** Waits until a MERGE into a table is under way, for a worker at that worker, and kills a part of the cluster. */
async function killAmidMerge(
  table: string,
  part: 'coordinator' | 'worker2',
  applying: Promise<unknown>,
): Promise<void> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  applying.then(end, end);
  const atPart = part === 'worker2' ? ` AND t.node_id = 'worker2' AND t.state = 'RUNNING'` : '';
  for (;;) {
    const { rows: busy } = await client.run(
      `SELECT 1 AS one FROM system.runtime.queries AS q JOIN system.runtime.tasks AS t ON t.query_id = q.query_id
       WHERE q.state = 'RUNNING' AND q.query LIKE 'MERGE INTO ${table} %'${atPart} LIMIT 1`,
    );
    if (busy.length > 0) break;
    if (isOver) throw new Error('The MERGE came to its end before anything could be killed: give it more rows.');
    await delay(50);
  }
  const run = join(inject('parts').folder, 'run');
  process.kill((await pidOf(run, part)) as number, 'SIGKILL');
  // It gives back its memory first: until then it would not be missed.
  while ((await pidOf(run, part)) !== undefined) await delay(50);
}

const startMissing = () => startCluster({ ...inject('parts'), print: () => {} });

/** How many rows a table has, and how many there are apart. */
async function held(engine: Engine, name: string): Promise<unknown> {
  const [row] = await engine.query(`SELECT count(*) AS held, count(DISTINCT k) AS apart FROM ${engine.name(name)}`);
  return row;
}

const all = { held: BigInt(2 * rows), apart: BigInt(2 * rows) };

test('a worker that is killed in a MERGE loses and doubles nothing, and the statement outlives it', async () => {
  const engine = engineWith({ retry_policy: 'TASK' });
  const batches = await staged(engine, 'raw.worker_lost');
  const applying = engine.apply('raw.worker_lost', batches);
  await killAmidMerge(engine.name('raw.worker_lost'), 'worker2', applying);
  expect(await applying).toEqual({ inserted: 2 * rows });
  expect(await held(engine, 'raw.worker_lost')).toEqual(all);
  expect(await engine.apply('raw.worker_lost', batches)).toEqual({ inserted: 0 });
  await startMissing();
});

test('a coordinator that is killed in a MERGE is asked again when it is back, and nothing is lost or doubled', async () => {
  const engine = engineWith({});
  const batches = await staged(engine, 'raw.coordinator_lost');
  const applying = engine.apply('raw.coordinator_lost', batches).then(
    () => 'done',
    (error: { code: string }) => error.code,
  );
  await killAmidMerge(engine.name('raw.coordinator_lost'), 'coordinator', applying);
  await startMissing();
  expect(['done', 'unavailable']).toContain(await applying);
  // Whatever came of it: this is what the next turn of a worker does.
  const active = `SELECT 1 AS one FROM system.runtime.nodes WHERE state = 'active'`;
  while ((await engine.query(active)).length < 3) await delay(500);
  await engine.apply('raw.coordinator_lost', batches);
  expect(await held(engine, 'raw.coordinator_lost')).toEqual(all);
});

test('what a killed build sent and Trino still runs is ended before another one builds, and is not committed after it', async () => {
  const { schema } = await freshLake('fence');
  const engineOf = () => createTrinoEngine({ client, schema, stageCatalog: 'stage', stageRoot: stagePlace().root });
  const [killed, next] = [engineOf(), engineOf()];
  for (const engine of [killed, next]) await engine.claim('one');
  const numbers = (name: string) => `UNNEST(sequence(1, 3000)) AS ${name} (x)`;
  const endless = `SELECT max(a.x * b.x * c.x) AS n FROM ${['a', 'b', 'c'].map(numbers).join(', ')}`;
  const sent = killed.build('mart.t', endless).catch(({ message }: Error) => message);
  const running = `SELECT 1 AS one FROM system.runtime.queries WHERE state = 'RUNNING' AND query LIKE 'CREATE OR REPLACE TABLE ${schema}%'`;
  while ((await client.run(running)).rows.length === 0) await delay(100);
  expect(await next.endChanges()).toBe(1);
  expect(await sent).toContain('another one builds');
  await next.build('mart.t', 'SELECT 2 AS n');
  expect(await next.query(`SELECT n FROM ${next.name('mart.t')}`)).toEqual([{ n: 2 }]);
  expect(await next.endChanges()).toBe(0);
});
