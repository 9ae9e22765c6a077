import { expect, test } from 'vitest';
import type { Engine } from '../../../src/cluster/contract.ts';
import { isStillThere } from '../../../src/cluster/lake/lakeChanges.ts';
import { FirnError } from '../../../src/core/firnError.ts';

test('a build does not compare with snapshots that maintenance has forgotten, nor where there are none', async () => {
  const there = new Set(['mart.fct_block 3', 'firn.coverage 4', 'firn.gap 1']);
  let code: 'failed' | 'unavailable' = 'failed';
  const engine = {
    asOf: (relation: string, snapshot: string) => `"${relation} ${snapshot}"`,
    async query(sql: string) {
      const missing = [...sql.matchAll(/"(.*?)"/g)].find(([, name = '']) => !there.has(name));
      if (missing) throw new FirnError(code, 'Iceberg snapshot ID does not exists');
      return [];
    },
  } as unknown as Engine;
  const snapshots = { 'raw.x': '9', 'mart.fct_block': '3', 'firn.coverage': '4', 'firn.gap': '1' };
  expect(await isStillThere(engine, { snapshots })).toBe(true);
  expect(await isStillThere(engine, { snapshots: {} })).toBe(false);
  there.delete('firn.gap 1');
  expect(await isStillThere(engine, { snapshots })).toBe(false);
  code = 'unavailable';
  await expect(isStillThere(engine, { snapshots })).rejects.toMatchObject({ code });
});
