import { describe, expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { positionText } from '../../../src/load/commit/checkpoints.ts';
import type { Audit } from '../../../src/transform/audits/parseAudit.ts';
import { readAudits } from '../../../src/transform/audits/readAudits.ts';
import { hasFailed, runAudits } from '../../../src/transform/audits/runAudits.ts';
import { some } from '../../some.ts';
import { recordedForFile } from '../../sql/recordedWarehouse.ts';

// Audits look at what is new. What they claim must hold of all rows, whichever came first.

const all = await readAudits();
const warehouse = await recordedForFile();

const failedRows = async (name: string) => {
  const [result] = await runAudits(warehouse, { audits: all.filter((audit) => audit.name === name) });
  expect(result?.problem).toBeNull();
  return result?.failedRows;
};

const newest = '(SELECT max(load_id) FROM firn.load)';

/** Whether an audit that has passed finds what a further load does; that is undone. */
async function finds(name: string, change: string, undo: string): Promise<boolean> {
  expect(await failedRows(name)).toBe(0);
  await warehouse.run(
    `INSERT INTO firn.load SELECT * REPLACE (${newest} + 1 AS load_id) FROM firn.load LIMIT 1; ${change}`,
  );
  const failed = await failedRows(name);
  await warehouse.run(undo);
  return failed !== 0;
}

/** A backfill of `stream` that was interrupted, and has these positions left. */
const interrupted = (stream: string, partition: string, next: number, last: number) =>
  `INSERT INTO firn.checkpoint VALUES ('${stream}', '${partition}|backfill', '${positionText({ asked: '0', to: null, at: { next, last } })}', 1, now()::TIMESTAMP)`;
const ended = `DELETE FROM firn.checkpoint WHERE "partition" LIKE '%|backfill'`;

describe('containers without a gap', () => {
  const name = 'assert_container_indexes_without_gap';
  const hole = `index_name = 'X/block' AND "index" BETWEEN 10 AND 12`;
  const cure = 'INSERT INTO raw.node_containers FROM temp.lost';
  const harm = (isNew: string) => `CREATE OR REPLACE TEMP TABLE lost AS FROM raw.node_containers WHERE ${hole};
    DELETE FROM raw.node_containers WHERE ${hole};
    UPDATE raw.node_containers SET _load_id = ${newest} WHERE index_name = 'X/block' AND ${isNew}`;

  test('new rows may be stretches that lie apart', async () => {
    const apart = `index_name = 'P/block' AND ("index" BETWEEN 10 AND 20 OR "index" BETWEEN 60 AND 70)`;
    const change = `UPDATE raw.node_containers SET _load_id = ${newest} WHERE ${apart}`;
    expect(await finds(name, change, 'SELECT 1')).toBe(false);
  });

  test.each(['"index" < 10', '"index" > 12'])(
    'a hole between what passed and what is new (%s) is found',
    async (isNew) => {
      expect(await finds(name, harm(isNew), cure)).toBe(true);
    },
  );

  test.each<[string, number, number, boolean]>([
    ['"index" < 10', 10, 12, false],
    ['"index" > 12', 10, 12, false],
    ['"index" < 10', 1, 12, true],
    ['"index" > 12', 10, 1, true],
    ['"index" > 12', 10, 112, true],
  ])('what a backfill has left is none: new %s, left %d to %d', async (isNew, next, last, isFound) => {
    const change = `${harm(isNew)}; ${interrupted('node/containers', 'index_name=X/block', next, last)}`;
    expect(await finds(name, change, `${cure}; ${ended}`)).toBe(isFound);
  });
});

test.each([
  [100, false],
  [10, true],
])('blocks below what a backfill has left, to %d, may be missing', async (last, isFound) => {
  const [unlinked, linked] = ['NULL', "TIMESTAMP '2020-01-01'"].map(
    (time) => `UPDATE mart.fct_block SET previous_time = ${time} WHERE chain_id = '43112' AND "number" = 101`,
  );
  const change = `${unlinked}; ${interrupted('node/evm_blocks', 'chain_id=43112', 50, last)}`;
  expect(await finds('assert_heights_without_gap', change, `${linked}; ${ended}`)).toBe(isFound);
});

test.each([
  [1, false],
  [2, true],
])('blocks whose containers a backfill has left, to %d before theirs, may be missing', async (before, isFound) => {
  const [unlinked, linked] = ['NULL', "TIMESTAMP '2020-01-01'"].map(
    (time) => `UPDATE mart.fct_block SET previous_time = ${time} WHERE chain_id = '43112' AND "number" = 101`,
  );
  const [row] = await warehouse.query<{ at: bigint }>(
    `SELECT "index" AS at FROM raw.node_containers_c_blocks WHERE index_name = 'C/block' AND "number" = 101`,
  );
  const change = `${unlinked}; ${interrupted('node/containers', 'index_name=C/block', 3, Number(row?.at) - before)}`;
  expect(await finds('assert_heights_without_gap', change, `${linked}; ${ended}`)).toBe(isFound);
});

test('a height that has two rows is found where a new load told of its block', async () => {
  const twice = `"number" = 101 AND chain_id = '43112'`;
  const harm = `CREATE OR REPLACE TEMP TABLE once AS FROM mart.fct_block WHERE ${twice}; INSERT INTO mart.fct_block FROM temp.once`;
  const cure = `DELETE FROM mart.fct_block WHERE ${twice}; INSERT INTO mart.fct_block FROM temp.once`;
  const told = `UPDATE raw.node_evm_blocks SET _load_id = ${newest} WHERE ${twice}`;
  expect(await finds('assert_blocks_unique', `${harm}; ${told}`, cure)).toBe(true);
});

describe('what comes second is held against what came first', () => {
  test.each([
    [
      'assert_data_primary_transactions_equal_containers',
      'raw.node_containers_p_blocks',
      `UPDATE raw.data_primary_transactions SET tx_type = 'OtherTx' WHERE tx_type = 'CreateSubnetTx'`,
      `UPDATE raw.data_primary_transactions SET tx_type = 'CreateSubnetTx' WHERE tx_type = 'OtherTx'`,
    ],
    [
      'assert_inputs_equal_their_utxos',
      'raw.node_containers_p_outputs',
      'UPDATE raw.node_containers_p_inputs SET amount = amount + 1',
      'UPDATE raw.node_containers_p_inputs SET amount = amount - 1',
    ],
    [
      'assert_data_token_transfers_equal_logs',
      'raw.node_evm_receipts',
      `UPDATE raw.data_token_transfers SET token_address = '0x' || token_address`,
      'UPDATE raw.data_token_transfers SET token_address = substr(token_address, 3)',
    ],
    [
      'assert_data_internal_transactions_equal_traces',
      'raw.node_evm_trace_status',
      `UPDATE raw.data_address_internal_transactions SET from_address = '0x' || from_address`,
      'UPDATE raw.data_address_internal_transactions SET from_address = substr(from_address, 3)',
    ],
  ])('%s, where %s come last', async (name, table, harm, cure) => {
    // What is wrong is in no new row.
    expect(await finds(name, harm, 'SELECT 1')).toBe(false);
    expect(await finds(name, `UPDATE ${table} SET _load_id = ${newest}`, cure)).toBe(true);
  });
});

describe('what was found before', () => {
  const name = 'assert_logs_without_gap';
  const [audit] = all.filter((one) => one.name === name);
  const told = () => warehouse.query('SELECT name, failed_rows FROM firn.audit ORDER BY name, checked_at');

  test('of an audit that is no more goes', async () => {
    const own = { ...some([audit])[0], name: 'assert_own', sql: 'SELECT 1 AS one' } as Audit;
    await runAudits(warehouse, { audits: [own] });
    expect(await told()).toContainEqual({ name: 'assert_own', failed_rows: 1n });
    await failedRows(name);
    expect(await told()).toEqual([{ name, failed_rows: 0n }]);
  });

  test('and is found again takes one row: a build each hour adds none', async () => {
    await failedRows(name);
    const own = (failed: number) => ({ ...some([audit])[0], sql: `SELECT 1 AS one FROM range(${failed})` }) as Audit;
    for (const failed of [0, 0, 2, 2, 2, 0, 0]) {
      const alike = { ...own(failed), name: 'assert_own' };
      await runAudits(warehouse, { audits: [own(failed), alike], runId: `${failed}` });
    }
    expect((await told()).map((row) => row['failed_rows'])).toEqual([0n, 2n, 0n, 0n, 2n, 0n]);
    const passed = await warehouse.query(
      `SELECT name, count(*) AS n FROM firn.audit_state WHERE name IN ('${name}', 'assert_own') GROUP BY ALL ORDER BY name`,
    );
    expect(passed.map(({ n }) => n)).toEqual([1n, 1n]);
    const [newest] = await warehouse.query(
      'SELECT max(checked_at) = max(checked_at) FILTER (WHERE failed_rows = 0) AS "is" FROM firn.audit',
    );
    expect(newest).toEqual({ is: true });
  });

  test('and changes at each look is kept of the newest 500', async () => {
    await warehouse.run(
      `INSERT INTO firn.audit (name, run_id, checked_at, failed_rows, severity)
       SELECT '${name}', 'r' || i, TIMESTAMP '2026-01-01' + to_minutes(i), i, 'blocks' FROM range(1, 600) AS r (i)`,
    );
    await failedRows(name);
    const kept = (await told()).map((row) => row['failed_rows']);
    expect(kept).toHaveLength(500);
    expect(kept.at(-1)).toBe(0n);
    expect(kept).toContain(599n);
  });

  test('by a clock that was ahead is not the newest', async () => {
    await failedRows(name);
    await warehouse.run(`UPDATE firn.audit SET checked_at = TIMESTAMP '2100-01-01', failed_rows = 7`);
    await failedRows(name);
    expect(await told()).toEqual([{ name, failed_rows: 0n }]);
  });

  test('does not count for another SQL: it looks at all rows', async () => {
    const claim = (sql: string) =>
      runAudits(warehouse, { audits: [{ ...audit, name: 'assert_own', sql } as Audit] }).then(
        ([one]) => one?.failedRows,
      );
    const blocks = 'SELECT "number" FROM raw.node_evm_blocks WHERE in_new_loads(_load_id)';
    expect(await claim(`${blocks} AND "number" < 0`)).toBe(0);
    expect(await claim(`${blocks} AND "number" < 0`)).toBe(0);
    // What failed has not passed: it fails as long as it is there, though no load is new.
    for (let look = 0; look < 2; look++) expect(await claim(`${blocks} AND "number" = 100`)).toBeGreaterThan(0);
  });
});

describe('an audit that could not look', () => {
  const own = { ...some(all)[0], name: 'assert_unseen' } as Audit;
  const look = (reason?: string) => () =>
    Promise.reject(new FirnError('unavailable', 'not now', { context: { reason, errorName: reason } }));
  const noted = () => warehouse.query('SELECT problem FROM firn.audit ORDER BY name, checked_at');

  test.each([
    ['does not answer', undefined],
    ['may have carried out the query', 'outcome_unknown'],
    ['is being started', 'SERVER_STARTING_UP'],
  ])('found nothing where Trino %s, and nothing is noted', async (_, reason) => {
    const before = await noted();
    await expect(runAudits(warehouse, { audits: [own], look: look(reason) })).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(await noted()).toEqual(before);
  });

  test.each(['EXCEEDED_TIME_LIMIT', 'CLUSTER_OUT_OF_MEMORY'])('has a problem of its own by %s', async (reason) => {
    const [result] = await runAudits(warehouse, { audits: [own], look: look(reason) });
    expect(result?.problem).toContain('not now');
    expect(result && hasFailed(result)).toBe(true);
    expect(await noted()).toMatchObject([{ problem: expect.stringContaining('not now') }]);
  });
});
