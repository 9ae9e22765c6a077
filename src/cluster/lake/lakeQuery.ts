import { literal } from '../../core/text/sqlText.ts';
import type { ScopedQuery } from '../../transform/scope.ts';
import type { Engine } from '../contract.ts';
import { type Rendering, renderForTrino } from '../render/renderForTrino.ts';

/** Reads a lake by SQL that DuckDB reads too: with its macros, and values for `$1`, `$2`. */
export function lakeQuery(engine: Pick<Engine, 'query'>, rendering: Rendering): ScopedQuery {
  const queryIn: ScopedQuery['queryIn'] = (scope, sql, values = []) =>
    engine.query(renderForTrino(bound(sql, values as readonly unknown[]), { ...rendering, scope }));
  return { query: (sql, values) => queryIn({}, sql, values), queryIn };
}

/** A statement with its values written into it: binding them in Trino would take a second statement. */
const bound = (sql: string, values: readonly unknown[]): string =>
  sql.replace(/\$(\d+)/g, (_, place: string) => {
    const value = values[Number(place) - 1];
    return typeof value === 'number' || typeof value === 'bigint' ? String(value) : literal(String(value));
  });
