import { z } from 'zod';
import { jsonText } from '../json/jsonText.ts';
import type { ColumnType, Value } from './columnType.ts';

/**
 * How a column's value stands on the wire, where the reader of bytes knows it; a value without a kind is parsed by its schema, and
 * one that is `made` stands in no answer.
 */
export type WireKind =
  | 'text'
  | 'encoded'
  | 'hex'
  | 'integer'
  | 'unsigned'
  | 'boolean'
  | 'unixSeconds'
  | 'texts'
  | 'hexes'
  | 'elsewhere'
  | 'made';

/** What a column helper says of its column beside the zod schema that parses it. */
export interface ColumnMeta {
  readonly type: ColumnType;
  readonly wire?: WireKind;
  readonly description: string;
  /** Column name when it is not the snake_case of the member's name. */
  readonly name?: string;
  readonly unit?: string;
  /** Repeats a partition value: compared with it, and no column of its own. */
  readonly echo?: boolean;
  /** A second column `<name>_text` holds what does not fit the decimal of the first. */
  readonly wide?: boolean;
  /** Held with its row until that is written, and never stored. */
  readonly transient?: boolean;
}

/** A zod schema that fills one column; made by the helpers below and by nothing else. */
export type ColumnSchema<T extends Value = Value> = z.ZodType<T, unknown>;

const registry = new WeakMap<object, ColumnMeta>();

/** The meta of a schema made by a column helper, `undefined` for any other schema. */
export const columnMeta = (schema: object): ColumnMeta | undefined => registry.get(schema);

/** Makes a clone of a column helper's schema a column schema, too. */
export const setColumnMeta = (schema: object, meta: ColumnMeta) => void registry.set(schema, meta);

/** Takes a value from the wire, or does not. */
export type Parse<T> = (input: unknown) => T | typeof invalid;
/** Given for what is not taken. */
export const invalid = Symbol('invalid');

interface ColumnDef extends z.core.$ZodTypeDef {
  readonly type: 'custom';
  readonly parse: Parse<unknown>;
  /** What to say of a value that `parse` does not take. */
  readonly reason: (input: unknown) => string;
}

interface ColumnInternals extends z.core.$ZodTypeInternals<unknown, unknown> {
  def: ColumnDef;
}

/** A schema kind of its own: z.transform makes a closure and a check for cycles a value, a third of the cost of parsing a page. */
const FirnColumn = z.core.$constructor<z.ZodType & { _zod: ColumnInternals }, ColumnDef>(
  'FirnColumn',
  (schema, def) => {
    z.ZodType.init(schema, def);
    schema._zod.parse = (payload) => {
      const value = def.parse(payload.value);
      if (value !== invalid) payload.value = value;
      else
        payload.issues.push({ code: 'custom', message: def.reason(payload.value), input: payload.value, inst: schema });
      return payload;
    };
  },
);

/** Makes the schema of a column. */
export function makeColumn<T extends Value>(
  meta: ColumnMeta,
  parse: Parse<T>,
  reason: ColumnDef['reason'],
): ColumnSchema<T> {
  const schema = new FirnColumn({ type: 'custom', parse, reason });
  registry.set(schema, meta);
  return schema as unknown as ColumnSchema<T>;
}

/** The same, with what was expected as the reason. */
export const column = <T extends Value>(meta: ColumnMeta, expected: string, parse: Parse<T>) =>
  makeColumn(meta, parse, (input) => `expected ${expected}, got ${shown(input)}`);

/** A value as a reason shows it. */
export function shown(input: unknown): string {
  if (input === undefined) return 'nothing';
  const text = jsonText(input);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
