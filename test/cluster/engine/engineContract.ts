import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Engine, LakeTable, StagedBatch } from '../../../src/cluster/contract.ts';
import { filledTables } from '../../../src/cluster/engine/lakeTable.ts';
import { changeOldRows } from '../../../src/cluster/lake/changeOldRows.ts';
import { renderingAt, renderingOf, replacedIn, takeCut } from '../../../src/cluster/lake/cut.ts';
import type { LakeCut, Stretches } from '../../../src/cluster/lake/lakeCut.ts';
import { frozenTable, putBackFrozen } from '../../../src/cluster/lake/putBackFrozen.ts';
import { migrateControl } from '../../../src/cluster/ledger/migrateControl.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { renderForTrino } from '../../../src/cluster/render/renderForTrino.ts';
import { unloadFolder } from '../../../src/cluster/stage/fileName.ts';
import { queryLake } from '../../../src/cluster/worker/queryLake.ts';
import type { Column } from '../../../src/core/columns/table.ts';
import { openDuckDb } from '../../../src/load/database/openDuckDb.ts';
import { sqlFolder } from '../../../src/load/packageFiles.ts';
import type { KeptAs, PlacedModel } from '../../../src/transform/models/model.ts';
import { freshDatabase } from '../postgres.ts';

/** An engine to judge, and how rows come into its stage. */
export interface JudgedEngine {
  readonly engine: Engine;
  /** Where the stage lies on this machine, and what the URIs of its files begin with. */
  readonly folder: string;
  readonly root: string;
  /** The same tables through a connection whose first answers are lost after the work was done. */
  losing(): Engine;
  /** Writes the rows of a query as the file of a batch. */
  stage(table: string, id: number, select: string): Promise<StagedBatch>;
}

const column = (name: string, type: Column['type']): Column => ({ name, type, nullable: true, description: '' });
const columns = [column('k', 'bigint'), column('amount', 'decimal38'), column('moment', 'timestamp')];
const numbers = (name: string): LakeTable => ({ name, columns });

/** Rows `from`..`until` of a batch, with an amount of 38 digits each. */
const rowsOf = (id: number, from: number, until: number) =>
  `SELECT n AS k, CAST('99999999999999999999999999999999999' || lpad(n::VARCHAR, 3, '0') AS DECIMAL(38,0)) AS amount,
     TIMESTAMP '2026-01-01 00:00:00.000001' + n * INTERVAL 1 MICROSECOND AS moment, ${id}::BIGINT AS firn_batch, n - ${from} AS firn_row
   FROM range(${from}, ${until}) AS r (n)`;

/** What every engine promises, whatever it is. */
export function engineContract(judged: () => JudgedEngine): void {
  const held = async (table: string) => {
    const [row] = await judged().engine.query<{ held: bigint; apart: bigint }>(
      `SELECT count(*) AS held, count(DISTINCT k) AS apart FROM ${judged().engine.name(table)}`,
    );
    return [Number(row?.held), Number(row?.apart)];
  };

  test('what is applied again stays as it is', async () => {
    const { engine, stage } = judged();
    await engine.ensureTable(numbers('raw.again'));
    const batches = [await stage('raw.again', 7, rowsOf(7, 0, 20)), await stage('raw.again', 9, rowsOf(9, 20, 50))];
    expect(await engine.apply('raw.again', batches)).toEqual({ inserted: 50 });
    expect(await engine.apply('raw.again', batches)).toEqual({ inserted: 0 });
    const next = await stage('raw.again', 8, rowsOf(8, 50, 60));
    expect(await engine.apply('raw.again', [...batches, next])).toEqual({ inserted: 10 });
    expect(await held('raw.again')).toEqual([60, 60]);
  });

  test('two that apply a batch at once leave one copy', async () => {
    const { engine, stage } = judged();
    await engine.ensureTable(numbers('raw.race'));
    const batch = await stage('raw.race', 3, rowsOf(3, 0, 100));
    const counts = await Promise.all([engine.apply('raw.race', [batch]), engine.apply('raw.race', [batch])]);
    expect(counts.reduce((sum, { inserted }) => sum + inserted, 0)).toBe(100);
    expect(await held('raw.race')).toEqual([100, 100]);
  });

  test('a failure leaves nothing', async () => {
    const { engine, stage } = judged();
    await engine.ensureTable(numbers('raw.broken'));
    const good = await stage('raw.broken', 1, rowsOf(1, 0, 10));
    const bad = await stage('raw.broken', 2, `SELECT 'no number' AS k, 2::BIGINT AS firn_batch, 0::BIGINT AS firn_row`);
    await expect(engine.apply('raw.broken', [good, bad])).rejects.toThrow();
    expect(await held('raw.broken')).toEqual([0, 0]);
    expect(await engine.apply('raw.broken', [good])).toEqual({ inserted: 10 });
  });

  test('what was carried out while its answer was lost is there once', async () => {
    const { engine, stage } = judged();
    await engine.ensureTable(numbers('raw.lost'));
    const losing = judged().losing();
    await losing.ensureTable(numbers('raw.lost')).catch(() => losing.ensureTable(numbers('raw.lost')));
    const batch = await stage('raw.lost', 1, rowsOf(1, 0, 30));
    await losing.apply('raw.lost', [batch]).catch(() => losing.apply('raw.lost', [batch]));
    expect(await held('raw.lost')).toEqual([30, 30]);
  });

  test('newer batches replace what has the same key', async () => {
    const { engine, stage } = judged();
    await engine.ensureTable({ ...numbers('raw.newer'), replacedBy: ['k'] });
    const older = await stage('raw.newer', 1, rowsOf(1, 0, 10));
    // Children of a parent share its key: all of them are replaced, also by fewer.
    const newer = await stage('raw.newer', 2, rowsOf(2, 5, 15).replace('n AS k', '5 + n % 2 AS k'));
    await engine.apply('raw.newer', [newer]);
    await engine.apply('raw.newer', [older]);
    const rows = await engine.query<{ k: bigint; batch: bigint; held: bigint }>(
      `SELECT k, max(firn_batch) AS batch, count(*) AS held FROM ${engine.name('raw.newer')} WHERE k BETWEEN 4 AND 7 GROUP BY k ORDER BY k`,
    );
    expect(rows.map(({ k, batch, held: many }) => [k, batch, many].map(Number))).toEqual([
      [4, 1, 1],
      [5, 2, 5],
      [6, 2, 5],
      [7, 1, 1],
    ]);
  });

  test('children go with the newest batch of their parent, and may be the first that come', async () => {
    const { engine, stage } = judged();
    const parent = { ...numbers('raw.parent'), replacedBy: ['k'] };
    await engine.ensureTable({ ...numbers('raw.child'), replacedBy: ['k'], parent });
    await engine.apply('raw.child', [await stage('raw.child', 1, rowsOf(1, 0, 3))]);
    const children = async () =>
      (await engine.query<{ k: bigint }>(`SELECT k FROM ${engine.name('raw.child')} ORDER BY k`)).map(({ k }) => k);
    expect(await children()).toEqual([]);
    const first = await stage('raw.parent', 1, rowsOf(1, 0, 3));
    // The row of key 1 is read again, and has no child any more.
    const again = await stage('raw.parent', 2, rowsOf(2, 1, 2));
    await engine.apply('raw.parent', [first, again]);
    expect(await children()).toEqual([0n, 2n]);
  });

  test('no digit is lost', async () => {
    const { engine, stage } = judged();
    await engine.ensureTable(numbers('raw.exact'));
    await engine.apply('raw.exact', [await stage('raw.exact', 1, rowsOf(1, 7, 8))]);
    expect(
      await engine.query(
        `SELECT k + 9007199254740985 AS k, amount, CAST(moment AS VARCHAR) AS moment, CAST(NULL AS BIGINT) AS nothing FROM ${engine.name('raw.exact')}`,
      ),
    ).toEqual([
      {
        k: 9007199254740992n,
        amount: '99999999999999999999999999999999999007',
        moment: '2026-01-01 00:00:00.000008',
        nothing: null,
      },
    ]);
  });

  test('a table takes new columns, and keeps its rows', async () => {
    const { engine, stage } = judged();
    await engine.ensureTable(numbers('raw.wider'));
    await engine.apply('raw.wider', [await stage('raw.wider', 1, rowsOf(1, 0, 5))]);
    await engine.ensureTable({ name: 'raw.wider', columns: [...columns, column('note', 'varchar')] });
    // Before anything came that has them.
    const { 'raw.wider': snapshot = '' } = await engine.snapshots(['raw.wider']);
    expect(
      await engine.query(`SELECT count(*) AS held, count(note) AS noted FROM ${engine.asOf('raw.wider', snapshot)}`),
    ).toEqual([{ held: 5n, noted: 0n }]);
    const newer = await stage('raw.wider', 2, `SELECT *, 'new' AS note FROM (${rowsOf(2, 5, 8)})`);
    const old = await stage('raw.wider', 3, rowsOf(3, 8, 9));
    expect(await engine.apply('raw.wider', [newer, old])).toEqual({ inserted: 4 });
    expect(
      await engine.query(`SELECT count(*) AS held, count(note) AS noted FROM ${engine.name('raw.wider')}`),
    ).toEqual([{ held: 9n, noted: 3n }]);
  });

  test('a model is built anew in one step', async () => {
    const { engine } = judged();
    await engine.build('mart.built', 'SELECT 1 AS x');
    await expect(
      engine.build('mart.built', 'SELECT CAST(y AS INTEGER) AS x FROM (VALUES (2), (3)) AS t (nothing)'),
    ).rejects.toThrow();
    expect(await engine.query(`SELECT x FROM ${engine.name('mart.built')}`)).toEqual([{ x: 1 }]);
    await engine.build('mart.built', 'SELECT x FROM (VALUES (2), (3)) AS t (x)');
    expect(await engine.query(`SELECT sum(x) AS total FROM ${engine.name('mart.built')}`)).toEqual([
      { total: expect.anything() },
    ]);
  });

  test('a table holds just the rows of its files', async () => {
    const { engine, stage } = judged();
    const held = () =>
      engine.query(`SELECT k, CAST(moment AS VARCHAR) AS moment FROM ${engine.name('firn.whole')} ORDER BY k`);
    const file = await stage('firn.whole', 1, rowsOf(1, 0, 2));
    await engine.replace(numbers('firn.whole'), [file]);
    expect((await held()).map(({ k }) => k)).toEqual([0n, 1n]);
    await engine.replace(numbers('firn.whole'), []);
    expect(await held()).toEqual([]);
  });

  test('a table that was dropped may come back with other columns', async () => {
    const { engine, stage } = judged();
    const table = numbers('firn.gone');
    await engine.drop(table.name);
    await engine.replace({ ...table, columns: columns.slice(0, 1) }, [await stage('firn.gone', 1, rowsOf(1, 0, 2))]);
    await engine.drop(table.name);
    await expect(engine.query(`SELECT k FROM ${engine.name('firn.gone')}`)).rejects.toThrow();
    await engine.replace(table, [await stage('firn.gone', 2, rowsOf(2, 0, 2))]);
    expect(await engine.query(`SELECT k FROM ${engine.name('firn.gone')} WHERE amount > 0 ORDER BY k`)).toEqual([
      { k: 0n },
      { k: 1n },
    ]);
  });

  test('old rows have what newer versions have columns for, as on one machine', async () => {
    const { engine, stage, folder } = judged();
    const schemaFile = (name: string) => readFile(join(sqlFolder('schema'), name), 'utf8');
    const control = await openControl(await freshDatabase());
    // As a version left it that knew no such change.
    const blocks = 'raw.node_containers_c_blocks';
    const outputs = 'raw.data_primary_transactions_evm_outputs';
    await control.query('DROP TABLE firn.lake_change; ALTER TABLE firn.partition DROP COLUMN begun');
    await control.query('ALTER TABLE firn.task DROP COLUMN owner, DROP COLUMN begun_at');
    await control.query('ALTER TABLE firn.build DROP COLUMN firn_version, DROP COLUMN machine, DROP COLUMN behind');
    await control.query(
      'ALTER TABLE firn.batch_file DROP COLUMN columns_hash; DROP TABLE firn.file_columns, firn.dropped',
    );
    await control.query('ALTER TABLE firn.part DROP COLUMN after_batch, DROP COLUMN code');
    await control.query(`ALTER TABLE firn.build ALTER partial DROP DEFAULT, ALTER partial TYPE bigint[] USING '{}'`);
    await control.query('DELETE FROM firn.migration WHERE version >= 10');
    for (const [batch, table] of [blocks, outputs].entries())
      await control.query(
        `INSERT INTO firn.batch_file (batch_id, table_name, uri, rows, bytes, sha256, applied_at) VALUES ($1, $2, $2, 1, 1, '', now())`,
        [batch, table],
      );
    await migrateControl(control);
    const items = (list: string, n: number) =>
      `SELECT ${n}::BIGINT AS "number", ${list}::VARCHAR[] AS unknown_header_fields, 1::BIGINT AS firn_batch, ${n}::BIGINT AS firn_row`;
    const select = [
      items(`['0x05', '0x80', '0x8203e8', '0x84697f3c10', '0x01', '0x8401c9c380', '0x820102', 'x']`, 0),
      items(`['0x7f', '0x88ffffffffffffffff']`, 1),
      items('[]', 2),
      items('NULL', 3),
    ].join(' UNION ALL ');
    const old = [column('number', 'bigint'), column('unknown_header_fields', 'varchars')];
    const names = [
      'target_exponent',
      'min_price_exponent',
      'settled_height',
      'settled_gas_unix',
      'settled_gas_numerator',
    ];
    const newer = [...names, 'settled_excess'].map((name) => column(name, 'bigint'));
    await engine.ensureTable({ name: blocks, columns: old });
    await engine.apply(blocks, [await stage(blocks, 1, select)]);
    const tables = [
      { name: blocks, columns: [...old, ...newer] },
      { name: outputs, columns: [column('k', 'bigint'), column('position', 'integer')], replacedBy: ['k'] },
    ];
    for (const table of tables) await engine.ensureTable(table);
    await engine.apply(outputs, [
      await stage(
        outputs,
        1,
        'SELECT 1::BIGINT AS k, NULL::INTEGER AS "position", 1::BIGINT AS firn_batch, 0::BIGINT AS firn_row',
      ),
    ]);
    let waiting = [blocks];
    const ledger = { pendingTables: async () => waiting };
    await changeOldRows({ control, engine, ledger, tables });
    expect(await control.query('SELECT table_name FROM firn.lake_change')).toEqual([{ table_name: blocks }]);
    waiting = [];
    for (const _ of ['once', 'again']) await changeOldRows({ control, engine, ledger, tables });
    expect(await control.query('SELECT 1 FROM firn.lake_change')).toEqual([]);
    await control.close();
    expect(await engine.query(`SELECT "position" FROM ${engine.name(outputs)}`)).toEqual([{ position: 0 }]);
    const shown = `SELECT "number", ${newer.map(({ name }) => name).join(', ')}, array_to_string(unknown_header_fields, ' ') AS rest FROM ${blocks} ORDER BY 1`;
    const duckDb = await openDuckDb({ folders: [folder] });
    const { connection } = duckDb;
    await connection.run(`CREATE SCHEMA raw; CREATE TABLE ${blocks} AS ${select}`);
    await connection.run(await schemaFile('151_settled_headers.sql'));
    expect(await engine.query(renderForTrino(shown, renderingOf(engine, [])))).toEqual(
      (await connection.runAndReadAll(shown)).getRowObjects(),
    );
    duckDb.close();
  });

  test('rows of positions that were read again take the place of those that are there, with all of their children', async () => {
    const { engine, stage } = judged();
    const replacedBy = ['k'];
    const again = { ...numbers('raw.heights_again'), replacedBy };
    const heights = { ...numbers('raw.heights'), again };
    const kids = { ...numbers('raw.kids'), again: { ...numbers('raw.kids_again'), replacedBy, parent: again } };
    const tables = [heights, kids];
    const apply = async (table: LakeTable, id: number, from: number, until: number) => {
      await engine.ensureTable(table);
      await engine.apply(table.name, [await stage(table.name, id, rowsOf(id, from, until))]);
    };
    const words = (name: string) => `SELECT k, firn_batch AS b FROM ${name} ORDER BY k`;
    type Held = { k: bigint | number; b: bigint | number };
    const told = (rows: readonly Held[]) => rows.map(({ k, b }) => `${k}:${b}`).join(' ');
    const now = (name: string) => queryLake<Held>({ engine, tables }, words(name)).then(told);
    const cutOf = (beside: Stretches = {}) =>
      takeCut(engine, { unbuiltBeside: async () => beside }, filledTables(tables), []);
    const seen = async (cut: LakeCut, name: string, view: string) => {
      const { table } = renderingAt(engine, [], tables, cut);
      const known = renderingAt(engine, [], tables, cut, await replacedIn(engine, tables, cut)).table(name);
      await engine.show(view, `SELECT * FROM ${table(name)}`);
      const rows = told(await engine.query<Held>(words(engine.name(view))));
      // With what is known of the positions written into it, it says the same.
      expect(told(await engine.query<Held>(words(known)))).toBe(rows);
      return rows;
    };
    await apply(heights, 1, 0, 4);
    expect(await now(heights.name)).toBe('0:1 1:1 2:1 3:1');
    // Nothing was there of the children before.
    await apply(again, 5, 1, 3);
    await apply(kids.again, 5, 1, 2);
    expect([await now(heights.name), await now(kids.name)]).toEqual(['0:1 1:5 2:5 3:1', '1:5']);
    await apply(kids, 1, 2, 4);
    await apply(again, 7, 2, 3);
    await apply(kids.again, 7, 2, 3);
    const cut = await cutOf();
    await apply(again, 9, 1, 2);
    expect([await now(heights.name), await now(kids.name)]).toEqual(['0:1 1:9 2:7 3:1', '2:7 3:1']);
    expect([await seen(cut, heights.name, 'seen_raw.heights'), await seen(cut, kids.name, 'seen_raw.kids')]).toEqual([
      '0:1 1:5 2:7 3:1',
      '1:5 2:7 3:1',
    ]);
    // Of loads that are not whole nothing is seen, and what they replace is.
    const whole = await cutOf({ [again.name]: [[7, 9]], [kids.again.name]: [[7, 7]] });
    expect([
      await seen(whole, heights.name, 'seen_raw.heights'),
      await seen(whole, kids.name, 'seen_raw.kids'),
    ]).toEqual(['0:1 1:5 2:5 3:1', '1:5 3:1']);
  });

  test('rows are unloaded as files that hold every digit', async () => {
    const { engine, stage, folder, root } = judged();
    await engine.ensureTable(numbers('raw.unloaded'));
    await engine.apply('raw.unloaded', [await stage('raw.unloaded', 1, rowsOf(1, 0, 40))]);
    const from = await engine.unload('raw_unloaded', `SELECT k, amount, moment FROM ${engine.name('raw.unloaded')}`);
    expect(from.startsWith(`${root}${unloadFolder}`)).toBe(true);
    const duckDb = await openDuckDb({ folders: [folder] });
    const rows = async (sql: string) => (await duckDb.connection.runAndReadAll(`${sql} ORDER BY k`)).getRowsJson();
    const found = await rows(`SELECT k, amount, moment FROM read_parquet('${join(folder, from.slice(root.length))}*')`);
    expect(found).toEqual(await rows(`SELECT k, amount, moment FROM (${rowsOf(1, 0, 40)})`));
    duckDb.close();
  });

  test('a snapshot stays as it was, and a view of it too', async () => {
    const { engine } = judged();
    await engine.build('mart.past', 'SELECT 1 AS x');
    const { 'mart.past': snapshot = '' } = await engine.snapshots(['mart.past']);
    await engine.show('seen_mart.past', `SELECT x FROM ${engine.asOf('mart.past', snapshot)}`);
    await engine.run(`DELETE FROM ${engine.name('mart.past')}`);
    expect(await engine.query(`SELECT x FROM ${engine.name('mart.past')}`)).toEqual([]);
    expect(await engine.query(`SELECT x FROM ${engine.name('seen_mart.past')}`)).toEqual([{ x: 1 }]);
  });

  test('the first warehouse that comes has the tables', async () => {
    const { engine } = judged();
    expect([await engine.claim('one'), await engine.claim('other')]).toEqual(['one', 'one']);
  });

  test('rows of a past that cannot be computed again are put back, once', async () => {
    const { engine } = judged();
    const row = (values: string) => `SELECT CAST('1' AS VARCHAR) AS chain_id, ${values}`;
    const at = (day: number, column: string) => `CAST('2026-01-0${day} 00:00:00' AS TIMESTAMP(6)) AS ${column}`;
    await engine.build('firn.frozen', row(at(3, 'until')));
    const all = async (name: string, keptAs: KeptAs, built: string, frozen: string) => {
      await engine.build(name, built);
      await engine.build(frozenTable(name), frozen);
      const columns = Object.keys((await engine.query(`SELECT * FROM ${engine.name(name)} LIMIT 1`))[0] ?? {});
      for (const _ of ['first', 'again']) await putBackFrozen(engine, { name, keptAs } as PlacedModel, () => columns);
      return (await engine.query<{ x: number }>(`SELECT x FROM ${engine.name(name)} ORDER BY x`)).map(({ x }) => x);
    };
    const hour = (day: number, x: number) => row(`${at(day, 'moment')}, ${x} AS x`);
    // What was computed of the days before the third is replaced; the third stays.
    expect(
      await all(
        'mart.kept_hours',
        { kind: 'hours', column: 'moment' },
        `${hour(2, 1)} UNION ALL ${hour(3, 30)}`,
        `${hour(1, 10)} UNION ALL ${hour(2, 20)}`,
      ),
    ).toEqual([10, 20, 30]);
    const bucket = (day: number, x: number) => row(`'day' AS time_interval, ${at(day, 'bucket')}, ${x} AS x`);
    expect(
      await all('mart.kept_buckets', { kind: 'buckets' }, `${bucket(2, 1)} UNION ALL ${bucket(3, 30)}`, bucket(2, 20)),
    ).toEqual([20, 30]);
    // A metric that was removed does not come back.
    const measured = (metric: string, x: number) => `${bucket(2, x)}, CAST('${metric}' AS VARCHAR) AS metric`;
    await engine.build('firn.model', `SELECT CAST('mart.metric_own' AS VARCHAR) AS name`);
    expect(
      await all(
        'mart.metric',
        { kind: 'buckets' },
        measured('own', 1),
        `${measured('own', 10)} UNION ALL ${measured('removed', 20)}`,
      ),
    ).toEqual([10]);
    const sight = (key: string, x: number) => row(`CAST('${key}' AS VARCHAR) AS address, ${x} AS x`);
    expect(
      await all(
        'mart.kept_sights',
        { kind: 'earliest', key: ['chain_id', 'address'] },
        `${sight('a', 5)} UNION ALL ${sight('b', 30)}`,
        `${sight('a', 10)} UNION ALL ${sight('c', 20)}`,
      ),
    ).toEqual([10, 20, 30]);
  });
}
