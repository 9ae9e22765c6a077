import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqlFolder } from '../../load/sqlFolder.ts';
import { type Macro, readMacros } from './expandMacros.ts';

let own: ReadonlyMap<string, Macro> | undefined;

/** The macros of `sql/trino/macros.sql`, read once. */
export function trinoMacros(): ReadonlyMap<string, Macro> {
  own ??= readMacros(readFileSync(join(sqlFolder('trino'), 'macros.sql'), 'utf8'));
  return own;
}
