import type { ServiceRequest, ServiceResponse } from '../../types.ts';
import { paging, sortOrder, text } from '../http/parameters.ts';
import { queryOf } from '../http/queryOf.ts';
import { servePage } from '../http/servePage.ts';
import { type Cycle, generatedCycles } from '../primary/generatedCycles.ts';
import { primaryHistoryOf } from '../primary/primaryHistory.ts';
import type { ServiceContext } from '../serviceContext.ts';
import { requireNodeId } from './listValidators.ts';
import { networkIn } from './primaryPath.ts';
import { generatedHeader } from './renderAddress.ts';

const readQuery = queryOf({ ...paging(10, 100), txHash: text(), sortOrder: sortOrder() });

/** GET /v1/networks/{network}/validators/{nodeId}/cycles: cycles of a node that renews itself. They are generated, and the answer's header says so. */
export function listCycles(
  context: ServiceContext,
  request: ServiceRequest,
  path: { readonly network: string; readonly nodeId: string },
): ServiceResponse {
  const query = readQuery(context, request);
  const isMainnet = networkIn(path.network);
  requireNodeId(path.nodeId);
  const history = primaryHistoryOf(context.ledger);
  const begun = (asOf: number): Cycle[] =>
    isMainnet
      ? []
      : generatedCycles(context.ledger, history, asOf / 1000)
          .filter(({ nodeId }) => nodeId === path.nodeId)
          .filter(({ stakingTxHash }) => query.txHash === undefined || stakingTxHash === query.txHash);
  const direction = query.sortOrder === 'asc' ? 1 : -1;
  return servePage(context, request, {
    ...query,
    member: 'cycles',
    rows: (asOf) =>
      begun(asOf)
        .filter(({ end }) => end * 1000 <= asOf)
        .sort((a, b) => direction * (a.end - b.end)),
    render: settled,
    extra: (asOf) => {
      const running = query.pageToken === undefined && begun(asOf).find(({ end }) => end * 1000 > asOf);
      return running ? { currentCycle: current(running) } : {};
    },
    headers: { [generatedHeader]: 'cycles' },
  });
}

const shared = (cycle: Cycle) => ({
  cycleIndex: cycle.cycleIndex,
  stakingTxHash: cycle.stakingTxHash,
  startTimestamp: cycle.start,
  endTimestamp: cycle.end,
  weightAtCycleStart: String(cycle.weight),
  autoCompoundSharePercent: cycle.sharePercent,
  delegatorCount: cycle.delegatorCount,
  amountDelegated: String(cycle.amountDelegated),
});

const settled = (cycle: Cycle): object => ({
  ...shared(cycle),
  rewardTxHash: cycle.rewardTxHash,
  grossValidationReward: String(cycle.validationReward.gross),
  withdrawnValidationReward: String(cycle.validationReward.withdrawn),
  compoundedValidationReward: String(cycle.validationReward.compounded),
  grossDelegateeReward: String(cycle.delegateeReward.gross),
  withdrawnDelegateeReward: String(cycle.delegateeReward.withdrawn),
  compoundedDelegateeReward: String(cycle.delegateeReward.compounded),
  outcome: cycle.outcome,
});

const current = (cycle: Cycle): object => ({
  ...shared(cycle),
  projectedValidationReward: String(cycle.expected),
  accruedDelegateeReward: '0',
  state: cycle.outcome === 'exited' ? 'exiting' : 'renewing',
});
