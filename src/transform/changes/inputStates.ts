import { literal } from '../../core/text/sqlText.ts';
import type { Statements } from '../../load/database/transaction.ts';
import type { PlacedModel } from '../models/model.ts';
import { inputsBesideBlocks } from './noteRebuilt.ts';

/** What relations hold, by their lower-case names, beside what they held when tables were built. */
export interface InputStates {
  /** What they hold, as JSON: where a text is the same, so are the rows. */
  readonly text: string;
  readonly isSame: (relation: string) => boolean;
  /** Whether rows of newer loads are all that is different. */
  readonly isGrown: (relation: string) => boolean;
}

/** In place of what a table held that could not be built: it misses what has come since. */
const behind = 'behind';

/** What relations hold by their lower-case names, from its text. @param text as `InputStates` tells it; null for nothing */
const statesIn = (text: string | null): Readonly<Record<string, string>> => JSON.parse(text ?? '{}');

/** What relations hold, as `InputStates` tells it, and that some tables are behind. */
export const withBehind = (text: string | null, tables: readonly string[]): string =>
  JSON.stringify({ ...statesIn(text), ...Object.fromEntries(tables.map((name) => [name.toLowerCase(), behind])) });

/** The tables that are behind, by lower-case names. @param built null for none */
export const tablesBehind = (built: string | null): string[] =>
  Object.entries(statesIn(built)).flatMap(([name, state]) => (state === behind ? name : []));

/** A text that differs where the rows of a relation do, in SQL over it. */
export const contentSql = `concat_ws(' ', count(*), sum(hash(*COLUMNS(*))))`;

type State = 'now' | 'older';

/**
 * What the relations hold that no model makes and from which tables are built whole, or views by hours beside blocks. Raw tables are not read for it: whatever changes them
 * brings another load, another number of rows or another end of a row.
 *
 * @param built the last load that the tables hold, and what was beneath them then; null for nothing
 */
export async function inputStates(
  warehouse: Statements,
  models: readonly PlacedModel[],
  built: { readonly load_id: bigint; readonly inputs: string | null } | null,
): Promise<InputStates> {
  const before = statesIn(built?.inputs ?? null);
  const made = new Set(models.map(({ name }) => name.toLowerCase()));
  // A chain may become known without a load, as when a node has become ready, and its blocks with it.
  const wanted = [...new Set([...inputsBesideBlocks(models), 'firn.chain'])].filter((name) => !made.has(name));
  const rows = new Map((await statesOf(warehouse, wanted, built?.load_id ?? -1n)).map((row) => [row.name, row]));
  const isAs = (state: State) => (name: string) => rows.has(name) && rows.get(name)?.[state] === before[name];
  const text = JSON.stringify(Object.fromEntries([...rows].map(([name, { now }]) => [name, now])));
  return { text, isSame: isAs('now'), isGrown: isAs('older') };
}

/** What changes without a load: the user's own tables, verdicts, and what firn notes of data. */
const isLoadless = (relation: string) => !/^(raw|firn)\./.test(relation) || ownNotes.has(relation);
const ownNotes: ReadonlySet<string> = new Set(['firn.address_label', 'firn.chain', 'firn.evidence', 'firn.quarantine']);

/** Whether what changes without a load is as it was when tables were built. @param built as `InputStates` tells it; null for nothing */
export const isSameWithoutLoad = (warehouse: Pick<Statements, 'query'>, built: string | null): Promise<boolean> =>
  areSame(warehouse, built, isLoadless);

/** Whether the same chains are known as when tables were built: rows of others were no chain's then. @param built as above */
export const areSameChains = (warehouse: Pick<Statements, 'query'>, built: string | null): Promise<boolean> =>
  areSame(warehouse, built, (name) => name === 'firn.chain');

/** The same of what was beneath the tables of two builds. */
export function haveSameChains(before: string | null, now: string): boolean {
  const [was, is] = [before, now].map((inputs) => statesIn(inputs)['firn.chain']);
  return was === undefined || was === is;
}

async function areSame(
  warehouse: Pick<Statements, 'query'>,
  built: string | null,
  isWanted: (relation: string) => boolean,
): Promise<boolean> {
  const before = Object.entries(statesIn(built)).filter(([name]) => isWanted(name));
  const wanted = before.map(([name]) => name);
  const now = new Map((await statesOf(warehouse, wanted, -1n)).map((row) => [row.name, row.now]));
  return before.every(([name, state]) => now.get(name) === state);
}

/** @param wanted relations, by their lower-case names; those that are not there are left out */
async function statesOf(
  warehouse: Pick<Statements, 'query'>,
  wanted: readonly string[],
  load: bigint,
): Promise<({ readonly name: string } & Readonly<Record<State, string>>)[]> {
  if (wanted.length === 0) return [];
  const columns = await warehouse.query<{ name: string; columns: string }>(
    `SELECT lower(schema_name || '.' || table_name) AS name, string_agg(column_name, ' ') AS columns FROM duckdb_columns()
     WHERE database_name = current_database() AND name IN (${wanted.map(literal).join(', ')}) GROUP BY ALL`,
  );
  if (columns.length === 0) return [];
  const states = columns.map(({ name, columns: all }) => {
    const names = new Set(all.split(' '));
    const counts = ['count(*)', 'max(_load_id)', ...(names.has('_valid_to') ? ['count(_valid_to)'] : [])];
    const older = counts.map((count) => `${count} FILTER (_load_id <= ${load})`);
    const [now, before] = names.has('_load_id')
      ? [counts, older].map((all) => `concat_ws(' ', ${all.join(', ')})`)
      : [contentSql, contentSql];
    return `SELECT ${literal(name)} AS name, ${now} AS now, ${before} AS older FROM ${name}`;
  });
  return warehouse.query(states.join(' UNION ALL '));
}
