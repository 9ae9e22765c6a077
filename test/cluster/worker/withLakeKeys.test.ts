import { expect, test } from 'vitest';
import type { Lease } from '../../../src/cluster/contract.ts';
import type { AppliedLake } from '../../../src/cluster/worker/queryLake.ts';
import { withLakeKeys } from '../../../src/cluster/worker/withLakeKeys.ts';
import type { LookupStream } from '../../../src/core/stream/stream.ts';
import type { ReadContext } from '../../../src/run/read/partitionContext.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';

test.each([
  [4, ['a', 'b', 'c', "d'"]],
  [5, ['a', 'b', 'c', "d'", 'e']],
])('%i keys come from the lake two at a time, and those that nobody asked for are given', async (_, keys) => {
  const warehouse = await temporaryWarehouse([]);
  const given: number[] = [];
  const engine = {
    words: { macros: new Map() },
    name: (relation: string) => relation,
    async query(sql: string) {
      const rows = await warehouse.query(sql);
      given.push(rows.length);
      return rows;
    },
  };
  const values = keys.flatMap((key) => [key, key]).map((key) => `('${key.replace("'", "''")}')`);
  const stream = { keys: () => `SELECT * FROM (VALUES ${values.join(', ')}, (NULL)) AS v ("key")` };
  const ledger = {
    unasked: async (_: unknown, asked: readonly string[]) => asked.filter((key) => key !== 'b'),
    foundElsewhere: async () => [],
  };
  const found = await withLakeKeys(
    stream as unknown as LookupStream,
    { partition: { values: {} }, warehouse } as unknown as ReadContext,
    { lake: { engine, tables: [] } as unknown as AppliedLake, ledger, lease: {} as Lease },
    2,
  );
  expect(await warehouse.query(found.keys({ values: {} }))).toEqual(
    keys.filter((key) => key !== 'b').map((key) => ({ key })),
  );
  expect(Math.max(...given)).toBe(2);
});
