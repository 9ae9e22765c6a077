import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { chains } from '../../../pipelines/data-api/chains.ts';
import type { Engine } from '../../../src/cluster/contract.ts';
import { createBuilds } from '../../../src/cluster/lake/builds.ts';
import { openLake } from '../../../src/cluster/lake/openLake.ts';
import { openLakePlace } from '../../../src/cluster/lake/openLakePlace.ts';
import { carryTables, fillKept, fillWorkbench } from '../../../src/cluster/lake/ownTables.ts';
import type { Control } from '../../../src/cluster/ledger/control.ts';
import { insertFiles } from '../../../src/cluster/ledger/insertFiles.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { openStage } from '../../../src/cluster/stage/openStage.ts';
import { ownColumn } from '../../../src/core/columns/table.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import { noteRun } from '../../../src/load/bookkeeping/runRecords.ts';
import { openDuckDb } from '../../../src/load/database/openDuckDb.ts';
import type { PhaseOptions, Session } from '../../../src/run/phases/phaseOptions.ts';
import { runPhases } from '../../../src/run/phases/runPhases.ts';
import { parseAudit } from '../../../src/transform/audits/parseAudit.ts';
import { parseModel } from '../../../src/transform/models/parseModel.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { temporary } from '../../temporaryFolders.ts';
import { createDuckDbEngine } from '../engine/duckDbEngine.ts';
import { stageRows } from '../engine/stageRows.ts';
import { freshDatabase } from '../postgres.ts';

vi.mock('../../../src/cluster/lake/openLake.ts');

/** A lake as commands of two machines opened it at the same time. */
async function openedTwice() {
  const control = await openControl(await freshDatabase());
  const ledger = await openLedger(control);
  const folders = [await temporary(), await temporary()] as const;
  const stage = await openStage({ uri: folders[1] });
  const file = join(folders[0], 'lake.duckdb');
  const engine = createDuckDbEngine(await openDuckDb({ folders, file }), stage.root);
  onTestFinished(async () => {
    await engine.close();
    await ledger.close();
  });
  const open = async () => {
    const carrier = { workbench: await temporaryWarehouse([]), control, ledger, stage, engine };
    await fillWorkbench(carrier);
    return { ...carrier, builds: createBuilds(control), tables: [], close: async () => {} };
  };
  return [await open(), await open()] as const;
}

test('a command that began before another one built knows what that one holds back, and keeps its run', async () => {
  const [late, quick] = await openedTwice();
  await noteRun(late.workbench, { runId: 'late', command: 'run' });
  await noteRun(quick.workbench, { runId: 'quick', command: 'run', exitCode: 3 });
  await quick.workbench.run(
    `INSERT INTO firn.held_back VALUES ('mart.metric', 'assert_it', TIMESTAMP '2026-11-27 03:04:05.678', 'why')`,
  );
  await carryTables(quick, ['firn.run', 'firn.audit', 'firn.audit_state', 'firn.held_back', 'firn.model']);
  vi.mocked(openLake).mockResolvedValue(late);
  const { works } = await openLakePlace({ catalogue: [] } as unknown as PhaseOptions);
  const session = { options: { models: [] }, project: {}, outcome: {} as Session['outcome'] };
  await expect(works.publish(session as unknown as Session)).rejects.toThrow('No build has come to its end');
  expect(session.outcome.heldBack).toMatchObject([{ relation: 'mart.metric', audit: 'assert_it', reason: 'why' }]);
  expect(await late.workbench.query('SELECT run_id, exit_code FROM firn.run ORDER BY 1')).toEqual([
    { run_id: 'late', exit_code: null },
    { run_id: 'quick', exit_code: 3 },
  ]);
  await late.ledger.alone('build', () =>
    expect(works.publish(session as unknown as Session)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringMatching(/^Process \S+ \d+ builds or publishes since 20[\d-]+T/),
    }),
  );
  // What it holds by now it does not ask for again.
  await fillKept({ ...late, engine: {} as Engine });
  await quick.workbench.run('DELETE FROM firn.held_back');
  await carryTables(quick, ['firn.held_back']);
  await quick.builds.finish([], { modelsHash: 'of others', snapshots: {}, partial: {}, behind: [] });
  await expect(works.publish(session as unknown as Session)).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringMatching(/^firn \S+ on \S+ built the tables by other models.* Run firn build\.$/),
  });
});

test('a command that may wait does its work once the other one has ended', { tags: 'long' }, async () => {
  const [late, quick] = await openedTwice();
  vi.mocked(openLake).mockResolvedValue(late);
  const session = { options: { models: [] }, project: {}, outcome: {} } as unknown as Session;
  let refused: Promise<unknown> | undefined;
  const told = quick.ledger.alone(
    'build',
    () =>
      new Promise<string>((waiting, fail) => {
        const options = { catalogue: [], waitMs: 60_000, listener: { waiting } } as unknown as PhaseOptions;
        refused = openLakePlace(options).then(({ works }) => works.publish(session));
        refused.catch(fail);
      }),
  );
  expect(await told).toMatch(/^Process \S+ \d+ builds or publishes since \S+\. Waiting for it to end\.$/);
  await expect(refused).rejects.toThrow('No build has come to its end');
});

test('a table that was written right before a kill is written again, also where it then holds what it held before', async () => {
  const [lake] = await openedTwice();
  const carry = async (reason: string, engine = lake.engine) => {
    await lake.workbench.run(
      `DELETE FROM firn.held_back; INSERT INTO firn.held_back VALUES ('mart.x', 'a', TIMESTAMP '2026-11-27 03:04:05', '${reason}')`,
    );
    await carryTables({ ...lake, engine }, ['firn.held_back']);
  };
  const killed: Engine['replace'] = async (table, files) => {
    await lake.engine.replace(table, files);
    throw new Error('killed');
  };
  await carry('before');
  await expect(carry('after', { ...lake.engine, replace: killed })).rejects.toThrow('killed');
  await carry('before');
  expect(await lake.engine.query('SELECT reason FROM firn.held_back')).toEqual([{ reason: 'before' }]);
});

test('runs of years come over some thousand at a time, and none is lost', { tags: 'long' }, async () => {
  const [late, quick] = await openedTwice();
  await quick.workbench.run(`INSERT INTO firn.run
    SELECT 'r' || range, 'run', TIMESTAMP '2026-01-01' + to_minutes(range), TIMESTAMP '2026-01-01' + to_minutes(range), 0, '{}' FROM range(12_000)`);
  await carryTables(quick, ['firn.run']);
  const came: number[] = [];
  const query = async <R extends object = Record<string, unknown>>(sql: string) => {
    const rows = await late.engine.query<R>(sql);
    came.push(rows.length);
    return rows;
  };
  await fillKept({ ...late, engine: { ...late.engine, query } });
  expect(Math.max(...came)).toBeLessThan(12_000);
  // What was done is told of the newest alone.
  const runs = 'SELECT * EXCLUDE (summary) FROM firn.run ORDER BY run_id';
  expect(await late.workbench.query(runs)).toEqual(await quick.workbench.query(runs));
});

/** A model of its own, in words of both engines. */
const model = (name: string, kept: string, sql: string) =>
  parseModel(name, `${name}.sql`, `/*\ndescription: what this test needs\nkept: ${kept}\n*/\n${sql}`);

/** The blocks of every chain that is known: they were read before, by load 1. */
const models = [
  model(
    'staging.evm_block',
    'view',
    `SELECT chain_id, 7 AS "number", CAST('2026-01-05' AS TIMESTAMP(6)) AS block_time, 1 AS gas_used, 'containers' AS source FROM firn.chain`,
  ),
  model('staging.evm_change', 'view', `SELECT chain_id, "number", 1 AS _load_id FROM staging.evm_block`),
  model('firn.coverage', 'table', `SELECT 'none' AS chain_id, 'node' AS source`),
  model('mart.fct_block', 'table', 'SELECT * FROM staging.evm_block'),
];
const audits = [
  parseAudit(
    'assert_no_block.sql',
    '/*\nclaim: No chain has a block.\nprotects: [mart.fct_block]\nseverity: warns\n*/\nSELECT chain_id FROM mart.fct_block WHERE in_new_loads(1)',
  ),
];

/** The phases of a command on a lake that was opened, with what they tell. */
async function phasesOn(
  lake: Awaited<ReturnType<typeof openedTwice>>[number],
  runId: string,
  own = models,
  claims = audits,
) {
  vi.mocked(openLake).mockResolvedValue(lake);
  const log = { debug: vi.fn(), warn: vi.fn() };
  const settings = { warehouse: await temporary(), engine: { catalog: 'lake', schema: 'firn' } };
  const options = { settings, catalogue: [], models: own, audits: claims, log } as unknown as PhaseOptions;
  const { works } = await openLakePlace(options);
  const session = {
    options,
    project: { settings },
    settings,
    run: { runId },
    outcome: {} as Session['outcome'],
    count: vi.fn(),
    fail: vi.fn(),
    noteReport: () => noteRun(lake.workbench, { runId, command: 'run', exitCode: 0 }),
  };
  const doing = (work: keyof typeof works) => works[work](session as unknown as Session);
  return {
    build: () => doing('build'),
    reconcile: () => doing('reconcile'),
    publish: () => doing('publish'),
    ...session,
  };
}

test('blocks that were read before their chain was known are audited, with all else', { tags: 'long' }, async () => {
  const [lake] = await openedTwice();
  const { build, outcome, fail } = await phasesOn(lake, 'one');
  const found = async () => {
    await build();
    expect(fail.mock.calls).toEqual([]);
    return outcome.audits.map(({ failedRows }) => failedRows);
  };
  for (const _ of ['first', 'nothing new']) expect(await found()).toEqual([0]);
  await lake.control.query(`INSERT INTO firn.chain (chain_id, name, alias, vm) VALUES ('1', 'C-Chain', 'C', 'evm')`);
  expect(await found()).toEqual([1]);
});

test('what a build of other models left half way is built anew, whatever models come next', {
  tags: 'long',
}, async () => {
  const [lake] = await openedTwice();
  const kept = (row: string) => [...models, model('mart.own', 'table', `SELECT ${row} AS x`)];
  const broken = model('mart.broken', 'table', 'SELECT count(nothing) AS x FROM mart.own');
  const first = await phasesOn(lake, 'first', kept('1'));
  await first.build();
  const changed = await phasesOn(lake, 'changed', [...kept('2'), broken]);
  await expect(changed.build()).rejects.toThrow('nothing');
  expect(await lake.engine.query('SELECT x FROM mart.own')).toEqual([{ x: 2 }]);
  const back = await phasesOn(lake, 'back', kept('1'));
  await back.build();
  expect(await lake.engine.query('SELECT x FROM mart.own')).toEqual([{ x: 1 }]);
});

const addChain = (sql: Pick<Control, 'query'>) =>
  sql.query(`INSERT INTO firn.chain (chain_id, name, alias, vm) VALUES ('1', 'C-Chain', 'C', 'evm')`);

test('what a build compares with may be gone, by maintenance: then everything is made anew', {
  tags: 'long',
}, async () => {
  const [lake] = await openedTwice();
  const over = (inner: Engine): Engine => ({
    ...inner,
    // As Trino says it.
    query: (sql) =>
      inner.query<never>(sql).catch((error: Error) => {
        throw /999 .* does not exist/.test(error.message) ? new FirnError('failed', error.message) : error;
      }),
    held: (assertHeld) => over(inner.held(assertHeld)),
  });
  const { build } = await phasesOn({ ...lake, engine: over(lake.engine) }, 'one');
  await build();
  await lake.control.query(
    `UPDATE firn.build SET snapshots = (SELECT jsonb_object_agg(key, '999') FROM jsonb_each_text(snapshots::jsonb))`,
  );
  await addChain(lake.control);
  await build();
  expect(await lake.engine.query('SELECT chain_id FROM mart.fct_block')).toEqual([{ chain_id: '1' }]);
});

test('an audit that passed because rows were known to be missing looks at all rows once they are not', {
  tags: 'long',
}, async () => {
  const [lake] = await openedTwice();
  const claim = parseAudit(
    'assert_no_block.sql',
    `/*\nclaim: No chain has a block unless some are missing.\nprotects: [mart.fct_block, mart.unknown]\nseverity: warns\n*/
     SELECT chain_id FROM mart.fct_block WHERE in_new_loads(1) AND NOT EXISTS (SELECT 1 FROM firn.gap)`,
  );
  const { build, outcome, fail } = await phasesOn(lake, 'one', models, [claim]);
  const found = async () => {
    await build();
    return outcome.audits.map(({ failedRows }) => failedRows);
  };
  await addChain(lake.control);
  await lake.control.query(
    `INSERT INTO firn.gap (stream, partition, from_position, to_position, load_id) VALUES ('s', 'p', 1, 2, 1)`,
  );
  for (const _ of ['first', 'nothing new']) expect(await found()).toEqual([0]);
  await lake.control.query('DELETE FROM firn.gap');
  expect(await found()).toEqual([1]);
  expect(fail.mock.calls.map(([{ message }]) => message)).toContainEqual(expect.stringContaining('mart.unknown'));
});

test('a build without a table that tells what changed is not whole', { tags: 'long' }, async () => {
  const [lake] = await openedTwice();
  const over = (inner: Engine): Engine => ({
    ...inner,
    async build(name, sql) {
      if (name === 'mart.fct_block') throw new FirnError('failed', 'Trino refused it.');
      return inner.build(name, sql);
    },
    held: (assertHeld) => over(inner.held(assertHeld)),
  });
  const { build, publish } = await phasesOn({ ...lake, engine: over(lake.engine) }, 'one');
  await build();
  await expect(publish()).rejects.toThrow('No build has come to its end');
});

test('a build brings old rows up to date first, and takes no references of one machine', { tags: 'long' }, async () => {
  const [lake] = await openedTwice();
  const { build, options, settings } = await phasesOn(lake, 'one');
  Object.assign(options, { catalogue: [chains] });
  await lake.control.query(
    `INSERT INTO firn.schema_change (stream, member, example, load_id, seen_at) VALUES ('data/chains', 'chainName', '', 1, now())`,
  );
  await lake.control.query(`INSERT INTO firn.lake_change (table_name, statement) VALUES ('raw.none', 'what it takes')`);
  await build();
  const left = 'SELECT member FROM firn.schema_change UNION ALL SELECT statement FROM firn.lake_change';
  expect(await lake.control.query(left)).toEqual([]);
  const references = join(settings.warehouse, 'refs');
  await mkdir(references);
  await writeFile(join(references, 'names.csv'), 'a');
  await expect(build()).rejects.toMatchObject({ code: 'config', message: expect.stringContaining('names.csv') });
});

test('an older firn neither builds, judges nor publishes by its models what a newer one built by others', {
  tags: 'long',
}, async () => {
  const [lake] = await openedTwice();
  const { build, reconcile, publish } = await phasesOn(lake, 'older');
  await build();
  await lake.control.query(`UPDATE firn.build SET models_hash = 'newer', firn_version = '99.0.0', machine = 'm'`);
  const refused = { code: 'newer_warehouse', message: expect.stringMatching(/^firn 99\.0\.0 on m .* Upgrade firn/) };
  for (const work of [build, reconcile, publish]) await expect(work()).rejects.toMatchObject(refused);
  expect(await lake.ledger.version()).toBeUndefined();
});

test('statements of a build that was killed are ended before the next one begins, and where Trino is down none does', {
  tags: 'long',
}, async () => {
  const [lake] = await openedTwice();
  const endChanges = vi.fn<Engine['endChanges']>();
  const { build, options } = await phasesOn({ ...lake, engine: { ...lake.engine, endChanges } }, 'next');
  const warned = () =>
    vi
      .mocked(options.log.warn)
      .mock.calls.splice(0)
      .map(([, sentence]) => sentence);
  endChanges.mockResolvedValueOnce(2);
  await build();
  expect(warned()).toEqual([expect.stringContaining('Ended 2 statements')]);
  endChanges.mockRejectedValueOnce(new FirnError('failed', 'It may not say.'));
  await build();
  expect(warned()).toEqual([expect.stringContaining('is not known: It may not say.')]);
  endChanges.mockRejectedValueOnce(new FirnError('unavailable', 'It is down.', { retryable: true }));
  await expect(build()).rejects.toMatchObject({ code: 'unavailable' });
  endChanges.mockResolvedValueOnce(0);
  await build();
  expect(warned()).toEqual([]);
});

test('a version tells of its run by the clock of the control database', { tags: 'long' }, async () => {
  const [lake] = await openedTwice();
  const { build, publish } = await phasesOn(lake, 'ahead');
  await build();
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 });
  await publish();
  const told = `SELECT run_id, (now()::TIMESTAMP - started_at > INTERVAL 23 HOURS) AS is_back FROM published_firn.run`;
  expect(await lake.engine.query(told)).toEqual([{ run_id: 'ahead', is_back: true }]);
});

test('what an audit found is looked for again, also where the clock of the machine that found it was behind', {
  tags: 'long',
}, async () => {
  const [lake] = await openedTwice();
  const { build, outcome } = await phasesOn(lake, 'one');
  const found = async () => {
    await build();
    return outcome.audits.map(({ failedRows }) => failedRows);
  };
  expect(await found()).toEqual([0]);
  await lake.control.query(`INSERT INTO firn.chain (chain_id, name, alias, vm) VALUES ('1', 'C-Chain', 'C', 'evm')`);
  expect(await found()).toEqual([1]);
  await lake.workbench.run('UPDATE firn.audit SET checked_at = checked_at - INTERVAL 1 HOUR WHERE failed_rows > 0');
  await carryTables(lake, ['firn.audit']);
  expect(await found()).toEqual([1]);
});

test('a model that cannot be built, or shown, keeps no other from readers, and is built whole once it can be', {
  tags: 'long',
}, async () => {
  const [opened] = await openedTwice();
  const { engine } = opened;
  const refused = new Set<string>();
  const refusing =
    (work: (name: string, sql: string) => Promise<void>) =>
    async (name: string, sql: string): Promise<void> => {
      if (refused.has(name)) throw new FirnError('failed', 'Trino refused it.');
      return work(name, sql);
    };
  const over = (inner: Engine): Engine => ({
    ...inner,
    build: refusing(inner.build),
    show: refusing(inner.show),
    held: (assertHeld) => over(inner.held(assertHeld)),
  });
  const own = ['odd', 'good'].map((name) =>
    model(`mart.${name}`, 'table', 'SELECT count(*) AS blocks FROM mart.fct_block'),
  );
  const views = ['seen', 'on_odd'].map((name) =>
    model(`mart.${name}`, 'view', `SELECT blocks FROM mart.${name === 'seen' ? 'good' : 'odd'}`),
  );
  const { build, publish, fail, outcome } = await phasesOn({ ...opened, engine: over(engine) }, 'one', [
    ...models,
    ...own,
    ...views,
  ]);
  const failures = () => fail.mock.calls.splice(0).map(([error]) => (error as Error).message);
  const shown = async () => {
    const rows: Record<string, number> = {};
    for (const name of ['odd', 'good', 'seen', 'on_odd']) {
      const found = engine.query<{ blocks: bigint }>(`SELECT blocks FROM published_mart.${name}`).catch(() => []);
      for (const { blocks } of await found) rows[name] = Number(blocks);
    }
    return rows;
  };
  let chains = 0;
  const addChain = () =>
    opened.control.query(`INSERT INTO firn.chain (chain_id, name, alias, vm) VALUES ($1, $1, $1, 'evm')`, [
      `${++chains}`,
    ]);
  const run = async () => {
    await build();
    await publish();
    return shown();
  };
  refused.add('mart.odd');
  expect(await run()).toEqual({ good: 0, seen: 0 });
  expect(failures()).toEqual(['mart.odd.sql:5: Trino refused it.']);
  expect(outcome.heldBack.map(({ relation }) => relation)).toEqual(['mart.odd', 'mart.on_odd']);
  // As other machines learn of it.
  expect(await engine.query('SELECT relation FROM firn.held_back ORDER BY 1')).toEqual(
    outcome.heldBack.map(({ relation }) => ({ relation })),
  );
  refused.clear();
  expect(await run()).toEqual({ odd: 0, good: 0, seen: 0, on_odd: 0 });
  await addChain();
  refused.add('mart.odd');
  const snapshotOfOdd = async () => (await opened.ledger.version())?.snapshots['mart.odd'];
  const before = await snapshotOfOdd();
  expect(await run()).toEqual({ odd: 0, good: 1, seen: 1, on_odd: 0 });
  expect([before, await snapshotOfOdd()]).toEqual([expect.any(String), before]);
  refused.clear();
  expect(await run()).toEqual({ odd: 1, good: 1, seen: 1, on_odd: 1 });
  failures();
  await addChain();
  refused.add('published_mart.seen');
  expect(await run()).toEqual({ odd: 2, good: 2, seen: 1, on_odd: 2 });
  expect(failures()).toEqual([
    expect.stringMatching(/^mart\.seen\.sql:5: .* Readers do not see this version of mart\.seen/),
  ]);
});

test('a run whose table cannot be applied says so, and builds and publishes all else', { tags: 'long' }, async () => {
  const [opened] = await openedTwice();
  const tables = ['raw.lost', 'raw.found'].map((name) => ({ name, columns: [ownColumn('k', 'bigint')] }));
  const { workbench, control, engine, ledger, stage } = opened;
  await workbench.run('CREATE SCHEMA IF NOT EXISTS raw');
  const files = [];
  for (const { name } of tables) {
    const id = await ledger.nextBatch();
    await workbench.run(`CREATE TABLE ${name} (k BIGINT)`);
    const rows = `SELECT k, ${id}::BIGINT AS firn_batch, k AS firn_row FROM range(3) AS r (k)`;
    files.push(await stageRows(fileURLToPath(stage.root), stage.root, name, id, rows));
  }
  await insertFiles(control, files);
  await control.query(
    `INSERT INTO firn.load (load_id, run_id, stream, partition, pages, rows_in, rows_written, rows_quarantined, bytes, committed_at)
     SELECT id, 'r', 's', 'p', 1, 1, 1, 0, 1, now() FROM unnest($1::bigint[]) AS id`,
    [files.map(({ id }) => id)],
  );
  // As Trino takes a file that is gone.
  const apply: Engine['apply'] = async (name, files) =>
    name === 'raw.lost' ? { inserted: 0 } : engine.apply(name, files);
  vi.mocked(openLake).mockResolvedValue({ ...opened, engine: { ...engine, apply }, tables, close: async () => {} });
  const counts = ['lost', 'found'].map((name) =>
    model(`mart.${name}`, 'table', `SELECT count(*) AS held FROM raw.${name}`),
  );
  const report = await runPhases({
    settings: {
      ...{ warehouse: await temporary(), engine: { catalog: 'lake', schema: 'firn' } },
      ...{ sources: { data: {} }, pipelines: { all: { streams: { 'data/chains': {} } } } },
    },
    ...{
      catalogue: [chains],
      phases: ['sync', 'build', 'publish'],
      models: [...models, ...counts],
      audits: [],
      open: openLakePlace,
    },
    ...{ signal: new AbortController().signal, log: { debug: vi.fn(), warn: vi.fn() } },
  } as unknown as PhaseOptions);
  expect(report).toMatchObject({
    exitCode: 4,
    problems: [{ message: expect.stringContaining('raw.lost: the file is gone') }],
  });
  expect(report.published).toMatchObject({ version: 1 });
  const shown =
    'SELECT (SELECT held FROM published_mart.lost) AS lost, (SELECT held FROM published_mart.found) AS found';
  expect(await engine.query(shown)).toEqual([{ lost: 0n, found: 3n }]);
});

test('readers do not see a model any more that is no more, and still what is not of firn', {
  tags: 'long',
}, async () => {
  const [lake] = await openedTwice();
  const { engine } = lake;
  const relations = async () => {
    const rows = await engine.query<{ view_name: string }>(
      `SELECT view_name FROM duckdb_views() WHERE schema_name = 'published_mart' ORDER BY 1`,
    );
    return rows.map(({ view_name }) => view_name);
  };
  const run = async (own: typeof models) => {
    const { build, publish } = await phasesOn(lake, 'one', own);
    await build();
    await publish();
  };
  await run([...models, model('mart.old', 'table', 'SELECT 1 AS x'), model('mart.Seen', 'view', 'SELECT 1 AS x')]);
  await engine.run(
    `CREATE VIEW published_mart.theirs AS SELECT 1 AS x; COMMENT ON VIEW published_mart.theirs IS 'made by hand'`,
  );
  const before = await relations();
  expect(before).toEqual(expect.arrayContaining(['Seen', 'fct_block', 'old', 'theirs']));
  await run([...models, model('mart.Seen', 'view', 'SELECT 1 AS x')]);
  expect(await relations()).toEqual(before.filter((name) => name !== 'old'));
});
