import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { refuseOtherKeys } from '../../../src/cluster/ledger/refuseOtherKeys.ts';
import { text } from '../../../src/core/columns/columns.ts';
import { defineTable } from '../../../src/core/columns/table.ts';
import { freshDatabase } from '../postgres.ts';

test('a key that is another one is refused once anything was read, and may be changed before', async () => {
  const control = await openControl(await freshDatabase());
  onTestFinished(() => control.close());
  const schema = z.object({ a: text('A.'), b: text('B.'), c: text('C.') });
  const keys = (...key: string[]) =>
    refuseOtherKeys(
      control,
      ['raw.mine_other', 'raw.mine_own'].map((name) => defineTable({ name, description: 'Mine.', schema, key })),
    );
  await keys('a');
  await keys('a', 'b');
  await control.query(
    `INSERT INTO firn.batch_file (batch_id, table_name, uri, rows, bytes, sha256) VALUES (1, 'raw.mine_own', 'x', 1, 1, '')`,
  );
  await keys('b', 'a');
  for (const key of [['a'], ['a', 'c'], ['a', 'b', 'c']])
    await expect(keys(...key)).rejects.toMatchObject({
      code: 'newer_warehouse',
      message: expect.stringContaining(
        `The key of raw.mine_own is a, b in what this cluster has read, and ${key.join(', ')} here`,
      ),
    });
});
