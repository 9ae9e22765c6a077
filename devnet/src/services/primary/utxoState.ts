import type { PrimaryTx, Utxo } from './primaryTypes.ts';

/** Whether an output exists at a moment (milliseconds). */
export const existsAt = ({ createdBy }: Utxo, asOf: number): boolean => (createdBy?.visibleAt ?? -Infinity) <= asOf;

/** The transaction that has spent an output by then, or null. */
export const consumerAt = ({ consumedBy }: Utxo, asOf: number): PrimaryTx | null =>
  consumedBy !== null && consumedBy.visibleAt <= asOf ? consumedBy : null;

/** Whether an output is bound as somebody's stake at that moment. */
export const isStakedAt = ({ staking }: Utxo, asOf: number): boolean =>
  staking !== null && !(staking.endedBy !== null && staking.endedBy.visibleAt <= asOf);
