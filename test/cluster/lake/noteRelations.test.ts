/** @module-tag long */
import { expect, onTestFinished, test } from 'vitest';
import { noteRelations } from '../../../src/cluster/lake/noteRelations.ts';
import { placeModels } from '../../../src/transform/models/placeModels.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';
import { temporaryWarehouse } from '../../transform/warehouse.ts';

test('columns of models and tables are noted as one machine knows them', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const columnsOf = async (from: string, name: string) =>
    warehouse.query(
      `SELECT column_name, data_type FROM ${from} WHERE table_schema || '.' || table_name = '${name}' ORDER BY ordinal_position`,
    );
  const known = await columnsOf('information_schema.columns', 'raw.node_evm_blocks');
  const models = await placeModels(warehouse, await readModels());
  await noteRelations(warehouse, models, ['raw.node_evm_blocks', 'firn.load']);
  expect(await columnsOf('firn.relation', 'raw.node_evm_blocks')).toEqual(known);
  expect(known.length).toBeGreaterThan(10);
  expect(await columnsOf('firn.relation', 'mart.metric_daily')).toContainEqual({
    column_name: 'avg_tps',
    data_type: 'DOUBLE',
  });
  expect(await columnsOf('firn.relation', 'raw.node_evm_logs')).toEqual([]);
  const relations = await warehouse.query<{ schema: string }>(
    'SELECT DISTINCT table_schema AS schema, table_name FROM firn.relation',
  );
  // Beside them what tells of the version.
  expect(relations.length).toBe(models.length + 3);
  expect(await columnsOf('firn.relation', 'firn.published')).toHaveLength(5);
});
