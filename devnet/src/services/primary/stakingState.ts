import { emptyId } from '../../codec/cb58.ts';
import type { PrimaryHistory } from './primaryHistory.ts';
import type { PrimaryTx, Staking } from './primaryTypes.ts';

export type StakingStatus = 'pending' | 'active' | 'completed' | 'removed';

const happened = (tx: PrimaryTx | null, asOf: number): boolean => tx !== null && tx.visibleAt <= asOf;

/** Where a staking stands at a moment (milliseconds), or null before it was asked for. */
export function statusAt(staking: Staking, asOf: number): StakingStatus | null {
  if (staking.tx !== null && !happened(staking.tx, asOf)) return null;
  if (happened(staking.removedBy, asOf)) return 'removed';
  if (happened(staking.endedBy, asOf)) return 'completed';
  if (staking.start * 1000 > asOf) return 'pending';
  // A permissioned validator leaves at its end without a transaction; others stay until their reward is settled.
  return staking.potentialReward === null && staking.end * 1000 <= asOf ? 'completed' : 'active';
}

/** The delegations to a validation that began by then. */
export function delegationsTo(history: PrimaryHistory, validation: Staking, asOf: number): Staking[] {
  return history.stakings.filter(
    (one) =>
      one.role === 'delegator' &&
      one.nodeId === validation.nodeId &&
      one.subnetId === validation.subnetId &&
      one.start >= validation.start &&
      one.start < validation.end &&
      statusAt(one, asOf) !== null,
  );
}

/** The validation a delegation is part of. */
export function validationOf(history: PrimaryHistory, delegation: Staking): Staking | undefined {
  return history.stakings.find(
    (one) =>
      one.role === 'validator' &&
      one.nodeId === delegation.nodeId &&
      one.subnetId === delegation.subnetId &&
      one.start <= delegation.start &&
      delegation.start < one.end,
  );
}

/** The delegator's and the validator's shares of a delegation's reward, as the P-Chain splits it. */
export function splitReward(reward: bigint, shares: number | null): { readonly net: bigint; readonly fee: bigint } {
  const net = (reward * BigInt(1_000_000 - (shares ?? 0))) / 1_000_000n;
  return { net, fee: reward - net };
}

/** Percent of time a validator was up, as last seen by then; 100 where nobody looked. */
export function uptimeAt(history: PrimaryHistory, staking: Staking, asOf: number): number {
  const seen = history.facts.uptimes.get(staking.txId) ?? [];
  return (seen.findLast(([at]) => at <= asOf) ?? seen[0])?.[1] ?? 100;
}

const maxWeight = 3_000_000_000_000_000n;

/** What can still be delegated to a validator of the Primary Network, or null elsewhere. */
export function capacityOf(validation: Staking, delegated: bigint): bigint | null {
  if (validation.subnetId !== emptyId) return null;
  const most = validation.weight * 5n < maxWeight ? validation.weight * 5n : maxWeight;
  const left = most - validation.weight - delegated;
  return left > 0n ? left : 0n;
}
