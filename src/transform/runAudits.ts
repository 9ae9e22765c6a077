import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlFolder } from '../load/sqlFolder.ts';
import type { Warehouse } from '../load/warehouse.ts';
import { withScope } from './scope.ts';

export interface AuditOptions {
  readonly runId?: string;
  /** Look at all rows again, also at those of loads that passed before. */
  readonly full?: boolean;
  readonly log?: (message: string) => void;
}

/** A query that must return no rows, and how many it returned. */
export interface AuditResult {
  /** `assert_<claim>`, the name of its file. */
  readonly name: string;
  /** The claim in words. */
  readonly description: string;
  readonly failedRows: number;
  /** Up to three of the rows, as JSON; null where there are none. */
  readonly example: string | null;
  readonly seconds: number;
}

/**
 * Runs every audit of `sql/audits` and notes the results in `firn.audit`. Audits over raw rows look only at loads that did not pass
 * before (`in_new_loads`), so that their cost does not grow with the history.
 */
export async function runAudits(warehouse: Warehouse, options: AuditOptions = {}): Promise<AuditResult[]> {
  const folder = sqlFolder('audits');
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  const [newest] = await warehouse.query<{ load_id: bigint }>(
    'SELECT coalesce(max(load_id), 0) AS load_id FROM firn.load',
  );
  const results: AuditResult[] = [];
  for (const file of files) {
    const name = file.replace(/\.sql$/, '');
    const result = await runAudit(warehouse, name, await readFile(join(folder, file), 'utf8'), options.full === true);
    await noteResult(warehouse, result, options.runId ?? '', newest?.load_id ?? 0n);
    if (result.failedRows > 0) options.log?.(`${name}: ${result.failedRows} rows, such as ${result.example}`);
    results.push(result);
  }
  return results;
}

async function runAudit(warehouse: Warehouse, name: string, text: string, full: boolean): Promise<AuditResult> {
  const begun = performance.now();
  const lines = text.split('\n');
  const description = lines
    .filter((line) => line.startsWith('-- '))
    .map((line) => line.slice(3))
    .join(' ');
  const sql = lines
    .filter((line) => !line.startsWith('--'))
    .join('\n')
    .trim()
    .replace(/;$/, '');
  const [passed] = full
    ? []
    : await warehouse.query<{ load_id: bigint }>('SELECT load_id FROM firn.audit_state WHERE name = $1', [name]);
  const rows = () =>
    warehouse.query<{ failed: bigint; example: string | null }>(
      `WITH failed AS MATERIALIZED (${sql})
       SELECT (SELECT count(*) FROM failed) AS failed,
         (SELECT CAST(to_json(list(f)) AS VARCHAR) FROM (FROM failed LIMIT 3) AS f) AS example`,
    );
  const [row] = passed ? await withScope(warehouse, { firn_audited_load: passed.load_id }, rows) : await rows();
  const failedRows = Number(row?.failed ?? 0);
  return {
    name,
    description,
    failedRows,
    example: failedRows > 0 ? (row?.example ?? null) : null,
    seconds: (performance.now() - begun) / 1000,
  };
}

async function noteResult(warehouse: Warehouse, result: AuditResult, runId: string, load: bigint): Promise<void> {
  const { name, failedRows, example } = result;
  await warehouse.run('INSERT INTO firn.audit VALUES ($1, $2, now()::TIMESTAMP, $3, $4)', [
    name,
    runId,
    BigInt(failedRows),
    example,
  ]);
  if (failedRows > 0) return;
  await warehouse.run('DELETE FROM firn.audit_state WHERE name = $1', [name]);
  await warehouse.run('INSERT INTO firn.audit_state VALUES ($1, $2)', [name, load]);
}
