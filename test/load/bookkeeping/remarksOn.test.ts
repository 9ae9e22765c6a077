import { expect, test } from 'vitest';
import { operations } from '../../../pipelines/data-api/operations.ts';
import { remarksOn } from '../../../src/load/bookkeeping/remarksOn.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';

const then = Date.UTC(2026, 0, 20);
const key = (chain: string) => `chain_id=${chain},metric=txCount,time_interval=day`;
const metrics = (...chains: string[]) => new Map([['metrics/chain_metrics', chains.map(key)]]);

async function warehouseOf(...read: readonly (readonly [stream: string, partition: string])[]) {
  const warehouse = await temporaryWarehouse([]);
  for (const [i, [stream, partition]] of read.entries()) {
    const of = `'${stream}', '${partition}'`;
    await warehouse.run(
      `INSERT INTO firn.load VALUES (${i + 1}, 'r', ${of}, NULL, 1, 1, 1, 0, 1, NULL, '{}', TIMESTAMP '2026-01-20', 1, 0);
       INSERT INTO firn.checkpoint VALUES (${of}, '{}', ${i + 1}, TIMESTAMP '2026-01-20')`,
    );
  }
  return warehouse;
}

test('what is configured, what a backfill keeps beside it and what was dropped is no mistake', async () => {
  const warehouse = await warehouseOf(['metrics/chain_metrics', key('1')], ['data/chains', 'all']);
  await warehouse.run(
    `DELETE FROM firn.checkpoint WHERE stream = 'data/chains';
     INSERT INTO firn.checkpoint VALUES ('metrics/chain_metrics', '${key('1')} from 2026', '{}', 1, TIMESTAMP '2026-01-20')`,
  );
  expect(await remarksOn(warehouse, metrics('1', '2'), [], then)).toEqual([]);
});

test('streams and partitions that the configuration does not name are told, a few of each by name', async () => {
  const read = ['1', '2', '3', '4', '5'].map((chain) => ['metrics/chain_metrics', key(chain)] as const);
  const warehouse = await warehouseOf(...read, ['data/chains', 'all']);
  const [said, ...others] = await remarksOn(warehouse, metrics('1'), [], then);
  expect(others).toEqual([]);
  expect(said).toContain(
    `what was read before: data/chains, metrics/chain_metrics (${key('2')}; ${key('3')}; ${key('4')}; and 1 more).`,
  );
});

test('of a stream whose partitions cannot be said nothing is told', async () => {
  const warehouse = await warehouseOf(['metrics/chain_metrics', key('1')]);
  expect(await remarksOn(warehouse, new Map([['metrics/chain_metrics', null]]), [], then)).toEqual([]);
});

test('what a command reads is in no configuration and is not told', async () => {
  const warehouse = await warehouseOf([operations.id, 'operation_id=1'], ['data/chains', 'all']);
  const [said] = await remarksOn(warehouse, metrics('1'), [operations], then);
  expect(said).toContain('what was read before: data/chains. ');
});

test('a clock that is behind the newest load is told', async () => {
  const warehouse = await warehouseOf(['metrics/chain_metrics', key('1')]);
  const said = (now: number) => remarksOn(warehouse, metrics('1'), [], now);
  expect(await said(then - 60_000)).toEqual([]);
  expect(await said(then - 86_400_000)).toEqual([
    expect.stringMatching(/says 2026-01-19T00:00:00.000Z.*2026-01-20T00:00:00.000Z: one of them was wrong/),
  ]);
});
