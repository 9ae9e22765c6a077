import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { rows } from './rows.ts';

interface MacroCase {
  /** Session variables, as `name = value`. */
  readonly set: readonly string[];
  readonly call: string;
  /** The value as text. */
  readonly is: string | null;
}

/** The calls of `test/sql/macros.yaml`, by macro. */
export function macroCases(): Map<string, MacroCase[]> {
  const text = readFileSync(join(import.meta.dirname, 'macros.yaml'), 'utf8');
  const cases = z.record(z.string(), rows).parse(parse(text));
  return new Map(
    Object.entries(cases).map(([macro, { names, cells }]) => {
      const calls = cells.map((row) => {
        const cell = (name: string) => row[names.indexOf(name)] ?? '';
        return { set: cell('set').split('; ').filter(Boolean), call: cell('call'), is: cell('is') || null };
      });
      return [macro, calls];
    }),
  );
}
