import { expect, test } from 'vitest';
import { tablesOf } from '../../../src/core/stream/stream.ts';
import { noteGaps } from '../../../src/load/bookkeeping/noteGaps.ts';
import { commitBatch } from '../../../src/load/commit/commit.ts';
import { heightsStream, partitionOf } from '../../run/read/heightsStream.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';
import { batchOf } from '../transfers.ts';

test('a hole is known while its record is accepted, and audits look at everything again once it is not', async () => {
  const warehouse = await temporaryWarehouse(tablesOf([heightsStream]));
  const batch = { ...batchOf(heightsStream, []), quarantined: [{ record: '{"height":7}', reason: 'odd' }] };
  await commitBatch(warehouse, {
    stream: heightsStream,
    partition: partitionOf(),
    runId: 'r',
    batch,
    from: null,
    to: { next: 8 },
  });
  const noted = async (change: string) => {
    await warehouse.run(
      `${change}; DELETE FROM firn.audit_state; INSERT INTO firn.audit_state (name, load_id) VALUES ('assert_x', 1)`,
    );
    await noteGaps(warehouse);
    return {
      gaps: await warehouse.query('SELECT from_position::INTEGER AS a, to_position::INTEGER AS b FROM firn.gap'),
      audited: (await warehouse.query('FROM firn.audit_state')).length,
    };
  };
  const accepted = 'UPDATE firn.quarantine SET accepted_at = now()::TIMESTAMP';
  expect(await noted('SELECT 1')).toEqual({ gaps: [], audited: 1 });
  expect(await noted(accepted)).toEqual({ gaps: [{ a: 7, b: 7 }], audited: 1 });
  expect(await noted(accepted)).toEqual({ gaps: [{ a: 7, b: 7 }], audited: 1 });
  expect(await noted('UPDATE firn.quarantine SET accepted_at = NULL')).toEqual({ gaps: [], audited: 0 });
});
