import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readLedger } from '../../src/readLedger.ts';
import { type Harness, harness, type Json, packedLedger } from './servicesHarness.ts';

let services: Harness;
/** What the node said of the Primary Network's validators, moment by moment. */
let seen: { label: string; takenAt: number; validators: Json[]; params: Json }[];

beforeAll(async () => {
  services = harness(await packedLedger());
  seen = services.ledger.snapshots
    .filter(({ method, status }) => method === 'platform.getCurrentValidators' && status === 200)
    .map(({ label, takenAt, body, params }) => ({
      label,
      takenAt,
      params,
      validators: JSON.parse(body).result?.validators ?? [],
    }));
});
beforeEach(() => {
  services.head = services.ledger.lastMoment;
});

const network = '/v1/networks/fuji';
const primary = '11111111111111111111111111111111LpoYY';
const everyone = 'pageSize=100&minUptimePerformance=0';

describe('validators', () => {
  test('that are active equal what the node showed at each moment', () => {
    for (const { takenAt, params, validators, label } of seen) {
      if (
        params.nodeIDs !== undefined ||
        (params.subnetID !== undefined && validators.some(({ validationID }) => validationID))
      )
        continue;
      services.head = takenAt;
      const subnet = params.subnetID ?? primary;
      const rows = services.all(
        `${network}/validators?${everyone}&validationStatus=active&subnetId=${subnet}`,
        'validators',
      );
      const told = (id: string, start: string, end: string, weight: string): string =>
        `${id} ${start} ${end} ${weight}`;
      expect(
        rows.map((row) => told(row.txHash, row.startTimestamp, row.endTimestamp, row.amountStaked)).sort(),
        label,
      ).toEqual(validators.map((one: Json) => told(one.txID, one.startTime, one.endTime, one.weight)).sort());
      for (const row of rows.filter(({ subnetId }) => subnetId === primary)) {
        const one = validators.find(({ txID }) => txID === row.txHash);
        expect(row.potentialRewards.validationRewardAmount).toBe(one.potentialReward);
        expect(Number(row.delegationFee)).toBe(Number(one.delegationFee));
        expect(row.uptimePerformance).toBe(Number(one.uptime));
        expect(String(row.delegatorCount)).toBe(one.delegatorCount);
        expect(row.amountDelegated).toBe(one.delegatorWeight);
        expect(row.blsCredentials.publicKey).toBe(one.signer.publicKey);
      }
    }
  });

  test('that have left are completed or removed, with what they were paid', () => {
    const rows = services.all(`${network}/validators?${everyone}`, 'validators');
    const byStatus = (status: string): Json[] => rows.filter(({ validationStatus }) => validationStatus === status);
    expect(byStatus('removed')).toHaveLength(1);
    expect(byStatus('removed')[0]).toMatchObject({
      removeTimestamp: expect.any(Number),
      removeTxHash: expect.any(String),
    });
    const paid = byStatus('completed').filter(({ rewards }) => rewards.validationRewardAmount !== '0');
    expect(paid.length).toBeGreaterThan(0);
    for (const { txHash, rewards } of paid) {
      const { result } = services.ledger.rewards.get(txHash) as { result: string };
      const amounts: bigint[] = JSON.parse(result).utxos.map((hex: string) =>
        BigInt(`0x${hex.slice(2 + 2 * 74, 2 + 2 * 82)}`),
      );
      expect(
        [rewards.validationRewardAmount, rewards.delegationRewardAmount].filter((amount) => amount !== '0'),
      ).toEqual(amounts.map(String));
    }
  });

  test('below 90 % uptime are left out unless asked for, and any fee filter leaves out subnets', () => {
    const all = services.all(`${network}/validators?${everyone}`, 'validators');
    const usual = services.all(`${network}/validators?pageSize=100`, 'validators');
    expect(usual.length).toBeLessThan(all.length);
    expect(usual).toEqual(
      all.filter(({ uptimePerformance }) => uptimePerformance === undefined || uptimePerformance >= 90),
    );
    const fees = services.all(`${network}/validators?${everyone}&maxFeePercentage=5`, 'validators');
    expect(fees).toEqual(all.filter(({ delegationFee }) => delegationFee !== undefined && Number(delegationFee) <= 5));
    expect(all.some(({ subnetId }) => subnetId !== primary)).toBe(true);
    expect(
      services
        .all(`${network}/validators?${everyone}&minFeePercentage=2`, 'validators')
        .every(({ subnetId }) => subnetId === primary),
    ).toBe(true);
  });

  test('are found by part of their node id, by subnet, capacity and time', () => {
    const all = services.all(`${network}/validators?${everyone}`, 'validators');
    const list = (more: string): Json[] => services.all(`${network}/validators?${everyone}${more}`, 'validators');
    expect(list('&nodeIds=GRE2Ewq,38URb')).toEqual(all.filter(({ nodeId }) => /GRE2Ewq|38URb/.test(nodeId)));
    expect(list(`&subnetId=${primary}`)).toEqual(all.filter(({ subnetId }) => subnetId === primary));
    expect(list('&minDelegationCapacity=1').every(({ delegationCapacity }) => BigInt(delegationCapacity) > 0n)).toBe(
      true,
    );
    const now = services.head / 1000;
    expect(list('&minTimeRemaining=2592000')).toEqual(
      all.filter(
        ({ validationStatus, endTimestamp }) => validationStatus === 'active' && endTimestamp - now >= 2_592_000,
      ),
    );
    const sorted = list('&sortBy=timeRemaining&validationStatus=active').map(({ endTimestamp }) => endTimestamp);
    expect(sorted).toEqual(sorted.toSorted((a, b) => b - a));
  });

  test.each([
    ['sortBy=fame', 'sortBy must be one of the following values'],
    ['sortBy=delegationFee', 'only available for mainnet'],
    ['minFeePercentage=1', 'minFeePercentage must not be less than 2'],
    ['maxUptimePerformance=101', 'maxUptimePerformance must not be greater than 100'],
    ['minDelegationCapacity=720000000000000001', 'minDelegationCapacity must not be greater than 720000000000000000'],
    ['maxTimeRemaining=2147483648', 'maxTimeRemaining must not be greater than 2147483647'],
    ['validationStatus=tired', 'validationStatus must be one of the following values'],
    ['pageSize=101', 'pageSize must not be greater than 100'],
  ])('are refused with %s', (query, message) => {
    const { status, json } = services.get(`${network}/validators?${query}`);
    expect(status).toBe(400);
    expect(json.message.join()).toContain(message);
  });

  test('of one node are all it ever did', () => {
    const all = services.all(`${network}/validators?${everyone}`, 'validators');
    const { nodeId } = all.find(({ validationStatus }) => validationStatus === 'completed');
    expect(services.all(`${network}/validators/${nodeId}`, 'validators')).toEqual(
      all.filter((row) => row.nodeId === nodeId),
    );
    expect(services.get(`${network}/validators/NodeID-x`).json.message).toEqual(['nodeId must be a valid NodeID']);
    expect(services.get(`/v1/networks/mainnet/validators/${nodeId}`).json).toEqual({ validators: [] });
  });
});

describe('delegators', () => {
  test('that are active equal what the node showed, where it showed them', () => {
    let compared = 0;
    for (const { takenAt, params, validators } of seen) {
      if (params.nodeIDs?.length !== 1 || params.subnetID !== undefined) continue;
      services.head = takenAt;
      const rows = services.all(
        `${network}/delegators?pageSize=100&delegationStatus=active&nodeIds=${params.nodeIDs[0]}`,
        'delegators',
      );
      const told = (id: string, end: string, weight: string, reward: string): string =>
        `${id} ${end} ${weight} ${reward}`;
      const node = validators.flatMap(({ delegators }) => delegators ?? []);
      expect(
        rows.map((row) => told(row.txHash, row.endTimestamp, row.amountDelegated, row.estimatedGrossReward)).sort(),
      ).toEqual(node.map((one: Json) => told(one.txID, one.endTime, one.weight, one.potentialReward)).sort());
      compared += node.length;
    }
    expect(compared).toBeGreaterThan(10);
  });

  test('that are done were paid what remained after the fee', () => {
    const rows = services.all(`${network}/delegators?pageSize=100&delegationStatus=completed`, 'delegators');
    const paid = rows.filter(({ netReward }) => netReward !== '0');
    expect(paid.length).toBeGreaterThan(5);
    for (const { grossReward, netReward, delegationFee } of paid) {
      const shares = BigInt(Math.round(Number(delegationFee) * 10_000));
      expect((BigInt(grossReward) * (1_000_000n - shares)) / 1_000_000n).toBe(BigInt(netReward));
    }
    expect(rows.some(({ grossReward }) => grossReward === '0')).toBe(true);
  });

  test('are found by reward address', () => {
    const all = services.all(`${network}/delegators?pageSize=100`, 'delegators');
    const [address] = all[3].rewardAddresses;
    expect(services.all(`${network}/delegators?pageSize=100&rewardAddresses=P-${address}`, 'delegators')).toEqual(
      all.filter(({ rewardAddresses }) => rewardAddresses.includes(address)),
    );
    expect(services.all(`${network}/delegators?pageSize=100&sortOrder=asc`, 'delegators')).toEqual(all.toReversed());
  });
});

describe('pending rewards', () => {
  test('need addresses or nodes', () => {
    expect(services.get(`${network}/rewards:listPending`).json.message).toEqual([
      'at least one of addresses or nodeIds is required',
    ]);
  });

  test('are those of active stakes, of a delegation for two', () => {
    const active = services.all(`${network}/delegators?pageSize=100&delegationStatus=active`, 'delegators');
    expect(active.length).toBeGreaterThan(0);
    const nodes = [...new Set(active.map(({ nodeId }) => nodeId))].join();
    const rows = services.all(`${network}/rewards:listPending?pageSize=100&nodeIds=${nodes}`, 'pendingRewards');
    for (const { txHash, estimatedGrossReward, estimatedNetReward, amountDelegated } of active) {
      const own = rows.filter((row) => row.txHash === txHash);
      expect(own.map(({ rewardType }) => rewardType)).toEqual(['DELEGATOR', 'VALIDATOR_FEE']);
      expect(own[0].estimatedReward).toMatchObject({ symbol: 'AVAX', amount: estimatedNetReward });
      expect(own.reduce((sum, { estimatedReward }) => sum + BigInt(estimatedReward.amount), 0n)).toBe(
        BigInt(estimatedGrossReward),
      );
      expect(own[0].amountStaked).toBe(amountDelegated);
      expect(own[0].progress).toBeGreaterThan(0);
      expect(own[0].progress).toBeLessThan(100);
    }
    expect(rows.some(({ rewardType }) => rewardType === 'VALIDATOR')).toBe(true);
    const [address] = rows[0].addresses;
    const ofAddress = services.all(
      `${network}/rewards:listPending?pageSize=100&addresses=${address}`,
      'pendingRewards',
    );
    expect(ofAddress.every(({ addresses }) => addresses.includes(address))).toBe(true);
    expect(ofAddress).toContainEqual(rows[0]);
  });
});

test('knows the stakings of a history through every fork', async () => {
  const other = harness(
    await readLedger(new URL('../../../test/fixtures/node-ledger-forks', import.meta.url).pathname),
  );
  const validators = other.all(`${network}/validators?${everyone}`, 'validators');
  const delegators = other.all(`${network}/delegators?pageSize=100`, 'delegators');
  const wasRefused = (txHash: string): boolean => other.ledger.rewards.get(txHash)?.status.includes('Aborted') ?? false;
  const ofBlocks = other
    .all('/v1/networks/fuji/blockchains/p-chain/transactions?pageSize=100', 'transactions')
    .filter(({ txType, txHash }) => /^Add/.test(txType) && !wasRefused(txHash));
  expect([...validators, ...delegators].map(({ txHash }) => txHash).sort()).toEqual(
    ofBlocks.map(({ txHash }) => txHash).sort(),
  );
  const paid = delegators.filter(({ netReward }) => netReward !== undefined && netReward !== '0');
  expect(paid.length).toBeGreaterThan(0);
  other.head = (other.ledger.firstMoment + other.ledger.lastMoment) / 2;
  expect(other.all(`${network}/validators?${everyone}`, 'validators').length).toBeLessThan(validators.length);
});

describe('cycles of validators that renew themselves', () => {
  const cyclesOf = (nodeId: string, query = '') =>
    services.get(`${network}/validators/${nodeId}/cycles?pageSize=100${query}`);
  const nodes = () => {
    const rows = services.all(`${network}/validators?${everyone}&subnetId=${primary}`, 'validators');
    return [...new Set<string>(rows.map(({ nodeId }) => nodeId))].filter((id) => cyclesOf(id).json.cycles.length > 0);
  };

  test('are generated and labelled so; each stakes what the one before it staked again, and begins where that ended', () => {
    expect(nodes()).toHaveLength(3);
    const outcomes = new Set<string>();
    for (const id of nodes()) {
      const { json, headers } = cyclesOf(id, '&sortOrder=asc');
      expect(headers['x-devnet-generated']).toBe('cycles');
      const all = [...json.cycles, ...(json.currentCycle ? [json.currentCycle] : [])];
      for (const [i, cycle] of all.entries()) {
        const before = all[i - 1];
        outcomes.add(cycle.outcome ?? cycle.state);
        const isNext = before?.stakingTxHash === cycle.stakingTxHash;
        const again = isNext
          ? BigInt(before.compoundedValidationReward) + BigInt(before.compoundedDelegateeReward)
          : 0n;
        const weight = isNext ? BigInt(before.weightAtCycleStart) + again : BigInt(cycle.weightAtCycleStart);
        const [index, start] = isNext ? [before.cycleIndex + 1, before.endTimestamp] : [1, cycle.startTimestamp];
        expect([BigInt(cycle.weightAtCycleStart), cycle.cycleIndex, cycle.startTimestamp]).toEqual([
          weight,
          index,
          start,
        ]);
      }
    }
    expect([...outcomes].sort()).toEqual(['aborted', 'exited', 'renewed', 'renewing']);
  });

  test('come newest first, the running one with the first page alone, and of one validation where it is asked for', () => {
    const [id = ''] = nodes();
    const { cycles, currentCycle } = cyclesOf(id).json;
    expect(cycles.map(({ cycleIndex }: Json) => cycleIndex)).toEqual(
      cycles.map((_: Json, i: number) => cycles.length - i),
    );
    expect(currentCycle.cycleIndex).toBe(cycles.length + 1);
    const first = services.get(`${network}/validators/${id}/cycles?pageSize=2`).json;
    expect(first.currentCycle).toEqual(currentCycle);
    const second = services.get(`${network}/validators/${id}/cycles?pageSize=2&pageToken=${first.nextPageToken}`).json;
    expect([second.cycles, second.currentCycle]).toEqual([cycles.slice(2, 4), undefined]);
    expect(cyclesOf(id, `&txHash=${currentCycle.stakingTxHash}`).json).toEqual({ cycles, currentCycle });
    expect(cyclesOf(id, '&txHash=other').json).toEqual({ cycles: [] });
    expect(services.get(`${network}/validators/nobody/cycles`).status).toBe(400);
  });

  test('are settled as the network moves on', () => {
    const [id = ''] = nodes();
    const { currentCycle, cycles } = cyclesOf(id).json;
    services.head = currentCycle.startTimestamp * 1000 - 1;
    const before = cyclesOf(id).json;
    expect(before.cycles).toEqual(cycles.slice(1));
    expect(before.currentCycle).toMatchObject({ cycleIndex: cycles.length, state: 'renewing' });
  });
});
