import { z } from 'zod';
import { columnMeta } from '../../core/columns/columnSchema.ts';
import { duckdbType, type Row, type Value } from '../../core/columns/columnType.ts';
import type { Column, Table } from '../../core/columns/table.ts';
import { unwrap } from '../../core/columns/unwrap.ts';
import { memberOf } from '../../core/json/answerParts.ts';
import { parseLossless } from '../../core/json/parseLossless.ts';
import { itemsOf } from '../../core/parse/parseRecords.ts';
import type { Rows } from '../../core/rows/rows.ts';
import type { Partition } from '../../core/stream/partition.ts';
import type { Child, Declared } from '../../core/stream/stream.ts';
import { literal } from '../../core/text/sqlText.ts';
import { sha256 } from '../sha256.ts';

/** Columns of a table's key that tell its rows of one partition apart. */
const telling = ({ key }: Table, { values }: Partition): readonly string[] =>
  key.filter((name) => !Object.hasOwn(values, name));

/** Children of which an answer may show only a part. */
const partial = ({ children }: Declared): readonly Child[] =>
  Object.values(children).filter(({ write }) => write === 'union');

/** Whether an answer may show only a part of a record. */
export const showsParts = (stream: Declared): boolean => partial(stream).length > 0;

/**
 * The key of a record that could not be read as a whole, as a JSON list of texts; null where a part of the key that must be there is missing,
 * or one is wrong, or not the record's own to say (a position in a list). Its other members may change with every answer (an uptime, a
 * balance): known by its content alone, such a record would be another one in every run. Where answers show only a part of a record, the
 * list ends with a checksum of what this one shows: another part is another record.
 */
export function recordKey(stream: Declared, partition: Partition, record: string): string | null {
  const read = readKeys(stream, partition, record);
  if (read === null) return null;
  const { own, shown } = read;
  if (!showsParts(stream)) return JSON.stringify(own);
  const parts = shown.map(({ table, keys }) => [table.name, ...keys]);
  return JSON.stringify([...own, sha256(JSON.stringify(parts))]);
}

/** The key of the rows of a relation with the columns of the stream's table, as an SQL expression. */
export const rowKeySql = ({ table }: Declared, partition: Partition): string =>
  keySql(table, telling(table, partition));

/** The key of its row in the key of a record, as an SQL expression: without the checksum of what it shows. */
export function knownRowSql(stream: Declared, partition: Partition): string {
  if (!showsParts(stream)) return 'record_key';
  return `to_json((record_key::JSON::VARCHAR[])[1:${telling(stream.table, partition).length}])::VARCHAR`;
}

/**
 * Whether the child rows that a record shows are there, as an SQL condition. Where answers are filtered (by address), a record that can be read
 * does not make up for one that shows another part.
 */
export function shownSql(stream: Declared, partition: Partition, record: string): string {
  const { values } = partition;
  const conditions = readKeys(stream, partition, record)?.shown.map(({ table, keys }) => {
    const isMine = table.key
      .filter((name) => Object.hasOwn(values, name))
      .map((name) => `"${name}" = ${literal(String(values[name]))}`);
    const key = givenKeySql(table, partition);
    const where = [...isMine, `${key} IN (${keys.map(literal).join(', ')})`].join(' AND ');
    return `(SELECT count(DISTINCT ${key}) FROM ${table.name} WHERE ${where}) = ${keys.length}`;
  });
  return conditions ? ['true', ...conditions].join(' AND ') : 'false';
}

/** Of records of which nothing tells which rows are their own, any row may be one. */
export const anyRow = 'true';

/**
 * The rows of a relation that belong to records that could not be read, as an SQL condition: none where there are no such records, and all (`anyRow`) where a
 * key of them cannot be read either.
 */
export function unreadSql(
  stream: Declared,
  partition: Partition,
  { columns }: Table,
  records: readonly string[],
): string {
  const names = telling(stream.table, partition);
  const keys = new Set<string>();
  for (const record of records) {
    const own = keyOf(stream.table, names, parsed(stream, record));
    if (own === null) return anyRow;
    keys.add(literal(JSON.stringify(own)));
  }
  if (keys.size === 0) return 'false';
  // A child is known by the key of its record, which its own begins with.
  const isKnown = names.every((name) => columns.some((column) => column.name === name));
  return isKnown ? `${keySql(stream.table, names)} IN (${[...keys].join(', ')})` : anyRow;
}

/** Values of the columns of a key, as texts. */
type Key = readonly (string | null)[];

interface Keys {
  readonly own: Key;
  /** Of the child rows that the record shows, by table: each key once and in order. */
  readonly shown: readonly { readonly table: Table; readonly keys: readonly string[] }[];
}

/** What can be read of a record's key; null where a part of it cannot. */
function readKeys(stream: Declared, partition: Partition, record: string): Keys | null {
  const raw = parsed(stream, record);
  const own = keyOf(stream.table, telling(stream.table, partition), raw);
  if (own === null) return null;
  const shown: { table: Table; keys: string[] }[] = [];
  for (const { table, of } of partial(stream)) {
    const names = givenKey(table, partition).slice(own.length);
    const keys = [of ?? []]
      .flat()
      .flatMap((path) => itemsOf(path, raw))
      .map((item) => keyOf(table, names, item));
    if (keys.includes(null)) return null;
    const texts = keys.map((key) => JSON.stringify([...own, ...(key ?? [])]));
    if (texts.length > 0) shown.push({ table, keys: [...new Set(texts)].sort() });
  }
  return { own, shown };
}

/** Stands for a value that cannot be read: no column has it. */
const unread = Number.NaN;

/** Values of some columns; null where one of them cannot be read, or must be there and is not. */
function keyOf(table: Table, names: readonly string[], raw: unknown): Key | null {
  const row: Row = {};
  table.fill(row, readableMembers(table.schema, raw));
  const key = table.columns.filter(({ name }) => names.includes(name));
  const isKnown = ({ name, nullable }: Column) =>
    row[name] == null ? nullable : typeof row[name] !== 'object' && !Number.isNaN(row[name]);
  return key.every(isKnown) ? names.map((name) => textOrNull(row[name] ?? null)) : null;
}

/** The key of the rows of a table, as far as their source gives it, as an SQL expression. */
export const givenKeySql = (table: Table, partition: Partition): string => keySql(table, givenKey(table, partition));

/** The same of a row that was read. */
export const givenKeyOf = (table: Table, partition: Partition, rows: Rows, row: number): string =>
  JSON.stringify(givenKey(table, partition).map((name) => textOrNull(rows.value(rows.named(name), row))));

/** A number among rows that are alike is not theirs. */
const givenKey = (table: Table, partition: Partition) =>
  telling(table, partition).filter((name) => name !== 'position');
const textOrNull = (value: Value) => (value === null ? null : String(value));

function keySql({ columns }: Table, names: readonly string[]): string {
  const types = new Map(columns.map(({ name, type }) => [name, duckdbType(type)]));
  const texts = names.map((name) =>
    types.get(name) === 'TIMESTAMP' ? `epoch_us("${name}")::VARCHAR` : `"${name}"::VARCHAR`,
  );
  return `to_json([${texts.join(', ')}]::VARCHAR[])::VARCHAR`;
}

/** The members of a record, as far as they can be read. */
function readableMembers(schema: z.ZodObject<z.ZodRawShape>, raw: unknown): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  if (raw === null || typeof raw !== 'object') return found;
  for (const [member, type] of Object.entries(schema.shape)) {
    const value = memberOf(raw, member);
    const { inner, nullable } = unwrap(type as z.ZodType);
    if (value === undefined || (value === null && nullable)) continue;
    if (inner instanceof z.ZodObject) found[member] = readableMembers(inner, value);
    else if (columnMeta(inner)) found[member] = inner.safeParse(value).data ?? unread;
  }
  return found;
}

function parsed(stream: Declared, record: string): unknown {
  if (!record.startsWith('{')) return null;
  try {
    return parseLossless(record, { numbers: stream.source.numbers });
  } catch {
    return null;
  }
}
