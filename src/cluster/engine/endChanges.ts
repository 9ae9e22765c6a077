import { FirnError, hasCode } from '../../core/firnError.ts';
import { literal } from '../../core/text/sqlText.ts';
import { systemClock } from '../../extract/clock.ts';
import type { TrinoLake } from './trinoLake.ts';

/** How long it is waited for them to end, in looks and milliseconds between two. */
const [looks, betweenMs] = [60, 500] as const;

/** A statement with a mark at its end, by which another process finds it. */
export const marked = (sql: string, warehouse: string): string => `${sql}\n-- warehouse ${warehouse}`;

/**
 * Ends the marked statements that still run, and waits until nothing of them does.
 *
 * @returns how many there were
 * @throws FirnError `unavailable` where one does not end
 */
export async function endChanges({ run }: Pick<TrinoLake, 'run'>, warehouse: string): Promise<number> {
  const end = marked('', warehouse);
  const isOurs = `source = 'firn' AND substr(query, ${-end.length}) = ${literal(end)}`;
  const ended = new Set<string>();
  for (let look = 0; look < looks; look++) {
    const { rows } = await run<{ id: string }>(
      `SELECT query_id AS id FROM system.runtime.queries AS q WHERE ${isOurs} AND (state NOT IN ('FINISHED', 'FAILED')
         OR EXISTS (SELECT 1 FROM system.runtime.tasks AS t WHERE t.query_id = q.query_id AND t.state IN ('PLANNED', 'RUNNING', 'FLUSHING', 'CANCELING', 'ABORTING', 'FAILING')))`,
    );
    if (rows.length === 0) return ended.size;
    for (const { id } of rows.filter((row) => !ended.has(row.id))) {
      ended.add(id);
      const why = literal('The process that sent it was given up: another one builds.');
      // It may have come to its end since.
      await run(`CALL system.runtime.kill_query(query_id => ${literal(id)}, message => ${why})`).catch(passing);
    }
    await systemClock.sleep(betweenMs);
  }
  throw new FirnError(
    'unavailable',
    `Trino still runs what an earlier build sent (${[...ended].join(', ')}), and could commit it after what is built now. End these queries in Trino, and run again.`,
    { retryable: true },
  );
}

function passing(error: unknown): void {
  if (!hasCode(error, 'failed')) throw error;
}
