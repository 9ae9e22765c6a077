import { expect, test } from 'vitest';
import { pendingRewards } from '../../pipelines/data-api/pendingRewards.ts';
import { validatorCycles } from '../../pipelines/data-api/validatorCycles.ts';
import { validatorDetails } from '../../pipelines/data-api/validatorDetails.ts';
import { validators } from '../../pipelines/data-api/validators.ts';
import { l1Validators } from '../../pipelines/node/l1Validators.ts';
import { platformValidators } from '../../pipelines/node/platformValidators.ts';
import type { Partition } from '../../src/core/stream/partition.ts';
import { type SnapshotStream, tablesOf } from '../../src/core/stream/stream.ts';
import { readSnapshot } from '../../src/run/read/readSnapshot.ts';
import { temporaryWarehouse } from '../load/temporaryWarehouse.ts';
import { readContext } from '../run/read/readContext.ts';

/** Reads lists of validators, one after the other, and gives which are current, and which rows their day has. */
async function reads(declared: unknown, partitions: readonly Partition[], ...lists: readonly (readonly object[])[]) {
  const stream = declared as SnapshotStream;
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  for (const list of lists) {
    for (const partition of partitions) {
      const node = partition.values['node_id'];
      const items = list.filter((one) => node === undefined || (one as { nodeId?: string }).nodeId === node);
      const answer = async () => ({ body: { validators: items }, bytes: 1, fetchedAt: 1_700_000_000_000 });
      await readSnapshot(stream, readContext(warehouse, stream, partition, answer));
    }
  }
  const { key, name } = stream.table;
  const rows = (table: string, where = 'true') =>
    warehouse.query(`SELECT ${key.join(', ')} FROM ${table} WHERE ${where} ORDER BY ALL`);
  return { current: await rows(name, '_valid_to IS NULL'), ofDay: await rows(`${name}_daily`) };
}

const converted = ['NodeID-1', 'NodeID-2'].map((nodeId) => ({ txHash: 'convert', nodeId }));
const ofConverted = converted.map(({ txHash, nodeId }) => ({ tx_hash: txHash, node_id: nodeId }));

test.each([
  [validators.id, validators, [{ values: { network: 'fuji' }, settings: { lists: [undefined], query: {} } }]],
  [
    validatorDetails.id,
    validatorDetails,
    converted.map(({ nodeId }) => ({ values: { network: 'fuji', node_id: nodeId }, settings: { query: {} } })),
  ],
])(
  '%s: of validators that one ConvertSubnetToL1Tx brought each has a row, also of its day',
  async (_, stream, partitions) => {
    expect(await reads(stream, partitions, converted, converted)).toMatchObject({
      current: ofConverted,
      ofDay: ofConverted,
    });
  },
);

const cycle = (stakingTxHash: string, cycleIndex: number) => {
  return { stakingTxHash, cycleIndex, startTimestamp: 1, endTimestamp: 2, weightAtCycleStart: '5' };
};
const reward = (rewardType: string) => ({ txHash: 'a', rewardType, nodeId: 'NodeID-1' });

test.each<[string, unknown, Partition, object, number]>([
  [
    'cycles of two validations of one node',
    validatorCycles,
    { values: { network: 'fuji', node_id: 'NodeID-1' }, settings: {} },
    { cycles: [cycle('a', 1), cycle('a', 2), cycle('b', 1)] },
    3,
  ],
  [
    'a reward and the fee of it',
    pendingRewards,
    { values: { network: 'fuji' }, settings: { requests: [{}], query: {} } },
    { pendingRewards: [reward('DELEGATOR'), reward('VALIDATOR_FEE')] },
    2,
  ],
])('%s have a row each', async (_, declared, partition, body, wanted) => {
  const stream = declared as SnapshotStream;
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const answer = async () => ({ body, bytes: 1, fetchedAt: 1_700_000_000_000 });
  await readSnapshot(stream, readContext(warehouse, stream, partition, answer));
  expect(await warehouse.query(`SELECT 1 FROM ${stream.table.name} WHERE _valid_to IS NULL`)).toHaveLength(wanted);
});

const subnet = [{ values: { subnet_id: 's' }, settings: { delegators: false } }];
const added = { txID: 'tx', nodeID: 'NodeID-1', startTime: '1', endTime: '2', weight: '1' };
const ofL1 = { validationID: 'v', nodeID: 'NodeID-1', startTime: '1', weight: '1', balance: '5' };

test('a node that a converted subnet lists twice has a row of each, also of its day', async () => {
  const rows = ['v', null].map((validation_id) => ({ subnet_id: 's', node_id: 'NodeID-1', validation_id }));
  expect(await reads(platformValidators, subnet, [added, ofL1])).toEqual({ current: rows, ofDay: rows });
});

test('a validator without a validation that cannot be read keeps its own row alone from ending', async () => {
  const other = { ...added, nodeID: 'NodeID-2' };
  const unreadable = { ...added, connected: 'perhaps' };
  const read = await reads(platformValidators, subnet, [added, other], [unreadable]);
  expect(read.current).toMatchObject([{ node_id: 'NodeID-1' }]);
  const noKey = { ...added, validationID: {} };
  expect((await reads(platformValidators, subnet, [added, other], [noKey])).current).toHaveLength(2);
});

test.each([
  [platformValidators.id, platformValidators.parameters, {}],
  [l1Validators.id, l1Validators.parameters, { blockchainIds: ['C'] }],
])('%s: no node ids at all are refused, as they would name a selection and read all', (_, parameters, others) => {
  expect(parameters.safeParse({ ...others, nodeIds: [] }).error?.issues).toMatchObject([{ path: ['nodeIds'] }]);
  expect(parameters.safeParse({ ...others, nodeIds: ['NodeID-1'] }).success).toBe(true);
});
