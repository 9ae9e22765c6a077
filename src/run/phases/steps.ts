import type { Warehouse } from '../../load/warehouse.ts';

/** Tables that tell of runs, not of data: they change in every run. */
const ofRuns = ['run', 'load', 'checkpoint', 'quota', 'audit', 'audit_state', 'step', 'model', 'date_height'];
/** Tables that grow with the data: their size tells whether they changed. */
const large: Readonly<Record<string, string>> = {
  coverage: 'count(*)',
  lookup: 'count(*)',
  evidence: 'count(*), max(proven_at)',
};

/** Text that changes whenever something may have changed that audits, verdicts or readers see, runs aside. Models must be built before. */
export async function stateText(warehouse: Warehouse): Promise<string> {
  const tables = await warehouse.query<{ name: string }>(
    `SELECT table_name AS name FROM duckdb_tables()
     WHERE database_name = current_database() AND schema_name = 'firn' AND table_name NOT IN (${ofRuns.map((name) => `'${name}'`).join(', ')})
     ORDER BY 1`,
  );
  const parts = tables.map(({ name }) => {
    const what = large[name] ?? 'count(*), sum(hash(t))';
    return `(SELECT concat_ws('/', ${what}) FROM firn."${name}" AS t)`;
  });
  const [row] = await warehouse.query<{ text: string }>(
    `SELECT concat_ws(' ', ${parts.join(', ')},
       (SELECT sum(hash(schema_name, table_name, column_name, data_type, "comment")) FROM duckdb_columns()
        WHERE database_name = current_database())) AS text`,
  );
  return row?.text ?? '';
}

/** Text that changes whenever audits or verdicts were computed again. */
export async function stepsText(warehouse: Warehouse): Promise<string> {
  const [row] = await warehouse.query<{ text: string | null }>(
    `SELECT string_agg(step || ' ' || done_at, ' ' ORDER BY step) AS text FROM firn.step WHERE step <> 'publish'`,
  );
  return row?.text ?? '';
}

/** What came of a step that was done for this very state; undefined where it is to be done. */
export async function doneBefore<T>(warehouse: Warehouse, step: string, state: string): Promise<T | undefined> {
  const [row] = await warehouse.query<{ result: string }>(
    'SELECT result FROM firn.step WHERE step = $1 AND state = $2',
    [step, state],
  );
  return row && (JSON.parse(row.result) as T);
}

/** Remembers what came of a step, in place of what came of it before. */
export function remember(warehouse: Warehouse, step: string, state: string, result: unknown): Promise<void> {
  return warehouse.transaction(async (tx) => {
    await tx.run('DELETE FROM firn.step WHERE step = $1', [step]);
    await tx.run('INSERT INTO firn.step VALUES ($1, $2, $3, now()::TIMESTAMP)', [step, state, JSON.stringify(result)]);
  });
}
