import type { z } from 'zod';
import { columnMeta } from '../columns/columnSchema.ts';
import { unwrap } from '../columns/unwrap.ts';
import { Cell, type CellOf, type Filled } from './cell.ts';
import type { Rows } from './rows.ts';

type Shape = z.ZodObject<z.ZodRawShape>;

/** Adds rows to a table, one for each thing that was decoded. */
export type AddRow<Decoded> = (rows: Rows, decoded: Decoded) => void;

/** How each column of a decoded table is filled from what was decoded. A column that is missing, or filled with another type, is a type error. */
export type Filling<Schema extends Shape, Decoded> = {
  readonly [Name in keyof Schema['shape']]: (cell: CellOf<Schema['shape'][Name]>, decoded: Decoded) => Filled;
};

type ValueFor<Output> = Output extends number ? number | bigint : Output;

/** A row of a decoded table as an object: all columns, times in Unix seconds. */
export type DecodedRow<Schema extends Shape> = {
  readonly [Name in keyof Schema['shape']]-?: ValueFor<Exclude<z.output<Schema['shape'][Name]>, undefined>>;
};

type Fill = (cell: Cell, decoded: never) => Filled;

/** Adds rows column by column, for tables of many rows: no object is made of a row, and no string of bytes. */
export function rowWriter<Schema extends Shape, Decoded>(filling: Filling<Schema, Decoded>): AddRow<Decoded> {
  return writerOf(Object.entries(filling) as unknown as readonly (readonly [string, Fill])[]);
}

/** Adds rows that are given as objects. */
export function rowAppender<Schema extends Shape>(schema: Schema): AddRow<DecodedRow<Schema>> {
  return writerOf(
    Object.entries(schema.shape).map(([name, member]) => {
      const method = methodOf(member as z.ZodType);
      return [name, (cell: Cell, row: Readonly<Record<string, never>>) => cell[method](row[name] as never)];
    }),
  );
}

function methodOf(schema: z.ZodType) {
  switch (columnMeta(unwrap(schema).inner)?.type) {
    case 'varchar':
    case 'json':
      return 'text';
    case 'blob':
      return 'bytes';
    case 'varchars':
      return 'texts';
    case 'boolean':
      return 'boolean';
    case 'timestamp':
      return 'seconds';
    default:
      return 'integer';
  }
}

function writerOf(fillings: readonly (readonly [name: string, fill: Fill])[]): AddRow<unknown> {
  const fills = fillings.map(([, fill]) => fill);
  const known = new WeakMap<Rows, readonly Cell[]>();
  return (rows, decoded) => {
    let cells = known.get(rows);
    if (cells === undefined) {
      cells = fillings.map(([name]) => new Cell(rows, name));
      known.set(rows, cells);
    }
    rows.add();
    for (let i = 0; i < fills.length; i++) (fills[i] as Fill)(cells[i] as Cell, decoded as never);
  };
}
