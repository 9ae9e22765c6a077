import { emptyId, isNodeId } from '../../codec/cb58.ts';
import { badRequest } from '../../problem.ts';
import type { ServiceRequest, ServiceResponse } from '../../types.ts';
import { bigDecimal, commaList, decimal, oneOf, paging, sortOrder, text } from '../http/parameters.ts';
import { queryOf } from '../http/queryOf.ts';
import { servePage } from '../http/servePage.ts';
import { primaryHistoryOf } from '../primary/primaryHistory.ts';
import type { ServiceContext } from '../serviceContext.ts';
import { networkIn } from './primaryPath.ts';
import { generatedHeader } from './renderAddress.ts';
import { type ValidatorRow, validatorRows } from './validatorRows.ts';

const sortKeys = ['blockIndex', 'delegationCapacity', 'timeRemaining', 'delegationFee', 'uptimePerformance'] as const;
const statuses = ['completed', 'active', 'pending', 'removed'] as const;
const mostCapacity = 720_000_000_000_000_000n;
const headers = { [generatedHeader]: 'validatorHealth' };

const seconds = decimal({ min: 0, max: 2_147_483_647 }, undefined);
const fee = decimal({ min: 2, max: 100 }, undefined);

const readListQuery = queryOf({
  ...paging(10, 100),
  nodeIds: commaList(),
  sortBy: oneOf(sortKeys, 'blockIndex'),
  sortOrder: sortOrder(),
  validationStatus: oneOf(statuses, undefined),
  minDelegationCapacity: bigDecimal(mostCapacity),
  maxDelegationCapacity: bigDecimal(mostCapacity),
  minTimeRemaining: seconds,
  maxTimeRemaining: seconds,
  minFeePercentage: fee,
  maxFeePercentage: fee,
  minUptimePerformance: decimal({ min: 0, max: 100 }, 90),
  maxUptimePerformance: decimal({ min: 0, max: 100 }, 100),
  subnetId: text(),
});

/** GET /v1/networks/{network}/validators: validations of every subnet. Unless told otherwise, active ones below 90 % uptime are left out. */
export function listValidators(
  context: ServiceContext,
  request: ServiceRequest,
  path: { readonly network: string },
): ServiceResponse {
  const query = readListQuery(context, request);
  const isMainnet = networkIn(path.network);
  if (query.sortBy === 'delegationFee' && !(isMainnet && query.subnetId === emptyId)) {
    throw badRequest(
      'sortBy delegationFee is only available for mainnet validators with subnetId set to the Primary Network subnet id',
    );
  }
  /** A row without the value is kept only where it is not filtered by. */
  const within = <T extends number | bigint>(value: T | null, low: T | undefined, high: T | undefined): boolean =>
    (low === undefined && high === undefined) ||
    (value !== null && (low === undefined || value >= low) && (high === undefined || value <= high));
  const keeps = (row: ValidatorRow): boolean =>
    (query.nodeIds === undefined || query.nodeIds.some((part) => row.staking.nodeId.includes(part))) &&
    (query.subnetId === undefined || row.staking.subnetId === query.subnetId) &&
    (query.validationStatus === undefined || row.status === query.validationStatus) &&
    within(row.capacity, query.minDelegationCapacity, query.maxDelegationCapacity) &&
    within(row.timeRemaining, query.minTimeRemaining, query.maxTimeRemaining) &&
    within(row.feePercent, query.minFeePercentage, query.maxFeePercentage) &&
    (row.uptime === null || within(row.uptime, query.minUptimePerformance, query.maxUptimePerformance));
  const history = primaryHistoryOf(context.ledger);
  return servePage(context, request, {
    ...query,
    member: 'validators',
    rows: (asOf) =>
      isMainnet
        ? []
        : validatorRows(context.ledger, history, asOf).filter(keeps).sort(inOrder(query.sortBy, query.sortOrder)),
    render: ({ body }) => body,
    headers,
  });
}

const readNodeQuery = queryOf({
  ...paging(10, 100),
  validationStatus: oneOf(statuses, undefined),
  sortOrder: sortOrder(),
});

/** GET /v1/networks/{network}/validators/{nodeId}: every validation of one node. */
export function getValidator(
  context: ServiceContext,
  request: ServiceRequest,
  path: { readonly network: string; readonly nodeId: string },
): ServiceResponse {
  const query = readNodeQuery(context, request);
  const isMainnet = networkIn(path.network);
  requireNodeId(path.nodeId);
  const history = primaryHistoryOf(context.ledger);
  return servePage(context, request, {
    ...query,
    member: 'validators',
    rows: (asOf) =>
      (isMainnet ? [] : validatorRows(context.ledger, history, asOf))
        .filter(({ staking }) => staking.nodeId === path.nodeId)
        .filter(({ status }) => query.validationStatus === undefined || status === query.validationStatus)
        .sort(inOrder('blockIndex', query.sortOrder)),
    render: ({ body }) => body,
    headers,
  });
}

/** @throws Problem where a path names no node */
export function requireNodeId(text: string): void {
  if (!isNodeId(text)) throw badRequest('nodeId must be a valid NodeID');
}

/** By the key, rows without one last, then by transaction id in the same direction. */
function inOrder(key: (typeof sortKeys)[number], order: 'asc' | 'desc'): (a: ValidatorRow, b: ValidatorRow) => number {
  const direction = order === 'asc' ? 1 : -1;
  const value = (row: ValidatorRow): number | bigint | null => {
    switch (key) {
      case 'blockIndex':
        return row.blockIndex;
      case 'delegationCapacity':
        return row.capacity;
      case 'timeRemaining':
        return row.timeRemaining;
      case 'delegationFee':
        return row.feePercent;
      case 'uptimePerformance':
        return row.uptime;
    }
  };
  return (a, b) => {
    const [left, right] = [value(a), value(b)];
    if ((left === null) !== (right === null)) return left === null ? 1 : -1;
    const difference = left === null || right === null ? 0 : Number(left > right) - Number(left < right);
    return direction * (difference || (a.staking.txId < b.staking.txId ? -1 : 1));
  };
}
