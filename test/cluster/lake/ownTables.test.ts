import { expect, onTestFinished, test } from 'vitest';
import { type Carrier, fillWorkbench } from '../../../src/cluster/lake/ownTables.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { readAudits } from '../../../src/transform/readAudits.ts';
import { runAudits } from '../../../src/transform/runAudits.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { noNotes } from '../modelLedger.ts';
import { freshDatabase } from '../postgres.ts';

test.each([
  ['what stretches have left to read is no gap', '0, 1, 2, 10', 0],
  ['what is missing beside it is one', '0, 1, 10', 1],
])('%s', async (_, there, failedRows) => {
  const control = await openControl(await freshDatabase());
  const ledger = await openLedger(control);
  onTestFinished(() => ledger.close());
  const of = { stream: 'node/containers', partition: 'index_name=C/block' };
  const lease = async () => {
    const held = await ledger.lease({ owner: 'one', ms: 60_000, partitions: [of] });
    if (!held) throw new Error('nothing to lease');
    return held;
  };
  await ledger.enlist([of]);
  const whole = await lease();
  await ledger.divide(whole, { first: 10, last: 10, size: 1 });
  await ledger.divideBelow(whole, { first: 0, last: 9, size: 5 });
  // The stretch of 10 is read, that of 0 to 4 half, that of 5 to 9 not at all.
  for (const next of [11, 3]) {
    const held = await lease();
    const ends = { parent: null, id: null, tip: {} };
    const read = { id: await ledger.nextBatch(), from: null, to: { next }, files: [], notes: noNotes, ends };
    expect(await ledger.commit(held, read)).toBe('ok');
    await ledger.release(held, { dueInMs: 0 });
  }
  const workbench = await temporaryWarehouse([]);
  await fillWorkbench({ workbench, control, engine: { query: async () => [], name: String } } as unknown as Carrier);
  await workbench.run(`CREATE TABLE raw.node_containers AS
    SELECT 'C/block' AS index_name, unnest([${there}])::BIGINT AS "index", 1::BIGINT AS _load_id`);
  const audits = (await readAudits()).filter(({ name }) => name === 'assert_container_indexes_without_gap');
  expect(await runAudits(workbench, { audits })).toMatchObject([{ problem: null, failedRows }]);
});
