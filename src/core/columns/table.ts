import { z } from 'zod';
import { FirnError } from '../firnError.ts';
import { memberOf } from '../json/answerParts.ts';
import { flatJsonText } from '../json/jsonText.ts';
import { parseLossless } from '../json/parseLossless.ts';
import { snakeCase } from '../text/snakeCase.ts';
import { columnMeta } from './columnSchema.ts';
import { type ColumnType, duckdbType, type Row, rangeTypes, type Value } from './columnType.ts';
import { takes, type UnknownMember, unknownMembers, unknownPaths } from './unknownMembers.ts';
import { type ObjectSchema, unwrap } from './unwrap.ts';
import { wideValue } from './wideValue.ts';

/** One column of a table, as DDL, Arrow, and the data dictionary see it. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly description: string;
  readonly unit?: string;
}

/** Technical columns: which load wrote the row, and what of the record stands in no other column. */
const technical: readonly Column[] = [
  { name: '_load_id', type: 'bigint', nullable: false, description: 'Load that wrote the row (`firn.load`).' },
  {
    name: '_extra',
    type: 'json',
    nullable: true,
    description: 'Members that the schema does not know, and values that their columns do not take, as JSON.',
  },
];

const history: readonly Column[] = [
  {
    name: '_valid_from',
    type: 'timestamp',
    nullable: false,
    description: 'When this version of the row was first seen.',
    unit: 'UTC',
  },
  {
    name: '_valid_to',
    type: 'timestamp',
    nullable: true,
    description: 'When it was last replaced or gone; NULL while current.',
    unit: 'UTC',
  },
];

/** A table: its columns in order, its key, and how a parsed record becomes a row. */
export interface Table {
  /** `raw.<source>_<name>`. */
  readonly name: string;
  readonly description: string;
  readonly columns: readonly Column[];
  /** What rows hold until they are written, and no table has a column for. */
  readonly transient: readonly Column[];
  readonly key: readonly string[];
  /** Column of integers or times that bounds the search for rows of the same key. */
  readonly range: string | undefined;
  readonly schema: ObjectSchema;
  /** Columns that change from one look to the next (uptime, connected), and the table that keeps their last values of each day. */
  readonly volatile: { readonly columns: readonly Column[]; readonly daily: Table } | undefined;
  /** Names of the columns that come from a record. */
  readonly filled: ReadonlySet<string>;
  /** Fills in the columns that come from a parsed record. */
  fill(row: Row, record: unknown): void;
  /**
   * JSON text of the members of the raw record that the schema does not know, or does not take a value of, or null.
   *
   * @throws FirnError `decode` when they are nested too deep for a column, or an object is none
   */
  extraOf(raw: unknown): string | null;
  /** The same members with their paths, of nested objects and listed records too: `from.rank`, `transactions[].method.newMember`. */
  unknownOf(raw: unknown): Iterable<UnknownMember>;
  /** Whether a column comes from a member, by its path: `from.rank`. */
  knows(path: string): boolean;
  /**
   * Columns of a row whose record was read when the schema knew less, and what is left of its `_extra`.
   *
   * @param extra what the row has there
   * @returns null where nothing of it is known now, or a schema does not take it: the row stays as it is
   */
  adopt(extra: string): Row | null;
}

/** A column of a table that firn itself fills: `sql/schema` says what it means. */
export const ownColumn = (name: string, type: ColumnType, nullable = false): Column => ({
  name,
  type,
  nullable,
  description: '',
});

interface TableOptions {
  readonly name: string;
  readonly description: string;
  readonly schema: ObjectSchema;
  readonly key: readonly string[];
  readonly range?: string | undefined;
  /** Columns that do not come from the record: partition values, the parent's key, `position`. */
  readonly leading?: readonly Column[];
  /** Columns that firn fills by what it finds of the record, behind the record's own. */
  readonly trailing?: readonly Column[] | undefined;
  readonly history?: boolean;
  /** Columns whose changes alone make no version of a row; each with its `_text` beside it, where it has one. */
  readonly volatile?: readonly string[] | undefined;
}

const nameable = 'write letters from a to z, digits and _';

/**
 * Derives a table from one zod schema. Members become snake_case columns in order; nested objects are flattened with
 * their name in front; arrays of objects are left to child tables.
 *
 * @throws TypeError for a name that cannot be, a column that is there twice, a key or range without a column, or a range of another type
 */
export function defineTable(options: TableOptions): Table {
  const cells = cellsOf(options.schema, []);
  const columns = [
    ...(options.leading ?? []),
    ...cells.map((cell) => cell.column),
    ...(options.trailing ?? []),
    ...technical,
    ...(options.history ? history : []),
  ];
  assertColumns(options, columns);
  // An amount that is too large for its column is known by its digits.
  const texts = new Set(columns.flatMap(({ name }) => (name.endsWith('_text') ? [name] : [])));
  const key = options.key.flatMap((name) => (texts.has(`${name}_text`) ? [name, `${name}_text`] : [name]));
  return {
    name: options.name,
    description: options.description,
    columns,
    transient: transientOf(options.schema),
    key,
    range: options.range,
    schema: options.schema,
    volatile: options.volatile && volatileOf(options, columns, options.volatile),
    filled: new Set(cells.map(({ column }) => column.name)),
    fill(row, record) {
      for (const cell of cells) row[cell.column.name] = cell.get(record as never);
    },
    extraOf(raw) {
      const extra = unknownMembers(options.schema, raw);
      if (extra === undefined) return null;
      const text = flatJsonText(extra);
      if (text !== null) return text;
      throw new FirnError('decode', `${Object.keys(extra).join(', ').slice(0, 80)}: nested too deep`);
    },
    unknownOf: (raw) => unknownPaths(options.schema, raw, ''),
    knows: (path) => cells.some((cell) => cell.path.join('.') === path),
    adopt(extra) {
      const raw = parseLossless(extra);
      const row: Row = {};
      for (const { column, path, schema, get } of cells) {
        const given = path.reduce<unknown>((at, member) => memberOf(at, member), raw);
        if (given === undefined || !takes(schema, given)) continue;
        const parsed = schema.safeParse(given);
        if (!parsed.success) return null;
        row[column.name] = get(path.reduceRight((inner, member) => ({ [member]: inner }), parsed.data) as never);
      }
      return Object.keys(row).length === 0 ? null : { ...row, _extra: this.extraOf(raw) };
    },
  };
}

/** @throws TypeError for columns that a table cannot have, and for a key or range that it cannot have with them */
function assertColumns({ name, key, range, leading = [] }: TableOptions, columns: readonly Column[]): void {
  if (!/^raw\.\w+$/.test(name)) throw new TypeError(`a table cannot be called ${name}: ${nameable}`);
  const names = columns.map((column) => column.name);
  // A column of DuckDB's own name for the place of a row would hide it.
  const odd = names.find((one) => !/^(?!rowid$)\w+$/i.test(one));
  if (odd !== undefined)
    throw new TypeError(
      `table ${name} cannot have a column ${odd}: ${nameable}, and not rowid; in a schema by named('my_column', …)`,
    );
  // DuckDB takes upper and lower case for the same.
  const lower = names.map((one) => one.toLowerCase());
  const repeated = names.find((_, index) => lower.indexOf(lower[index] as string) !== index);
  if (repeated) {
    const isLeading = leading.some((column) => column.name.toLowerCase() === repeated.toLowerCase());
    const whose = isLeading ? ', once for its partition or its parent' : '';
    throw new TypeError(`table ${name} declares column ${repeated} twice${whose}: write named('other_name', …)`);
  }
  const named = (wanted: string) => columnNamed({ name, columns }, wanted, 'for its key or range');
  key.forEach(named);
  const type = range && named(range).type;
  if (type && !rangeTypes.includes(type))
    throw new TypeError(
      `table ${name}: its range ${range} is ${duckdbType(type)}: declare it by int64(…), unixSeconds(…) or rfc3339(…), or leave "range" out`,
    );
}

function transientOf({ shape }: ObjectSchema): readonly Column[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const meta = columnMeta(unwrap(schema as z.ZodType).inner);
    return meta?.transient ? [{ name, type: meta.type, nullable: true, description: meta.description }] : [];
  });
}

const day: Column = { name: 'day', type: 'timestamp', nullable: false, description: 'Day of the read.', unit: 'UTC' };

/** A column of a table. @param use what it is for, as an error goes on @throws TypeError where there is none of that name */
export function columnNamed({ name, columns }: Pick<Table, 'name' | 'columns'>, wanted: string, use: string): Column {
  const column = columns.find((candidate) => candidate.name === wanted);
  if (column) return column;
  throw new TypeError(`table ${name} has no column ${wanted} ${use}`);
}

function volatileOf(
  { name, key }: TableOptions,
  columns: readonly Column[],
  volatile: readonly string[],
): Table['volatile'] {
  const of = (wanted: string) => columnNamed({ name, columns }, wanted, 'that could be volatile');
  if (volatile.some((column) => key.includes(column))) throw new TypeError(`a key column of ${name} is volatile`);
  const texts = volatile
    .map((column) => `${column}_text`)
    .filter((text) => columns.some((column) => column.name === text));
  const own = [...new Set([...volatile, ...texts])].map(of);
  const daily = defineTable({
    name: `${name}_daily`,
    description: `What changes from read to read in ${name}: the last values of each day.`,
    schema: z.object({}),
    key: [...key, day.name],
    leading: [...key.map(of), day, ...own.map((column) => ({ ...column, nullable: true }))],
  });
  return { columns: own, daily };
}

/** `CREATE TABLE` statement of a table. No primary key: its index would cost most of the load (see DESIGN). */
export function createTableSql(table: Table): string {
  const lines = table.columns.map(
    (column) => `  "${column.name}" ${duckdbType(column.type)}${column.nullable ? '' : ' NOT NULL'}`,
  );
  return `CREATE TABLE IF NOT EXISTS ${table.name} (\n${lines.join(',\n')}\n)`;
}

interface Cell {
  readonly column: Column;
  /** Where its member lies in a record, and the member's schema. */
  readonly path: readonly string[];
  readonly schema: z.ZodType;
  get(record: Record<string, unknown>): Value;
}

function cellsOf(schema: ObjectSchema, path: readonly string[]): Cell[] {
  return Object.entries(schema.shape).flatMap(([member, type]): Cell[] => {
    const { inner, nullable } = unwrap(type as z.ZodType);
    const meta = columnMeta(inner);
    if (member === '__proto__') throw new TypeError(`no member can be called ${member}: it would be no object's own`);
    const at = [...path, member];
    const of = { path: at, schema: type as z.ZodType };
    if (meta?.echo || meta?.transient) return [];
    if (meta) {
      const prefix = path.map(snakeCase).join('_');
      const own = meta.name ?? snakeCase(member);
      const name = prefix ? `${prefix}_${own}` : own;
      const get = reader(at);
      // A member of an optional object may be missing whatever its own schema says.
      const column: Column = {
        name,
        type: meta.type,
        nullable: nullable || path.length > 0,
        description: meta.description,
        ...(meta.unit && { unit: meta.unit }),
      };
      if (!meta.wide) return [{ ...of, column, get }];
      const split = (record: Record<string, unknown>) => wideValue(meta.type, get(record));
      return [
        { ...of, column: { ...column, nullable: true }, get: (record) => split(record).held },
        {
          ...of,
          column: {
            name: `${name}_text`,
            type: 'varchar',
            nullable: true,
            description: `All digits of \`${name}\` where it cannot hold them.`,
          },
          get: (record) => split(record).text,
        },
      ];
    }
    if (inner instanceof z.ZodObject) return cellsOf(inner as ObjectSchema, at);
    if (inner instanceof z.ZodArray) return [];
    throw new TypeError(
      `member ${at.join('.')} is neither a column, an object nor an array: columns are made by text(), int64() and their like`,
    );
  });
}

function reader(path: readonly string[]): (record: Record<string, unknown>) => Value {
  const [first = '', second, ...rest] = path;
  // Only names that every object inherits are worth the question whether it is its own.
  const of =
    first in Object.prototype
      ? (record: Record<string, unknown>) => memberOf(record, first)
      : (record: Record<string, unknown>) => record[first];
  if (second === undefined) return (record) => (of(record) as Value | undefined) ?? null;
  const inner = reader([second, ...rest]);
  return (record) => {
    const nested = of(record);
    return nested === undefined || nested === null ? null : inner(nested as Record<string, unknown>);
  };
}
