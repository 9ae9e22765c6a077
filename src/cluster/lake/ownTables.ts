import { join } from 'node:path';
import { columnTypeOf } from '../../core/columns/columnType.ts';
import { ownColumn } from '../../core/columns/table.ts';
import { literal } from '../../core/text/sqlText.ts';
import { shortenOld } from '../../load/bookkeeping/runRecords.ts';
import { querySql } from '../../load/packageFiles.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { Engine, LakeTable, Ledger, Stage, StagedFile } from '../contract.ts';
import { assertHeld } from '../engine/applyPending.ts';
import { insertJson } from '../insertJson.ts';
import type { Control, Sql } from '../ledger/control.ts';
import { copyRows } from '../ledger/copyRows.ts';
import { withParquet } from '../stage/withParquet.ts';
import { heldRelations } from './ensureLakeTables.ts';
import { relationTable } from './noteRelations.ts';

/** All that firn's own small tables need on their way into the lake. */
export interface Carrier {
  /** A database of this machine, for the time of a command: it parses SQL, and holds firn's own small tables. */
  readonly workbench: Warehouse;
  readonly control: Control;
  readonly ledger: Pick<Ledger, 'nextBatch'>;
  readonly stage: Stage;
  readonly engine: Engine;
}

/** Tables that commands on any machine leave for later ones. */
const kept = ['firn.run', 'firn.audit', 'firn.audit_state', 'firn.held_back', 'firn.model'];

/** Tables that models or readers ask for and no command may have written yet: made where they are missing. */
const made = [
  'firn.evidence',
  'firn.frozen',
  'mart.reconciliation',
  'mart.served_consistency',
  'mart.served_freshness',
];

/** Tables that come from the ledger, for models and readers. */
const ofLedger: Readonly<Record<string, string>> = {
  'firn.network': 'SELECT network_id, network, hrp, pinned_at FROM firn.network',
  'firn.chain': 'SELECT chain_id, name, blockchain_id, alias, vm, genesis_hash, pinned_at FROM firn.chain',
  'firn.gap': querySql('known_gaps'),
  'firn.schema_change': 'SELECT stream, member, example, load_id, seen_at FROM firn.schema_change',
  'firn.begun': 'SELECT stream, partition, begun AS "from" FROM firn.partition WHERE begun IS NOT NULL',
};

/** Tables that follow from the ledger and the configuration, and that models read. */
export const givenTables: readonly string[] = [...Object.keys(ofLedger), 'firn.checkpoint', 'firn.address_label'];

/** All of them, as readers see them. */
export const ownTables: readonly LakeTable[] = [...givenTables, ...kept, ...made, 'firn.load', relationTable].map(
  (name) => ({
    name,
    columns: [],
  }),
);

/** Brings what the ledger and the lake hold of firn's own small tables to the workbench. */
export async function fillWorkbench(carrier: Carrier): Promise<void> {
  await fillFromLedger(carrier, []);
  await fillKept(carrier);
}

/**
 * Brings what commands on any machine left to the workbench, as it is now: another one may have come to its end since it was filled. A run that is
 * under way here stays.
 */
export async function fillKept({ workbench, control, engine }: Omit<Carrier, 'ledger' | 'stage'>): Promise<void> {
  const carried = (name: string) => (name === 'firn.run' ? `${name} WHERE finished_at IS NOT NULL` : name);
  const changed: string[] = [];
  for (const name of kept)
    if ((await contentOf(workbench, carried(name))).content !== (await carriedContent(control, name)))
      changed.push(name);
  if (changed.length === 0) return;
  const isHeld = await heldRelations(engine);
  for (const name of changed.filter(isHeld)) {
    await workbench.run(`DELETE FROM ${carried(name)}`);
    for await (const rows of rowsOf(engine, name)) await insertJson(workbench, name, jsonOf(rows));
  }
  // An earlier firn left them whole, which an upgrade shortens in a state alone.
  if (changed.includes('firn.run')) await shortenOld(workbench);
}

/** Runs that come over in one statement. */
const runsAtOnce = 5000;

/** All rows of a table. Runs come some thousand at a time: those of years are more than one text can hold. */
async function* rowsOf(engine: Engine, name: string): AsyncGenerator<readonly Record<string, unknown>[]> {
  const all = `SELECT * FROM ${engine.name(name)}`;
  if (name !== 'firn.run') return yield await engine.query(all);
  let rows: readonly Record<string, unknown>[] = [];
  do {
    const after = literal(String(rows.at(-1)?.['run_id'] ?? ''));
    rows = await engine.query(`${all} WHERE run_id > ${after} ORDER BY run_id LIMIT ${runsAtOnce}`);
    yield rows;
  } while (rows.length === runsAtOnce);
}

/** What a table of the workbench holds: how many rows, and a text that changes with any of them. */
async function contentOf({ query }: Pick<Warehouse, 'query'>, from: string) {
  const [row] = await query<{ content: string; held: bigint }>(
    `SELECT concat_ws('/', count(*), sum(hash(t))) AS content, count(*) AS held FROM (FROM ${from}) AS t`,
  );
  return row as NonNullable<typeof row>;
}

/** Such a text of what the lake holds under that name; undefined where nothing was carried there. */
async function carriedContent(control: Sql, name: string): Promise<string | undefined> {
  const [known] = await control.query<{ content: string }>('SELECT content FROM firn.own_table WHERE name = $1', [
    name,
  ]);
  return known?.content;
}

/**
 * Brings what the ledger holds to the workbench, as it is now.
 *
 * @param loads those without `built_at` that a build reads
 */
export async function fillFromLedger(
  { workbench, control }: Pick<Carrier, 'workbench' | 'control'>,
  loads: readonly number[],
): Promise<void> {
  const tables = [...Object.entries(ofLedger), ['firn.checkpoint', querySql('cluster_checkpoints'), [loads]] as const];
  for (const [table, sql, values] of tables) {
    await workbench.run(`DELETE FROM ${table}`);
    await copyRows(control, workbench, table, sql, values);
  }
}

/** Makes firn's own tables that models read and no command writes. */
export async function ensureOwnTables({ workbench, engine }: Carrier): Promise<void> {
  const isHeld = await heldRelations(engine);
  for (const table of made) if (!isHeld(table)) await engine.replace(await tableOf(workbench, table), []);
}

/** Copies tables of the workbench to the lake, each in one commit; tables that did not change stay as they are. */
export async function carryTables(carrier: Carrier, names: readonly string[]): Promise<void> {
  const { workbench, control, engine, stage } = carrier;
  for (const name of names) {
    const { content, held } = await contentOf(workbench, name);
    if (content === (await carriedContent(control, name))) continue;
    // A death before the end must leave no note: what the table held before may come again, and would not be written then.
    await control.query('DELETE FROM firn.own_table WHERE name = $1', [name]);
    const table = await tableOf(workbench, name);
    const files = held > 0n ? [await stageRows(carrier, table, `SELECT * FROM ${name}`)] : [];
    await engine.replace(table, files);
    await stage.remove(files.map(({ uri }) => uri));
    await control.query(
      'INSERT INTO firn.own_table VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET content = excluded.content',
      [name, content],
    );
  }
}

/** Loads that go over in one statement. */
const loadsAtOnce = 10_000;

/** Adds loads to the lake's `firn.load`. Repeating it changes nothing: a load is a batch of one row. */
export async function appendLoads(carrier: Carrier, loads: readonly number[]): Promise<void> {
  const { workbench, control, engine, stage } = carrier;
  const table = await tableOf(workbench, 'firn.load');
  await engine.ensureTable(table);
  const columns = table.columns.map(({ name }) => `"${name}"`).join(', ');
  // A warehouse of years that was moved here has a million.
  for (let at = 0; at < loads.length; at += loadsAtOnce) {
    const some = loads.slice(at, at + loadsAtOnce);
    await workbench.run('DELETE FROM firn.load');
    const own = `SELECT ${columns} FROM firn.load WHERE load_id = ANY($1::bigint[])`;
    await copyRows(control, workbench, 'firn.load', own, [some]);
    const select = 'SELECT *, load_id AS firn_batch, 0::BIGINT AS firn_row FROM firn.load';
    const file = await stageRows(carrier, table, select);
    // Their range bounds the statement.
    const { inserted } = await engine.apply(
      'firn.load',
      [Math.min(...some), Math.max(...some)].map((id) => ({ ...file, id })),
    );
    if (inserted !== some.length)
      await assertHeld(
        engine,
        table,
        some.map((id) => ({ ...file, id, rows: 1 })),
      );
    await stage.remove([file.uri]);
  }
}

/** Puts rows of the workbench into the stage, under a number of their own. */
export async function stageRows(
  { workbench, ledger, stage }: Pick<Carrier, 'workbench' | 'ledger' | 'stage'>,
  { name }: Pick<LakeTable, 'name'>,
  select: string,
): Promise<StagedFile> {
  const batch = await ledger.nextBatch();
  const path = join(workbench.folder, `${batch}.parquet`);
  return withParquet(workbench, select, path, (rows) => stage.write(name, batch, path, rows));
}

/** A warehouse's table in the types of the lake. */
export async function tableOf(warehouse: Pick<Warehouse, 'query'>, name: string): Promise<LakeTable> {
  const rows = await warehouse.query<{ column_name: string; column_type: string }>(`DESCRIBE ${name}`);
  return {
    name,
    columns: rows.map(({ column_name, column_type }) => {
      const type = columnTypeOf(column_type);
      if (!type) throw new TypeError(`${name}.${column_name} is a ${column_type}, which the lake has no type for`);
      return ownColumn(column_name, type, true);
    }),
  };
}

const jsonOf = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
