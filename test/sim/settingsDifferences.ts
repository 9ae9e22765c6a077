import type { Column, Table } from '../../src/core/columns/table.ts';
import { partitionMembers } from '../../src/core/stream/partition.ts';
import { rowTables, type Stream } from '../../src/core/stream/stream.ts';
import { identifier, literal, sameRow } from '../../src/core/text/sqlText.ts';
import { chainSql } from '../../src/publish/files/steps.ts';
import { layoutsOf } from '../../src/run/layoutsOf.ts';
import { askBoth, isCompared } from './twoStates.ts';

/**
 * What selects rows of a list that is read whole: with another selection it is another partition, beside whose rows those of the one before
 * stay (docs/operations.md). Whatever else tells two partitions apart must leave no row current twice.
 */
const selects =
  /^(nodeIds|addresses|rewardAddresses|includeSpent|assetId|minUtxoAmount|txTypes|startTimestamp|endTimestamp|subnetId|validationStatus|delegationStatus|contractAddress|feature|txHash|(min|max)(DelegationCapacity|TimeRemaining|FeePercentage|UptimePerformance))$/;

/** A stream of the final configuration. */
export interface Configured {
  readonly stream: Stream;
  /** Keys of its partitions. */
  readonly partitions: readonly string[];
  /** Whether it takes less than all of each record: what earlier settings took beside it stays. */
  readonly takesPart: boolean;
}

export interface Found {
  /** What differs though it must not. */
  readonly wrong: readonly string[];
  /** Rows that are compared, by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Tables of which old months were dropped. */
  readonly dropped: readonly string[];
}

/**
 * Holds what a warehouse has that lived through several configurations against one that had the last of them from the start: what that one
 * has must be there, once, and nothing else of the same records. Rows that were configured earlier stay.
 *
 * @param tested path of a database, as is `right`
 */
export function settingsDifferences(tested: string, right: string, configured: readonly Configured[]): Promise<Found> {
  return askBoth(tested, right, async (query) => {
    const wrong: string[] = [];
    const rows: Record<string, number> = {};
    const ask = async (what: string, sql: string) => {
      for (const row of await query(`${sql} LIMIT 3`)) wrong.push(`${what}: ${JSON.stringify(row).slice(0, 600)}`);
    };
    const dropped = await query(
      'SELECT "table", CAST(max("before") AS VARCHAR) AS "before" FROM tested.firn.dropped GROUP BY 1',
    );
    const cuts = new Map(dropped.map((row) => [String(row['table']), String(row['before'])]));
    for (const one of configured) {
      const { stream } = one;
      for (const table of rowTables(stream)) {
        const isChild = table !== stream.table;
        const columns = comparedColumns(table);
        const [counted] = await query(count('"right"', table));
        if (Number(counted?.['n']) > 0) rows[table.name] = Number(counted?.['n']);
        if (stream.way === 'snapshot') {
          const own = `_load_id IN (SELECT load_id FROM tested.firn.load WHERE stream = ${literal(stream.id)} AND "partition" IN (${one.partitions.map(literal).join(', ')}))`;
          const now = (state: string) => `SELECT ${columns} FROM ${state}.${table.name} WHERE _valid_to IS NULL`;
          await ask(`${table.name}, too many`, `${now('tested')} AND ${own} EXCEPT ALL ${now('"right"')}`);
          await ask(`${table.name}, missing`, `${now('"right"')} EXCEPT ALL ${now('tested')} AND ${own}`);
          for (const row of await query(currentTwice(stream, table)))
            if (areAlike(row['partitions'] as string[]))
              wrong.push(`${table.name}, current twice: ${JSON.stringify(row)}`);
          if (table.volatile) {
            const { daily, columns: moving } = table.volatile;
            await ask(`${daily.name}, twice a day`, twice(daily));
            const current = `tested.${table.name} WHERE _valid_to IS NULL AND ${own}`;
            await ask(
              `${daily.name}, not the last`,
              otherThanLast(table, daily, { current, by: 'day', values: moving }),
            );
          }
          continue;
        }
        const key = keyOf(table);
        if (table.key.length > 0) await ask(`${table.name}, twice`, twice(table));
        const isPart = one.takesPart || stream.id === 'data/primary_transactions';
        if (one.takesPart && isChild) continue;
        const shown = one.takesPart ? key : columns;
        const of = stream.table.key
          .filter((name) => table.key.includes(name))
          .map(identifier)
          .join(', ');
        const covered = `SELECT ${shown} FROM tested.${table.name} SEMI JOIN "right".${stream.table.name} USING (${of})`;
        const all = (state: string) => `SELECT ${shown} FROM ${state}.${table.name}`;
        const cut = cuts.get(table.name);
        const staying = cut === undefined ? 'true' : stays(stream, table, cut);
        await ask(`${table.name}, missing`, `${all('"right"')} WHERE ${staying} EXCEPT ALL ${all('tested')}`);
        if (!(isPart && isChild)) await ask(`${table.name}, too many`, `${covered} EXCEPT ALL ${all('"right"')}`);
      }
      const { table, revisions } = stream;
      if (revisions) {
        const values = revisions.columns.filter(({ name }) => !/^(_.*|fetched_at)$/.test(name));
        await ask(
          `${revisions.name}, not the last`,
          otherThanLast(table, revisions, { current: `tested.${table.name}`, by: '_load_id', values }),
        );
      }
    }
    await ask(
      'firn.quarantine',
      'SELECT stream, "partition" FROM tested.firn.quarantine EXCEPT SELECT stream, "partition" FROM "right".firn.quarantine',
    );
    return { wrong, rows, dropped: [...cuts.keys()] };
  });
}

const keyOf = ({ key }: Table) => key.map(identifier).join(', ');

const twice = (table: Table) => `SELECT ${keyOf(table)} FROM tested.${table.name} GROUP BY ALL HAVING count(*) > 1`;

/** Current rows that the last of what is kept of them beside does not agree with, or of which nothing is. */
function otherThanLast(
  table: Table,
  kept: Table,
  { current, by, values }: { readonly current: string; readonly by: string; readonly values: readonly Column[] },
): string {
  const compared = [...new Set([...table.key, ...values.map(({ name }) => name)])];
  return `SELECT ${compared.map(identifier).join(', ')} FROM (FROM ${current}) AS own ANTI JOIN
    (SELECT DISTINCT ON (${keyOf(table)}) * FROM tested.${kept.name} ORDER BY ${keyOf(table)}, ${identifier(by)} DESC) AS kept
    ON ${sameRow('own', 'kept', compared)}`;
}

/** The condition that a row is of the time from which on none was dropped. */
function stays(stream: Stream, table: Table, before: string): string {
  const layout = layoutsOf([stream], []).get(table.name);
  if (!layout?.by) return 'true';
  const {
    by: { kind, column },
    timesOf,
  } = layout;
  const since = `>= TIMESTAMP ${literal(before)}`;
  if (kind === 'time') return `${identifier(column)} ${since}`;
  const chain = chainSql(layout);
  return `(${chain}, ${identifier(column)}) IN (SELECT (${chain}, ${identifier(column)}) FROM "right".${timesOf} WHERE ${identifier(stream.files?.time ?? '')} ${since})`;
}

/** Rows that are current in several partitions, or twice in one. */
const currentTwice = ({ id }: Stream, { name, key }: Table) =>
  `SELECT ${key.map(identifier).join(', ')}, list("partition" ORDER BY "partition") AS partitions
   FROM tested.${name} JOIN tested.firn.load ON load_id = _load_id AND stream = ${literal(id)}
   WHERE _valid_to IS NULL GROUP BY ALL HAVING count(*) > 1`;

/** Whether two of some partitions select the same rows. */
function areAlike(partitions: readonly string[]): boolean {
  const selections = partitions.map((key) =>
    [...partitionMembers(key)].filter(([name]) => selects.test(name)).join(' '),
  );
  return new Set(selections).size < selections.length;
}

const count = (state: string, { name }: Table) => `SELECT count(*) AS n FROM ${state}.${name}`;

/** Columns of a table that are compared. */
function comparedColumns({ name: table, columns }: Table): string {
  return columns
    .filter(({ name }) => isCompared(table, name))
    .map(({ name, type }) => (type === 'json' ? inAnyOrder(name) : identifier(name)))
    .join(', ');
}

/** What stands in JSON, whose members come in one order in bytes and in another from a node. */
const inAnyOrder = (name: string) =>
  `list_sort(regexp_split_to_array(CAST(${identifier(name)} AS VARCHAR), '[][{},]')) AS ${identifier(name)}`;
