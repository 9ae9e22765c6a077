import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { operationRecord } from '../../pipelines/data-api/operations.ts';
import { actions, catalogue } from '../../pipelines/index.ts';
import type { NetworkFacts } from '../../src/core/stream/network.ts';
import type { Partition } from '../../src/core/stream/partition.ts';
import { recordsIn } from '../../src/core/stream/records.ts';
import type { ActionStream, Stream } from '../../src/core/stream/stream.ts';
import { parsed } from '../core/parse/parsed.ts';
import { fullAnswers } from './data-api/fullRecords.ts';
import { documentedMembers } from './specificationFields.ts';

// Every documented member must make a difference to a typed column: an answer without it gives other rows. What only a
// JSON column or nothing at all took in would give the same.

const network: NetworkFacts = {
  networkId: 5,
  network: 'fuji',
  hrp: 'fuji',
  chains: [{ chainId: '43113', name: 'C-Chain', blockchainId: 'c', alias: 'C', vm: 'evm', genesisHash: null }],
};

interface Answer {
  readonly parameters: object;
  readonly body: object;
}

const owner = { locktime: '1', threshold: '1', addresses: ['P-fuji1q'] };
const staking = { txID: 't1', startTime: '1700000000', endTime: '1800000000', weight: '5', potentialReward: '6' };
const bytes = Buffer.from('00');
const precompile = { adminAddresses: ['0xaa'], blockTimestamp: 0, disable: true };

/** Answers of the node, with every member of the specification. */
const nodeAnswers: Readonly<Record<string, object>> = {
  'node/platform_balances': {
    balances: { a: '10' },
    unlockeds: { a: '4' },
    lockedStakeables: { a: '3' },
    lockedNotStakeables: { a: '3' },
    utxoIDs: [{ txID: 't', outputIndex: 1 }],
  },
  'node/platform_blockchains': { blockchains: [{ id: 'b', name: 'n', subnetID: 's', vmID: 'v' }] },
  'node/platform_blockchain_status': { status: 'Validating' },
  'node/platform_supply': { supply: '5' },
  'node/platform_blocks': {
    records: [{ height: 1, id: 'b', parentID: 'p', transactions: [{ id: 't', unsignedTx: {}, credentials: [] }] }],
  },
  'node/platform_validators': {
    validators: [
      {
        ...staking,
        nodeID: 'NodeID-a',
        validationID: 'v',
        publicKey: '0x01',
        minNonce: '2',
        balance: '3',
        delegationFee: '2.0000',
        uptime: '99.9',
        delegatorCount: '1',
        delegatorWeight: '7',
        connected: true,
        remainingBalanceOwner: owner,
        deactivationOwner: owner,
        validationRewardOwner: owner,
        delegationRewardOwner: owner,
        signer: { publicKey: '0x01', proofOfPosession: '0x02' },
        delegators: [{ ...staking, txID: 't2', nodeID: 'NodeID-a', rewardOwner: owner }],
      },
    ],
  },
  'node/evm_fee_config': {
    feeConfig: {
      gasLimit: 1,
      targetBlockRate: 2,
      minBaseFee: 3,
      targetGas: 4,
      baseFeeChangeDenominator: 5,
      minBlockGasCost: 6,
      maxBlockGasCost: 7,
      blockGasCostStep: 8,
    },
    lastChangedAt: 9,
  },
  'node/evm_chain_config': {
    chainId: 43113,
    feeConfig: { gasLimit: 1 },
    allowFeeRecipients: true,
    eip150Hash: `0x${'0'.repeat(64)}`,
    ...Object.fromEntries(
      [
        'homestead',
        'eip150',
        'eip155',
        'eip158',
        'byzantium',
        'constantinople',
        'petersburg',
        'istanbul',
        'muirGlacier',
      ].map((fork, i) => [`${fork}Block`, i]),
    ),
    subnetEVMTimestamp: 0,
    contractDeployerAllowListConfig: precompile,
    contractNativeMinterConfig: precompile,
    feeManagerConfig: precompile,
    upgrades: { precompileUpgrades: [{ feeManagerConfig: precompile }] },
  },
  'node/evm_active_rules': {
    ethRules: Object.fromEntries(
      [
        'Homestead',
        'EIP150',
        'EIP155',
        'EIP158',
        'Byzantium',
        'Constantinople',
        'Petersburg',
        'Istanbul',
        'Cancun',
      ].map((rule) => [`Is${rule}`, true]),
    ),
    networkRules: { IsSubnetEVM: true, IsDurango: true, IsEtna: false },
    precompiles: { feeManagerConfig: { timestamp: 5 } },
  },
  'node/evm_active_precompiles': { feeManagerConfig: precompile },
  'node/l1_validators': {
    validators: [
      {
        validationID: 'v',
        nodeID: 'NodeID-a',
        weight: 20,
        startTimestamp: 1_700_000_000,
        isActive: true,
        isL1Validator: true,
        isConnected: true,
        uptimeSeconds: 5,
        uptimePercentage: 99.5,
      },
    ],
  },
  'node/containers': {
    records: [
      {
        id: 'c',
        bytes: `0x${bytes.toString('hex')}${createHash('sha256').update(bytes).digest('hex').slice(-8)}`,
        timestamp: '2026-01-20T00:00:00.123456789Z',
        timestampText: '2026-01-20T00:00:00.123456789Z',
        encoding: 'hex',
        index: '3',
      },
    ],
  },
  'node/avm_transactions': { tx: { unsignedTx: { networkID: 5, blockchainID: 'x', outputs: [], inputs: [] } } },
};

const nodeParameters: Readonly<Record<string, object>> = {
  'node/platform_balances': { addresses: ['fuji1q'] },
  'node/containers': { indexes: ['P/block'], decode: false },
};

/** Answers beside those of the data service's streams. */
const answers: Readonly<Record<string, readonly Answer[]>> = {
  ...fullAnswers,
  ...Object.fromEntries(
    Object.entries(nodeAnswers).map(([id, body]) => [id, [{ parameters: nodeParameters[id] ?? {}, body }]]),
  ),
  'metrics/chain_metrics': [
    {
      parameters: { chainIds: ['43114'], metrics: ['txCount'], timeIntervals: ['day'] },
      body: { results: [{ value: '7.5', timestamp: '1700000000' }] },
    },
  ],
  'data/operations': [
    {
      parameters: {},
      body: {
        operationId: 'o',
        operationType: 'TRANSACTION_EXPORT_PRIMARY_NETWORK',
        operationStatus: 'RUNNING',
        message: 'in progress',
        metadata: { code: 'ErrInvalidRequest', downloadUrl: 'https://files.test/o.csv', nextDate: '2026-01-20' },
        createdAtTimestamp: 1_700_000_000,
        updatedAtTimestamp: 1_700_000_001,
      },
    },
  ],
  'data/signed_messages': [{ parameters: {}, body: { signedMessage: '0x01' } }],
};

const declared: readonly (Stream | ActionStream)[] = [...catalogue, ...actions];

/** Everything that an answer leaves behind, apart from what is kept as it came. */
function traces(stream: Stream | ActionStream, { parameters, body }: Answer): string {
  const partition = partitionOf(stream, parameters);
  const records = recordsOf(stream, body, partition);
  const page = parsed(stream, partition, network, records);
  const rows = [page.rows, ...Object.values(page.children)].map((table) => table.map(({ _extra, ...row }) => row));
  // A member without which the record is no record is kept, too.
  return JSON.stringify([rows, page.quarantined.map(({ reason }) => reason)], (_, value) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
}

function recordsOf(stream: Stream | ActionStream, body: object, partition: Partition): readonly unknown[] {
  if (stream.way === 'action') return [actionRecord(stream.id, body)];
  if (stream.way === 'range') return (body as { records: unknown[] }).records;
  try {
    return [...recordsIn(stream.records, body, partition, 'key')];
  } catch (error) {
    // Without such a member there is no answer, which makes a difference too.
    return [{ refused: String(error) }];
  }
}

function actionRecord(id: string, body: object): unknown {
  const request = { type: 'TRANSACTION_EXPORT_EVM', options: {} };
  if (id === 'data/signed_messages') return { ...body, fetchedAt: '2026-01-20T00:00:00Z' };
  try {
    return operationRecord(body, { part: 1, body: request });
  } catch (error) {
    return { refused: String(error) };
  }
}

function partitionOf(stream: Stream | ActionStream, parameters: object): Partition {
  if (stream.way === 'action') return { values: { export_id: 'e', network: 'fuji', request_id: 'r' } };
  const [partition] = stream.partitions((stream.parameters as z.ZodType).parse(parameters) as never, network);
  if (!partition) throw new Error(`${stream.id} has no partition`);
  return partition;
}

/** An answer with one member changed or, without a change, taken away, wherever its path leads; null where it has none. */
function without(body: object, path: string, change?: (value: unknown) => unknown): object | null {
  const copy = structuredClone(body);
  let found = false;
  const visit = (value: unknown, [part = '', ...rest]: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) return;
    const name = part.replace('[]', '');
    const record = value as Record<string, unknown>;
    if (rest.length === 0) {
      found ||= name in record;
      if (change && name in record) record[name] = change(record[name]);
      else delete record[name];
      return;
    }
    const inner = record[name];
    for (const item of Array.isArray(inner) && part.endsWith('[]') ? inner : [inner]) visit(item, rest);
  };
  visit(copy, path.split('.'));
  return found ? copy : null;
}

test('every stream has its members listed', () => {
  // Their shapes are in no specification.
  const unspecified = ['data/chains', 'data/export_rows', 'node/evm_blocks', 'node/platform_reward_utxos'];
  // Histories keep the answers of streams that are listed.
  const specified = declared.filter(({ source }) => ['node', 'data', 'metrics'].includes(source.name));
  const wanted = specified.filter(({ id }) => !unspecified.includes(id) && !id.endsWith('_history'));
  expect(Object.keys(documentedMembers).sort()).toEqual(wanted.map(({ id }) => id).sort());
});

/** Members that a UTXO repeats of its asset, for as long as the asset says the same. */
const repeated = /^(.*utxos\[\])\.(?:amount|assetId)$/i;
/** Members that repeat what was asked for: a column of the partition holds them, and an answer that contradicts it is quarantined. */
const echoed =
  /(?:^|\.)(?:chainId|chainInfo\.\w+)$|^tokens\[\]\.address$|^validators\[\](?:\.delegators\[\])?\.node(?:Id|ID)$/;

function makesADifference(stream: Stream | ActionStream, answer: Answer, member: string): boolean {
  const asset = repeated.exec(member)?.[1];
  const whole = asset ? without(answer.body, `${asset}.asset`) : answer.body;
  const changed = whole && without(whole, member);
  if (!whole || !changed) return false;
  const told = traces(stream, { ...answer, body: whole });
  if (traces(stream, { ...answer, body: changed }) !== told) return true;
  const other = echoed.test(member) && without(whole, member, () => 'another');
  return other ? traces(stream, { ...answer, body: other }) !== told : false;
}

test.each(Object.entries(documentedMembers))('%s keeps every documented member', (id, members) => {
  const stream = declared.find((candidate) => candidate.id === id);
  if (!stream) throw new Error(`no stream ${id}`);
  const told = answers[id] ?? [];
  expect(members.filter((member) => !told.some((answer) => makesADifference(stream, answer, member)))).toEqual([]);
});

test('a UTXO whose own amount contradicts its asset keeps both', () => {
  const [answer] = answers['data/utxos'] ?? [];
  const stream = declared.find(({ id }) => id === 'data/utxos');
  if (!answer || stream?.way !== 'snapshot') throw new Error('no UTXOs');
  const partition = partitionOf(stream, answer.parameters);
  const read = (change: (value: unknown) => unknown) => {
    const records = recordsIn(stream.records, without(answer.body, 'utxos[].amount', change), partition);
    return parsed(stream, partition, network, records).rows[0];
  };
  expect(read(() => '7')).toMatchObject({ amount: 7, _extra: '{"asset":{"amount":"5001000"}}' });
  expect(read(() => null)).toMatchObject({ amount: 5001000, _extra: null });
  expect(read(Number)).toMatchObject({ amount: 5001000, _extra: null });
});
