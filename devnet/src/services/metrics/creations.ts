import type { EvmTransaction } from '../evm/evmHistory.ts';

/** Readings of "contract created" that differ from the documented one. */
export const creationVariants = [
  'without_own_error',
  'without_reverted_ancestor',
  'without_failed_tx',
  'receipts_only',
] as const;
export type CreationVariant = (typeof creationVariants)[number];

const creating: ReadonlySet<string> = new Set(['CREATE', 'CREATE2', 'CREATE3']);

/** The creator of every contract a transaction creates, in order: the `from` of each creating call frame, failed ones included. */
export function creatorsIn(transaction: EvmTransaction, variant: CreationVariant | null): string[] {
  if (variant === 'receipts_only') {
    return transaction.succeeded && transaction.to === null ? [transaction.from] : [];
  }
  if (variant === 'without_failed_tx' && !transaction.succeeded) return [];
  return transaction.frames
    .filter((frame) => creating.has(frame.type))
    .filter((frame) => variant !== 'without_own_error' || !frame.failed)
    .filter((frame) => variant !== 'without_reverted_ancestor' || !frame.reverted)
    .map((frame) => frame.from);
}
