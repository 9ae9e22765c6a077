import { badRequest } from '../../problem.ts';
import type { ServiceRequest, ServiceResponse } from '../../types.ts';
import { commaList, oneOf, paging, sortOrder } from '../http/parameters.ts';
import { queryOf } from '../http/queryOf.ts';
import { servePage } from '../http/servePage.ts';
import { renderAmount } from '../primary/assets.ts';
import { type PrimaryHistory, primaryHistoryOf } from '../primary/primaryHistory.ts';
import type { RewardKind, Staking } from '../primary/primaryTypes.ts';
import { splitReward, statusAt, validationOf } from '../primary/stakingState.ts';
import type { ServiceContext } from '../serviceContext.ts';
import { networkIn, primaryAddresses } from './primaryPath.ts';
import { renderDelegation } from './validatorRows.ts';

interface Path {
  readonly network: string;
}

const mostAddresses = 64;
const rank = ({ tx }: Staking): number => tx?.ordinal ?? -1;

const readDelegatorsQuery = queryOf({
  ...paging(10, 100),
  rewardAddresses: commaList(),
  nodeIds: commaList(),
  sortOrder: sortOrder(),
  delegationStatus: oneOf(['completed', 'active', 'pending'] as const, undefined),
});

/** GET /v1/networks/{network}/delegators: delegations, the latest first. */
export function listDelegators(context: ServiceContext, request: ServiceRequest, path: Path): ServiceResponse {
  const query = readDelegatorsQuery(context, request);
  const isMainnet = networkIn(path.network);
  const addresses = query.rewardAddresses && primaryAddresses(query.rewardAddresses, mostAddresses, 'rewardAddresses');
  const history = primaryHistoryOf(context.ledger);
  const keeps = (staking: Staking, asOf: number): boolean => {
    const status = staking.role === 'delegator' ? statusAt(staking, asOf) : null;
    return (
      status !== null &&
      (query.delegationStatus === undefined || status === query.delegationStatus) &&
      (query.nodeIds === undefined || query.nodeIds.includes(staking.nodeId)) &&
      (addresses === undefined || staking.rewardAddresses.some((address) => addresses.includes(address)))
    );
  };
  const direction = query.sortOrder === 'asc' ? 1 : -1;
  return servePage(context, request, {
    ...query,
    member: 'delegators',
    rows: (asOf) =>
      isMainnet
        ? []
        : history.stakings.filter((one) => keeps(one, asOf)).sort((a, b) => direction * (rank(a) - rank(b))),
    render: (staking, asOf) => renderDelegation(history, staking, asOf),
  });
}

interface PendingReward {
  readonly staking: Staking;
  readonly kind: RewardKind;
  readonly addresses: readonly string[];
  readonly amount: bigint;
}

const readRewardsQuery = queryOf({
  ...paging(10, 100),
  addresses: commaList(),
  nodeIds: commaList(),
  sortOrder: sortOrder(),
});

/** GET /v1/networks/{network}/rewards:listPending: what the stakes bound at present will earn, and for whom. */
export function listPendingRewards(context: ServiceContext, request: ServiceRequest, path: Path): ServiceResponse {
  const query = readRewardsQuery(context, request);
  const isMainnet = networkIn(path.network);
  if (!query.addresses?.length && !query.nodeIds?.length)
    throw badRequest('at least one of addresses or nodeIds is required');
  const addresses = query.addresses && primaryAddresses(query.addresses, mostAddresses);
  const history = primaryHistoryOf(context.ledger);
  const keeps = (row: PendingReward): boolean =>
    (query.nodeIds === undefined || query.nodeIds.includes(row.staking.nodeId)) &&
    (addresses === undefined || row.addresses.some((address) => addresses.includes(address)));
  const direction = query.sortOrder === 'asc' ? 1 : -1;
  return servePage(context, request, {
    ...query,
    member: 'pendingRewards',
    rows: (asOf) =>
      isMainnet
        ? []
        : history.stakings
            .filter((one) => one.potentialReward !== null && statusAt(one, asOf) === 'active')
            .sort((a, b) => direction * (rank(a) - rank(b)))
            .flatMap((one) => rewardsOf(history, one))
            .filter(keeps),
    render: ({ staking, kind, addresses: owners, amount }, asOf) => ({
      addresses: owners,
      txHash: staking.txId,
      amountStaked: String(staking.weight),
      nodeId: staking.nodeId,
      startTimestamp: staking.start,
      endTimestamp: staking.end,
      rewardType: kind,
      progress: progressOf(staking, asOf),
      estimatedReward: renderAmount(history, history.avaxAssetId, amount),
    }),
  });
}

/** A delegation earns for two: the delegator, and the validator by its fee. */
function rewardsOf(history: PrimaryHistory, staking: Staking): PendingReward[] {
  const amount = staking.potentialReward ?? 0n;
  if (staking.role === 'validator') return [{ staking, kind: 'VALIDATOR', addresses: staking.rewardAddresses, amount }];
  const validation = validationOf(history, staking);
  const { net, fee } = splitReward(amount, validation?.shares ?? null);
  return [
    { staking, kind: 'DELEGATOR', addresses: staking.rewardAddresses, amount: net },
    { staking, kind: 'VALIDATOR_FEE', addresses: validation?.feeAddresses ?? [], amount: fee },
  ];
}

/** Percent of its time, with four decimals. */
function progressOf({ start, end }: Staking, asOf: number): number {
  const share = (asOf / 1000 - start) / (end - start);
  return Math.round(Math.min(1, Math.max(0, share)) * 1e6) / 1e4;
}
