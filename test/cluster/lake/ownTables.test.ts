import { expect, onTestFinished, test } from 'vitest';
import type { Engine, Lease, StagedBatch } from '../../../src/cluster/contract.ts';
import { appendLoads, fillFromLedger, fillKept } from '../../../src/cluster/lake/ownTables.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { openStage } from '../../../src/cluster/stage/openStage.ts';
import { runsInFull } from '../../../src/load/bookkeeping/runRecords.ts';
import { readAudits } from '../../../src/transform/audits/readAudits.ts';
import { runAudits } from '../../../src/transform/audits/runAudits.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { temporary } from '../../temporaryFolders.ts';
import { noNotes } from '../modelLedger.ts';
import { freshDatabase } from '../postgres.ts';

const of = { stream: 'node/containers', partition: 'index_name=C/block' };

/** A ledger of which the positions 10, 0 to 2 and then 5 to 9 were read, by stretches of five, with the loads that brought them. */
async function ledgerOfStretches() {
  const control = await openControl(await freshDatabase());
  const ledger = await openLedger(control);
  onTestFinished(() => ledger.close());
  const lease = async () => {
    const held = await ledger.lease({ owner: 'one', ms: 60_000, partitions: [of] });
    if (!held) throw new Error('nothing to lease');
    return held;
  };
  await ledger.enlist([of]);
  const whole = await lease();
  await ledger.divide(whole, { first: 10, last: 10, size: 1 });
  await ledger.handOut(whole, { first: 0, last: 9, size: 5 });
  const loads: number[] = [];
  for (const next of [11, 3, 10]) {
    const held = await lease();
    const id = await ledger.nextBatch();
    const load = {
      ...{ load_id: id, run_id: 'one', ...of, pages: 1, rows_in: 1, rows_written: 1, rows_quarantined: 0, bytes: 1 },
      position_from: JSON.stringify({ next: held.range?.first }),
      position_to: JSON.stringify({ next }),
      committed_at: '2026-01-01',
    };
    const ends = { parent: null, id: null, tip: {} };
    const read = { id, from: null, to: { next }, files: [], notes: { ...noNotes, load: [load] }, ends };
    expect(await ledger.commit(held, read)).toBe('ok');
    await ledger.release(held, { dueInMs: next === 3 ? 60_000 : 0 });
    loads.push(id);
  }
  return { control, ledger, loads };
}

test.each([
  ['what stretches have left to read, and loads bring that a build does not show, is no gap', '0, 1, 2, 10', 2, 0],
  ['what is missing beside it is one', '0, 1, 10', 2, 1],
  ['what loads bring that it does show is none left to read', '0, 1, 2, 10', 3, 1],
  ['a stretch that was read between others is none', '0, 1, 2, 5, 6, 7, 8, 9, 10', 3, 0],
])('%s', async (_, there, shown, failedRows) => {
  const { control, loads } = await ledgerOfStretches();
  const workbench = await temporaryWarehouse([]);
  await fillFromLedger({ workbench, control }, []);
  await fillFromLedger({ workbench, control }, loads.slice(0, shown));
  await workbench.run(`CREATE TABLE raw.node_containers AS
    SELECT 'C/block' AS index_name, unnest([${there}])::BIGINT AS "index", 1::BIGINT AS _load_id`);
  const audits = (await readAudits()).filter(({ name }) => name === 'assert_container_indexes_without_gap');
  expect(await runAudits(workbench, { audits })).toMatchObject([{ problem: null, failedRows }]);
});

test('what was accepted in the quarantine of the ledger is a known gap of the lake, until it is reopened', async () => {
  const control = await openControl(await freshDatabase());
  const ledger = await openLedger(control);
  onTestFinished(() => ledger.close());
  await ledger.enlist([of]);
  const held = {
    ...{
      load_id: 1,
      number: 0,
      ...of,
      reason: '',
      record: '{}',
      record_hash: '',
      times_seen: 1,
      position: 3,
      last_load_id: 1,
    },
    ...{ quarantined_at: '2026-01-01', last_seen_at: '2026-01-01' },
  };
  const whole = await ledger.leaseWhole({ ...of, owner: 'one', ms: 60_000 });
  const notes = { ...noNotes, quarantine: [held] };
  const read = { id: await ledger.nextBatch(), from: null, to: null, files: [], notes };
  expect(await ledger.commit(whole as Lease, read)).toBe('ok');
  const workbench = await temporaryWarehouse([]);
  const gaps = async (accepted: string) => {
    await control.query(`UPDATE firn.quarantine SET accepted_at = ${accepted}`);
    await fillFromLedger({ workbench, control }, []);
    return workbench.query('SELECT "partition", from_position, to_position FROM firn.gap');
  };
  expect(await gaps('NULL')).toEqual([]);
  expect(await gaps("'2026-01-02'")).toEqual([{ partition: of.partition, from_position: 3n, to_position: 3n }]);
  expect(await gaps('NULL')).toEqual([]);
});

test('what is left to read of a long chain is told as what it is, not as its stretches', async () => {
  const control = await openControl(await freshDatabase());
  const ledger = await openLedger(control);
  onTestFinished(() => ledger.close());
  await ledger.enlist([of]);
  const whole = await ledger.leaseWhole({ ...of, owner: 'one', ms: 60_000 });
  await ledger.divide(whole as Lease, { first: 0, last: 99_999, size: 10 });
  await control.query(`UPDATE firn.part SET cursor = '{"next":505}' WHERE first_position = 500`);
  await control.query('UPDATE firn.part SET is_done = true WHERE first_position < 500 OR first_position = 700');
  const workbench = await temporaryWarehouse([]);
  await fillFromLedger({ workbench, control }, []);
  expect(await workbench.query(`SELECT "position" FROM firn.checkpoint WHERE "partition" LIKE '%|backfill'`)).toEqual([
    { position: '{"at":[{"next":505,"last":699},{"next":710,"last":99999}]}' },
  ]);
});

test('loads whose file the engine does not see are not taken for appended; those that were appended before are', async () => {
  const { control, ledger, loads } = await ledgerOfStretches();
  const workbench = await temporaryWarehouse([]);
  let held: unknown[] = [];
  const engine = {
    name: (relation: string) => relation,
    ensureTable: async () => {},
    apply: async () => ({ inserted: 0 }),
    query: async () => held,
  } as unknown as Engine;
  const carrier = { workbench, control, ledger, engine, stage: await openStage({ uri: await temporary() }) };
  await expect(appendLoads(carrier, loads)).rejects.toMatchObject({ code: 'contract' });
  held = loads.map((batch) => ({ batch: BigInt(batch), held: 1n }));
  await appendLoads(carrier, loads);
});

test('as many loads as a warehouse of years has are appended, some thousand at a time', { tags: 'long' }, async () => {
  const control = await openControl(await freshDatabase());
  const ledger = await openLedger(control);
  onTestFinished(() => ledger.close());
  const count = 130_000;
  await control.query(
    `INSERT INTO firn.load (load_id, run_id, stream, partition, pages, rows_in, rows_written, rows_quarantined, bytes, committed_at)
     SELECT id, 'r', 's', 'p', 1, 1, 1, 0, 1, now() FROM generate_series(1, ${count}) AS id`,
  );
  await control.query(`SELECT setval('firn.batch_id', ${count})`);
  const applied: number[][] = [];
  const engine = {
    name: (relation: string) => relation,
    ensureTable: async () => {},
    apply: async (_: string, [first, last]: StagedBatch[]) => {
      applied.push([first?.id ?? 0, last?.id ?? 0, first?.rows ?? 0]);
      return { inserted: first?.rows ?? 0 };
    },
  } as unknown as Engine;
  const workbench = await temporaryWarehouse([]);
  const carrier = { workbench, control, ledger, engine, stage: await openStage({ uri: await temporary() }) };
  const loads = Array.from({ length: count }, (_, i) => i + 1);
  await appendLoads(carrier, loads);
  expect(applied.map(([first = 0, last = 0, rows]) => rows === last - first + 1)).toEqual(applied.map(() => true));
  expect(applied.reduce((sum, [, , rows = 0]) => sum + rows, 0)).toBe(count);
});

test('what one machine read by a backfill, whose loads tell no positions, is nothing that is left to read', async () => {
  const control = await openControl(await freshDatabase());
  const ledger = await openLedger(control);
  onTestFinished(() => ledger.close());
  await ledger.enlist([of]);
  await control.query('UPDATE firn.partition SET joined_to = 10, divided_to = 10');
  const work = (next: number) => JSON.stringify({ asked: '0', to: null, at: { next, last: 4 } });
  await control.query(
    `INSERT INTO firn.load (load_id, run_id, stream, partition, pages, rows_in, rows_written, rows_quarantined, bytes, position_from, position_to, committed_at)
     VALUES (1, 'r', $1, $2, 1, 1, 1, 0, 1, '{"next":5}', '{"next":10}', now()), (2, 'r', $1, $2, 1, 1, 1, 0, 1, $3, $4, now())`,
    [of.stream, of.partition, work(0), work(5)],
  );
  const workbench = await temporaryWarehouse([]);
  await fillFromLedger({ workbench, control }, []);
  expect(await workbench.query(`SELECT "position" FROM firn.checkpoint WHERE "partition" LIKE '%|backfill'`)).toEqual([
    { position: '{"at":[{"next":5,"last":9}]}' },
  ]);
});

test('what runs of long ago compared, series by series, goes on a cluster, too', async () => {
  const control = await openControl(await freshDatabase());
  const ledger = await openLedger(control);
  onTestFinished(() => ledger.close());
  await control.query("INSERT INTO firn.own_table VALUES ('firn.run', 'of an earlier firn')");
  const summary = JSON.stringify({
    reconciliation: { matrix: Array.from({ length: 100 }, () => ({ chain: '43114' })) },
  });
  const runs = Array.from({ length: runsInFull + 20 }, (_, n) => {
    const at = new Date(Date.UTC(2026, 0, 1 + n)).toISOString();
    return { run_id: `r${n}`, command: 'run', started_at: at, finished_at: at, exit_code: 0, summary };
  });
  const query = async (sql: string) => (sql.includes('information_schema') ? [{ relation: 'firn.run' }] : runs);
  const engine = { name: (relation: string) => relation, query } as unknown as Engine;
  const workbench = await temporaryWarehouse([]);
  await fillKept({ workbench, control, engine });
  expect(
    await workbench.query(
      `SELECT count(*) AS runs, count(*) FILTER (json_array_length(summary, '$.reconciliation.matrix') = 100) AS "full" FROM firn.run`,
    ),
  ).toEqual([{ runs: BigInt(runs.length), full: BigInt(runsInFull) }]);
});
