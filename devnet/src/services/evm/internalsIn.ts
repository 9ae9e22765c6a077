import type { EvmFrame, EvmTransaction } from './evmHistory.ts';

/** One internal transaction: a call frame inside a transaction. */
export interface InternalTransaction {
  readonly transaction: EvmTransaction;
  readonly frame: EvmFrame;
}

const calls: ReadonlySet<string> = new Set(['CALL', 'CALLCODE']);
const creations: ReadonlySet<string> = new Set(['CREATE', 'CREATE2', 'CREATE3']);

/** The frames the service lists: CALL and CALLCODE that move value, and every creation; never the transaction itself. */
export function internalsIn(transaction: EvmTransaction): InternalTransaction[] {
  return transaction.frames
    .filter(({ depth, type, value }) => depth > 0 && ((calls.has(type) && value > 0n) || creations.has(type)))
    .map((frame) => ({ transaction, frame }));
}
