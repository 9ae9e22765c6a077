/** @module-tag long */
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Layout, Layouts } from '../../../src/core/columns/layout.ts';
import { nameOf } from '../../../src/core/text/sqlText.ts';
import { openWarehouse, type Warehouse } from '../../../src/load/state/warehouse.ts';
import { planFiles } from '../../../src/publish/files/planFiles.ts';
import { publishedTables } from '../../../src/publish/files/publishedTables.ts';
import { newestManifest } from '../../../src/publish/manifest.ts';
import { publish } from '../../../src/publish/publish.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';
import { temporary } from '../../temporaryFolders.ts';
import { unpublished } from '../unpublished.ts';

const time = (column: string) => ({
  chain: 'chain_id',
  by: { kind: 'time' as const, column },
  sort: ['chain_id', column, 'n'],
});
const layouts: Layouts = new Map<string, Layout>([
  ['raw.blocks', { chain: 'chain_id', by: { kind: 'height', column: 'n' }, sort: ['chain_id', 'n'] }],
  ['raw.timed', time('moment')],
  ['mart.fact', time('moment')],
  ['mart.shown', { ...time('moment'), byHours: true }],
]);
const cut = { layouts, fileBytes: 600, maxRows: 40 };

async function emptyWarehouse(): Promise<Warehouse> {
  const warehouse = await openWarehouse({ folder: await temporary('news'), tables: [] });
  onTestFinished(() => warehouse.close());
  await warehouse.run(`
    CREATE TABLE raw.blocks (chain_id VARCHAR, n BIGINT, _load_id BIGINT);
    CREATE TABLE raw.timed (chain_id VARCHAR, moment TIMESTAMP, n BIGINT, _load_id BIGINT);
    CREATE TABLE mart.fact (chain_id VARCHAR, moment TIMESTAMP, n BIGINT);
    CREATE VIEW mart.shown AS SELECT chain_id, moment, n, n * 2 AS twice FROM raw.timed WHERE moment IS NOT NULL;
    INSERT INTO firn.model VALUES ('mart.fact', 'h', now()::TIMESTAMP, 0, 0), ('mart.shown', 'h', now()::TIMESTAMP, 0, 0);
    INSERT INTO firn.build_state (load_id, models_hash, files_hash, built_at) VALUES (0, 'h', 'h', now()::TIMESTAMP)`);
  return warehouse;
}

/** What happens to the rows of a chain on a day. */
interface Step {
  readonly chain: string;
  readonly day: number;
  readonly rows: number;
  readonly does: 'load' | 'build' | 'untimed' | 'replace' | 'drop' | 'afresh' | 'hold' | 'publish';
}

const usual = ['load', 'load', 'build', 'replace', 'publish'] as const;

const step: fc.Arbitrary<Step> = fc.record({
  chain: fc.constantFrom('1', '2'),
  day: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 400 })),
  rows: fc.integer({ min: 1, max: 60 }),
  does: fc.constantFrom(...usual, ...usual, ...usual, 'untimed', 'drop', 'afresh', 'hold'),
});

/** Does one step after the other, with the notes that builds leave: of all that was loaded since the build before. */
function simulated(warehouse: Warehouse) {
  let load = 0;
  const loaded: string[] = [];
  const build = async () => {
    for (const range of loaded.splice(0)) {
      const [chain, from, until] = range.split(', ');
      const isDay = `chain_id = ${chain} AND moment >= ${from} AND moment < ${until}`;
      await warehouse.run(
        `DELETE FROM mart.fact WHERE ${isDay}; INSERT INTO mart.fact SELECT chain_id, moment, n FROM raw.timed WHERE ${isDay};
         INSERT INTO firn.rebuilt VALUES ('mart.fact', ${range}), ('mart.shown', ${range})`,
      );
    }
    await warehouse.run(`UPDATE firn.build_state SET load_id = ${load}`);
  };
  return async ({ chain, day, rows, does }: Step): Promise<void> => {
    const from = `TIMESTAMP '2026-01-01' + to_days(${day})`;
    const until = `TIMESTAMP '2026-01-01' + to_days(${day + 1})`;
    const noteLoad = async () => {
      load++;
      loaded.push(`'${chain}', ${from}, ${until}`);
      await warehouse.run(
        `INSERT INTO firn.load BY NAME (SELECT ${load} AS load_id, 'r' AS run_id, 's' AS stream, '' AS "partition", 1 AS pages, 1 AS rows_in,
           1 AS rows_written, 0 AS rows_quarantined, 1 AS bytes, now()::TIMESTAMP AS committed_at)`,
      );
    };
    const add = async (moment: string) => {
      await noteLoad();
      await warehouse.run(
        `INSERT INTO raw.timed SELECT '${chain}', ${moment}, ${load} * 1000 + i, ${load} FROM range(${rows}) AS r(i);
         INSERT INTO raw.blocks SELECT '${chain}', ${day} * 60000 + i * 7919, ${load} FROM range(${rows}) AS r(i)`,
      );
    };
    switch (does) {
      case 'load':
        return add(`${from} + to_seconds(i)`);
      case 'build':
        return build();
      case 'untimed':
        await add('NULL');
        return build();
      case 'replace':
        await noteLoad();
        return void (await warehouse.run(
          `UPDATE raw.timed SET n = -n, _load_id = ${load} WHERE chain_id = '${chain}' AND moment >= ${from} AND moment < ${until}`,
        ));
      case 'drop':
        return void (await warehouse.run(
          `DELETE FROM raw.timed WHERE chain_id = '${chain}' AND moment < ${until}; DELETE FROM raw.blocks WHERE chain_id = '${chain}' AND n < ${day} * 60000;
           UPDATE firn.build_state SET models_hash = ''`,
        ));
      case 'afresh':
        loaded.length = 0;
        return void (await warehouse.run(
          `DELETE FROM mart.fact; INSERT INTO mart.fact SELECT chain_id, moment, n + ${rows} FROM raw.timed;
           INSERT INTO firn.rebuilt VALUES ('mart.fact', NULL, NULL, NULL), ('mart.shown', NULL, NULL, NULL);
           UPDATE firn.build_state SET models_hash = 'h', load_id = ${load}`,
        ));
      case 'hold':
        return void (await warehouse.run(
          `CREATE OR REPLACE TEMP TABLE was AS FROM firn.held_back; DELETE FROM firn.held_back;
           INSERT INTO firn.held_back BY NAME
           SELECT 'mart.fact' AS relation, 'a' AS audit, now()::TIMESTAMP AS since, 'r' AS reason WHERE NOT EXISTS (FROM was)`,
        ));
      case 'publish':
        await publish(warehouse, { ...cut, runId: `r${load}` });
    }
  };
}

test('what a publish does not look at is as it was: files say what they say when all is looked at', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
      const warehouse = await emptyWarehouse();
      const take = simulated(warehouse);
      for (const one of steps) await take(one);
      await warehouse.run('DELETE FROM firn.held_back');
      await publish(warehouse, { ...cut, runId: 'last' });
      expect(await unpublished(warehouse)).toEqual([]);
      const { before } = await newestManifest(warehouse.folder);
      const tables = (await publishedTables(warehouse)).filter((table) => layouts.has(nameOf(table)));
      await warehouse.run('DELETE FROM firn.publish_state');
      const plan = await planFiles(warehouse, tables, before, new Set(), cut);
      // How rows are shared among files follows from the sizes of those before: the same rows in one file have one fingerprint.
      for (const { table, units } of plan.tables) {
        const files = before?.tables.find((published) => nameOf(published) === nameOf(table))?.files ?? [];
        for (const { unit } of units) {
          const file = files.find((one) => one.unit === unit.key);
          if (file)
            expect(file, nameOf(table)).toMatchObject({
              fingerprint: unit.fingerprint,
              rows: unit.rows,
              first: unit.first,
            });
        }
      }
      warehouse.close();
    }),
    { numRuns: fuzzRuns(6), endOnFailure: true },
  );
});

test('a view shows what was loaded of a time that is not built any more, and so do readers', async () => {
  const warehouse = await emptyWarehouse();
  const take = simulated(warehouse);
  const load: Step = { chain: '1', day: 3, rows: 5, does: 'load' };
  for (const does of ['load', 'build', 'publish'] as const) await take({ ...load, does });
  await warehouse.run("INSERT INTO firn.frozen VALUES ('1', TIMESTAMP '2026-02-01')");
  await take(load);
  // A build that leaves the time alone notes none of its hours.
  await warehouse.run('UPDATE firn.build_state SET load_id = (SELECT max(load_id) FROM firn.load)');
  await take({ ...load, does: 'publish' });
  expect(await warehouse.query('SELECT count(*) AS n FROM mart.shown')).toEqual([{ n: 10n }]);
  expect(await unpublished(warehouse)).toEqual([]);
});

test('views of what is to be built anew are looked at whole: a macro in them may mean something else since', async () => {
  const warehouse = await emptyWarehouse();
  const doubled = (by: number) => warehouse.run(`CREATE OR REPLACE MACRO mart.doubled(n) AS n * ${by}`);
  await doubled(2);
  await warehouse.run(
    `CREATE OR REPLACE VIEW mart.shown AS SELECT chain_id, moment, n, mart.doubled(n) AS twice FROM raw.timed`,
  );
  const take = simulated(warehouse);
  for (const does of ['load', 'build', 'publish'] as const) await take({ chain: '1', day: 3, rows: 5, does });
  await doubled(3);
  await warehouse.run("UPDATE firn.build_state SET models_hash = ''");
  await take({ chain: '1', day: 3, rows: 5, does: 'publish' });
  expect(await unpublished(warehouse)).toEqual([]);
});

test('a row that a load gave another time leaves the file of the one that it had', async () => {
  const warehouse = await emptyWarehouse();
  const take = simulated(warehouse);
  const load: Step = { chain: '1', day: 3, rows: 60, does: 'load' };
  for (const day of [3, 40, 80]) await take({ ...load, day });
  for (const does of ['build', 'publish', 'load'] as const) await take({ ...load, day: 120, does });
  await warehouse.run(
    `UPDATE raw.timed SET moment = TIMESTAMP '2026-05-01', _load_id = (SELECT max(load_id) FROM firn.load) WHERE n = 1000`,
  );
  await take({ ...load, does: 'publish' });
  expect(await unpublished(warehouse)).toEqual([]);
});

test('what was built while a relation was held back is published once it is not', async () => {
  const warehouse = await emptyWarehouse();
  const take = simulated(warehouse);
  const step: Step = { chain: '1', day: 3, rows: 5, does: 'load' };
  for (const does of ['load', 'build', 'publish', 'hold', 'replace', 'build', 'publish', 'hold', 'publish'] as const)
    await take({ ...step, does });
  // As many rows as before, with other values.
  expect(await warehouse.query('SELECT count_if(n < 0) AS n FROM mart.fact')).toEqual([{ n: 5n }]);
  expect(await unpublished(warehouse)).toEqual([]);
});

test('of relations with several files those alone are looked at in which something may have changed', async () => {
  const warehouse = await emptyWarehouse();
  const take = simulated(warehouse);
  const load: Step = { chain: '1', day: 3, rows: 60, does: 'load' };
  const days = [3, 40, 80, 120].map((day) => ({ ...load, day }));
  for (const step of [...days, { ...load, does: 'build' as const }]) await take(step);
  await publish(warehouse, { ...cut, runId: 'r' });
  for (const does of ['load', 'build'] as const) await take({ ...load, day: 120, rows: 1, does });
  const { before } = await newestManifest(warehouse.folder);
  const tables = (await publishedTables(warehouse)).filter((table) => layouts.has(nameOf(table)));
  const looks: string[] = [];
  const query: Warehouse['query'] = (sql, ...values) => {
    looks.push(sql);
    return warehouse.query(sql, ...values);
  };
  const plan = await planFiles({ folder: warehouse.folder, query }, tables, before, new Set(), cut);
  expect(plan.tables.map(({ units }) => units.map(({ reused }) => !reused).sort())).toEqual(
    tables.map(() => [false, false, false, true]),
  );
  expect(looks.filter((sql) => sql.includes(' WHERE true ') || sql.endsWith(' AS rows FROM "mart"."shown"'))).toEqual(
    [],
  );
});

test('an hour that was built again is looked for in its whole day', async () => {
  const warehouse = await emptyWarehouse();
  const take = simulated(warehouse);
  const step: Step = { chain: '1', day: 3, rows: 60, does: 'load' };
  for (const day of [3, 40, 80]) await take({ ...step, day });
  await take({ ...step, does: 'build' });
  await publish(warehouse, { ...cut, runId: 'r1' });
  await warehouse.run(
    `UPDATE mart.fact SET n = -n WHERE moment < TIMESTAMP '2026-01-05';
     INSERT INTO firn.rebuilt VALUES ('mart.fact', '1', '2026-01-04 00:00:00', '2026-01-04 01:00:00')`,
  );
  await publish(warehouse, { ...cut, runId: 'r2' });
  expect(await unpublished(warehouse)).toEqual([]);
});

test('a view of which nobody notes the hours is looked at whole', async () => {
  const warehouse = await emptyWarehouse();
  const take = simulated(warehouse);
  const load: Step = { chain: '1', day: 3, rows: 5, does: 'load' };
  const own = { ...cut, layouts: new Map([...layouts, ['mart.shown', time('moment')]]) };
  for (const does of ['load', 'build'] as const) await take({ ...load, does });
  await publish(warehouse, { ...own, runId: 'r1' });
  await take(load);
  await warehouse.run('UPDATE firn.build_state SET load_id = (SELECT max(load_id) FROM firn.load)');
  await publish(warehouse, { ...own, runId: 'r2' });
  expect(await unpublished(warehouse)).toEqual([]);
});

test.each(['run_id', '"version"'])(
  'of a version with another %s than is noted, nothing is taken for known',
  async (column) => {
    const warehouse = await emptyWarehouse();
    await warehouse.run(`INSERT INTO mart.fact VALUES ('1', '2026-01-01', 1)`);
    await publish(warehouse, { ...cut, runId: 'r1' });
    await warehouse.run(`UPDATE mart.fact SET n = 2; UPDATE firn.publish_state SET ${column} = 7`);
    expect(await publish(warehouse, { ...cut, runId: 'r2' })).toMatchObject({ version: 2, written: 1 });
  },
);

test.each(['rehash', 'afresh'])('with `%s` all is looked at, also what nobody noted', async (how) => {
  const warehouse = await emptyWarehouse();
  await warehouse.run(`INSERT INTO mart.fact VALUES ('1', '2026-01-01', 1)`);
  await publish(warehouse, { ...cut, runId: 'r1' });
  await warehouse.run('UPDATE mart.fact SET n = 2');
  expect(await publish(warehouse, { ...cut, runId: 'r2' })).toMatchObject({ version: 1, written: 0 });
  expect(await publish(warehouse, { ...cut, runId: 'r3', [how]: true })).toMatchObject({ version: 2, written: 1 });
});

test.each([
  [
    'a build does not say of which hours it is',
    `INSERT INTO mart.fact VALUES ('1', '2026-01-01', 1)`,
    `UPDATE mart.fact SET n = 2; INSERT INTO firn.rebuilt VALUES ('mart.fact', NULL, NULL, NULL)`,
  ],
  ['a row has no time', `INSERT INTO raw.timed VALUES ('1', NULL, 1, 0)`, 'UPDATE raw.timed SET n = 2, _load_id = 1'],
  [
    'a row ends that an older load brought',
    'CREATE TABLE raw.listed AS SELECT 1 AS n, 0::BIGINT AS _load_id, NULL::TIMESTAMP AS _valid_to',
    `UPDATE raw.listed SET _valid_to = '2026-01-01'`,
  ],
])('what changes is published where %s', async (_, before, change) => {
  const warehouse = await emptyWarehouse();
  await warehouse.run(before);
  await publish(warehouse, { ...cut, runId: 'r1' });
  await warehouse.run(change);
  expect(await publish(warehouse, { ...cut, runId: 'r2' })).toMatchObject({ version: 2, written: 1 });
});
