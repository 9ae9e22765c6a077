import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type HeldBack, type Unresolved, unresolvedSchema } from '../../core/unresolved.ts';
import { replaceFile } from '../../disk/durable.ts';
import type { Queries } from '../database/transaction.ts';
import type { Warehouse } from '../state/warehouse.ts';

type Row = Record<string, bigint | string>;

/** Groups reported at most. */
export const mostGroups = 200;

/** What earlier versions kept may be as long as a record. */
const told = 'left(reason, 2000)';

/** Reason of a group of records: without the values that were read, where these are not the same. In SQL of DuckDB and PostgreSQL. */
export const groupedReason = {
  kind: `regexp_replace(${told}, ', got [^;]*', ', got …', 'g')`,
  text: `CASE WHEN min(${told}) = max(${told}) THEN min(${told}) ELSE kind END`,
} as const;

/**
 * Asks a state database, or the reader database of any version, for what is unresolved.
 *
 * @param has whether the database has a column of a relation; a state that is open has every one
 */
export async function queryUnresolved(
  source: Queries,
  has: (relation: string, column: string) => boolean = () => true,
): Promise<Unresolved> {
  // Reader databases that 0.1 published have a row for each record and run.
  const of = has('firn.quarantine', 'times_seen')
    ? { times: 'times_seen', last: 'last_seen_at', open: 'accepted_at IS NULL' }
    : { times: '1', last: 'quarantined_at', open: 'true' };
  const held = has('firn.quarantine', 'stream')
    ? await source.query<Row>(
        `SELECT stream, count(*) FILTER (WHERE ${of.open}) AS records, count(*) FILTER (WHERE NOT (${of.open})) AS accepted
         FROM firn.quarantine WHERE replayed_at IS NULL GROUP BY stream ORDER BY stream`,
      )
    : [];
  const groups =
    held.length === 0
      ? []
      : await source.query<Row>(
          `SELECT stream, "partition", ${groupedReason.text} AS reason, count(*) AS records, sum(${of.times})::BIGINT AS times,
             epoch_ms(min(quarantined_at)) AS first_at, epoch_ms(max(${of.last})) AS last_at, min(left(record, 2000)) AS example
           FROM (SELECT *, ${groupedReason.kind} AS kind FROM firn.quarantine WHERE replayed_at IS NULL AND ${of.open}) AS q
           GROUP BY stream, "partition", kind ORDER BY records DESC, stream, "partition", kind LIMIT ${mostGroups}`,
        );
  return asUnresolved(held, groups, has('firn.held_back', 'relation') ? await queryHeldBack(source) : []);
}

/** Asks a state database, or a lake, for what was held back by the last build. */
export async function queryHeldBack(source: Queries): Promise<HeldBack[]> {
  const rows = await source.query<Row>(
    'SELECT relation, audit, epoch_ms(since) AS since, reason FROM firn.held_back ORDER BY relation, audit',
  );
  return rows.map((row) => ({
    relation: String(row['relation']),
    audit: String(row['audit']),
    since: Number(row['since']),
    reason: String(row['reason']),
  }));
}

/**
 * What is unresolved, from rows whose numbers may be text.
 *
 * @param held stream, records, accepted
 * @param groups members of `QuarantineGroup`, those of two words in snake_case
 */
export function asUnresolved(held: readonly Row[], groups: readonly Row[], heldBack: readonly HeldBack[]): Unresolved {
  const streams = held.map(({ stream, records }) => ({ stream: String(stream), records: Number(records) }));
  const open = streams.filter(({ records }) => records > 0);
  return {
    records: open.reduce((sum, { records }) => sum + records, 0),
    accepted: held.reduce((sum, { accepted }) => sum + Number(accepted), 0),
    streams: open,
    groups: groups.map((row) => ({
      stream: String(row['stream']),
      partition: String(row['partition']),
      reason: String(row['reason']),
      records: Number(row['records']),
      times: Number(row['times']),
      firstAt: Number(row['first_at']),
      lastAt: Number(row['last_at']),
      example: String(row['example']),
    })),
    heldBack,
  };
}

const fileOf = (folder: string) => join(folder, '.state', 'unresolved.json');

/**
 * Writes what is unresolved beside the state, for `status` and `report`: readers see the state only as of the last
 * publish. Called wherever it may have changed: after each phase of a run, and by the commands that change it.
 */
export async function noteUnresolved(warehouse: Warehouse): Promise<Unresolved> {
  const unresolved = await queryUnresolved(warehouse);
  // A full disk is reported by whatever caused it, not by this note.
  await replaceFile(fileOf(warehouse.folder), `${JSON.stringify(unresolved)}\n`).catch(() => {});
  return unresolved;
}

/** What was unresolved when a run or command last looked; null where none did, or the file is damaged. */
export async function readUnresolved(folder: string): Promise<Unresolved | null> {
  try {
    return unresolvedSchema.parse(JSON.parse(await readFile(fileOf(folder), 'utf8')));
  } catch {
    return null;
  }
}
