import { expect, onTestFinished, test } from 'vitest';
import { auditScopes } from '../../../src/cluster/lake/auditScopes.ts';
import { temporaryWarehouse } from '../../transform/warehouse.ts';

test('an audit looks at new loads alone once it found nothing, and at all rows until then', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  await warehouse.run(`INSERT INTO firn.audit (name, run_id, checked_at, failed_rows, severity, problem) VALUES
    ('passed', 'a', '2026-01-01', 2, 'blocks', NULL), ('passed', 'b', '2026-01-02', 0, 'blocks', NULL),
    ('found', 'a', '2026-01-01', 0, 'blocks', NULL), ('found', 'b', '2026-01-02', 1, 'blocks', NULL),
    ('could not look', 'b', '2026-01-02', 0, 'blocks', 'no such table')`);
  // The seventh came after the ninth.
  const scopeOf = await auditScopes(warehouse, [9, 7]);
  expect(['passed', 'found', 'could not look', 'was never run'].map(scopeOf)).toEqual([
    { firn_audited_load: 6n },
    {},
    {},
    {},
  ]);
  const nothingNew = (await auditScopes(warehouse, []))('passed')['firn_audited_load'];
  expect(nothingNew).toBeGreaterThan(10n ** 15n);
});
