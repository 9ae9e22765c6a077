import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { LakeTable } from '../../../src/cluster/contract.ts';
import { renderingAt, sameIn, takeCut } from '../../../src/cluster/lake/cut.ts';
import type { LakeCut } from '../../../src/cluster/lake/lakeCut.ts';
import { renderForTrino } from '../../../src/cluster/render/renderForTrino.ts';
import { ownColumn } from '../../../src/core/columns/table.ts';
import { openDuckDb } from '../../../src/load/database/openDuckDb.ts';
import { temporary } from '../../temporaryFolders.ts';
import { createDuckDbEngine } from '../engine/duckDbEngine.ts';
import { stageRows } from '../engine/stageRows.ts';

const columns = [ownColumn('k', 'bigint')];
const blocks: LakeTable = { name: 'raw.blocks', columns };
const latest: LakeTable = { name: 'raw.latest', columns, replacedBy: ['k'] };
const nothing: LakeTable = { name: 'raw.nothing', columns };

test('a cut shows whole loads alone, and none that comes after it', async () => {
  const folder = await temporary();
  const root = `${pathToFileURL(folder)}/`;
  const engine = createDuckDbEngine(await openDuckDb({ folders: [folder], file: join(folder, 'lake.duckdb') }), root);
  onTestFinished(() => engine.close());
  const apply = async (table: LakeTable, id: number, rows: string) => {
    await engine.ensureTable(table);
    const select = `SELECT k, ${id}::BIGINT AS firn_batch, k AS firn_row FROM range(${rows}) AS r (k)`;
    await engine.apply(table.name, [await stageRows(folder, root, table.name, id, select)]);
  };
  await apply(blocks, 1, '0, 3');
  await apply(latest, 1, '0, 3');
  // Of the second load one table is still to come.
  await apply(blocks, 2, '3, 5');
  const tables = [blocks, latest, nothing];
  const cut = await takeCut(
    engine,
    {
      unbuiltBeside: async () => ({
        'raw.blocks': [
          [2, 2],
          [7, 9],
        ],
        'raw.latest': [[2, 2]],
      }),
    },
    tables,
    [1],
  );
  await apply(blocks, 3, '5, 9');
  await apply(latest, 3, '1, 2');

  const { views, table } = renderingAt(engine, [], tables, cut);
  const seen = async (name: string) =>
    engine.query(
      renderForTrino(
        `SELECT CAST(count(*) AS INTEGER) AS rows, CAST(max(firn_batch) AS INTEGER) AS newest FROM ${name}`,
        {
          macros: new Map(),
          views,
          table,
        },
      ),
    );
  expect(await seen('raw.blocks')).toEqual([{ rows: 3, newest: 1 }]);
  expect(await seen('raw.latest')).toEqual([{ rows: 3, newest: 1 }]);
  expect(await seen('raw.nothing')).toEqual([{ rows: 0, newest: null }]);
});

test('what holds the same in two cuts: no table of which one leaves out what the other does not', () => {
  const tables = [blocks, latest, { name: 'firn.chain', columns: [] }];
  const cuts = [whole, { ...whole, partial: { 'raw.blocks': [[2, 2]] } }, { ...whole, snapshots: {} }] as const;
  const same = (one: LakeCut, other: LakeCut) =>
    ['raw.blocks', 'raw.latest', 'firn.chain', 'raw.other'].filter(sameIn(tables, one, other));
  expect(cuts.map((cut) => same(whole, cut))).toEqual([
    ['raw.blocks', 'raw.latest', 'firn.chain'],
    ['raw.latest', 'firn.chain'],
    [],
  ]);
  expect(same(cuts[1], cuts[1])).toContain('raw.blocks');
});

const whole = { snapshots: { 'raw.blocks': '1', 'raw.latest_batches': '2', 'firn.chain': '3' }, partial: {} };
