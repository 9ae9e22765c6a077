import { expect, test } from 'vitest';
import { publish } from '../../../src/publish/publish.ts';
import { refuseOlderState } from '../../../src/publish/restored/refuseOlderState.ts';
import { sampleWarehouse } from '../sampleWarehouse.ts';

test('a restored state waits for all that was read of a stream whose partitions cannot be listed', {
  tags: 'long',
}, async () => {
  const warehouse = await sampleWarehouse();
  await publish(warehouse, { runId: 'r2' });
  await warehouse.run(
    `INSERT INTO firn.load VALUES (1, 'r1', 'node/evm_blocks', 'chain_id=1', NULL, 1, 1, 1, 0, 1, NULL, '{}', TIMESTAMP '2026-01-20', 1, 0);
     INSERT INTO firn.checkpoint VALUES ('node/evm_blocks', 'chain_id=1', '{}', 1, TIMESTAMP '2026-01-20'),
       ('node/evm_blocks', 'chain_id=1 from 2026', '{}', 1, TIMESTAMP '2026-01-20')`,
  );
  const refuse = (keys: readonly string[] | null) =>
    refuseOlderState(warehouse, async () => new Map([['node/evm_blocks', keys]]));
  await refuse(['chain_id=2']);
  for (const keys of [['chain_id=1'], null])
    await expect(refuse(keys)).rejects.toThrow(/node\/evm_blocks \(chain_id=1\) was not read on since/);
});
