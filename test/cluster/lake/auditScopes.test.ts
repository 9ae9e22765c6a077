import { expect, onTestFinished, test } from 'vitest';
import { auditScopes } from '../../../src/cluster/lake/auditScopes.ts';
import { auditHash } from '../../../src/transform/audits/runAudits.ts';
import { temporaryWarehouse } from '../../transform/warehouse.ts';

test('an audit looks at new loads alone once it found nothing, and at all rows until then and where its SQL changed', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  await warehouse.run(`INSERT INTO firn.audit (name, run_id, checked_at, failed_rows, severity, problem) VALUES
    ('passed', 'a', '2026-01-01', 2, 'blocks', NULL), ('passed', 'b', '2026-01-02', 0, 'blocks', NULL),
    ('found', 'a', '2026-01-01', 0, 'blocks', NULL), ('found', 'b', '2026-01-02', 1, 'blocks', NULL),
    ('could not look', 'b', '2026-01-02', 0, 'blocks', 'no such table')`);
  const sql = 'SELECT 1 WHERE false';
  const names = ['passed', 'found', 'could not look'];
  for (const name of names)
    await warehouse.run(`INSERT INTO firn.audit_state VALUES ('${name}', 3, '${auditHash({ sql })}')`);
  // The seventh came after the ninth.
  const scopeOf = await auditScopes(warehouse, [9, 7]);
  expect([...names, 'was never run'].map((name) => scopeOf({ name, sql }))).toEqual([
    { firn_audited_load: 6n },
    {},
    {},
    {},
  ]);
  expect(scopeOf({ name: 'passed', sql: `${sql} AND true` })).toEqual({});
  const million = await auditScopes(
    warehouse,
    Array.from({ length: 1_000_000 }, (_, i) => i + 4),
  );
  expect(million({ name: 'passed', sql })).toEqual({ firn_audited_load: 3n });
  const nothingNew = (await auditScopes(warehouse, []))({ name: 'passed', sql })['firn_audited_load'];
  expect(nothingNew).toBeGreaterThan(10n ** 15n);
});
