import type { Owner } from '../../codec/validatorMessage.ts';
import type { Output } from './primaryTypes.ts';

/** An output that its owners may spend at once. */
export const plainTransfer = (assetId: string, amount: bigint, { threshold, addresses }: Owner): Output => ({
  assetId,
  kind: 'transfer',
  amount,
  addresses,
  threshold,
  locktime: 0n,
  stakeableLocktime: 0n,
  groupId: 0,
  payload: '',
});
