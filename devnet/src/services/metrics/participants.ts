import { addressIn } from '../../codec/abi.ts';
import { zeroAddress } from '../../codec/checksumAddress.ts';
import type { EvmTransaction } from '../evm/evmHistory.ts';
import { transferSignatures } from '../evm/transfersIn.ts';

/** Readings of "active" that differ from the documented one. */
export const activityVariants = ['zero_excluded', 'without_1155', 'with_operator', 'from_traces'] as const;
export type ActivityVariant = (typeof activityVariants)[number];

/** Adds the addresses in the from or to field of a transaction or of a token transfer in its logs (or only the from fields). */
export function addParticipants(
  found: Set<string>,
  transaction: EvmTransaction,
  sendersOnly: boolean,
  variant: ActivityVariant | null,
): void {
  const add = (address: string): void => {
    if (variant !== 'zero_excluded' || address !== zeroAddress) found.add(address);
  };
  if (variant === 'from_traces') {
    for (const { from, to } of transaction.frames) {
      add(from);
      if (to !== null && !sendersOnly) add(to);
    }
    return;
  }
  add(transaction.from);
  if (transaction.to !== null && !sendersOnly) add(transaction.to);
  for (const { topics } of transaction.logs) {
    const [signature, first = '', second = '', third = ''] = topics;
    if (signature === transferSignatures.erc20And721 && topics.length >= 3) {
      add(addressIn(first));
      if (!sendersOnly) add(addressIn(second));
    } else if (isErc1155(topics) && variant !== 'without_1155') {
      add(addressIn(second));
      if (!sendersOnly) add(addressIn(third));
      if (variant === 'with_operator') add(addressIn(first));
    }
  }
}

function isErc1155(topics: readonly string[]): boolean {
  const known = topics[0] === transferSignatures.erc1155Single || topics[0] === transferSignatures.erc1155Batch;
  return known && topics.length === 4;
}
