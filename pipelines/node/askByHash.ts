import type { Asking, RpcCall, RpcOutcome } from '../../src/index.ts';
import { askMany } from './askRpc.ts';

/** A call about one transaction. */
export type CallByHash = RpcCall & { readonly params: readonly [hash: string, ...unknown[]] };

/** Asks for single transactions; gives the outcomes by hash. */
export function* askByHash(path: string, calls: readonly CallByHash[]): Asking<ReadonlyMap<string, RpcOutcome>> {
  const outcomes = yield* askMany(path, calls);
  return new Map(calls.map(({ params: [hash] }, i) => [hash, outcomes[i] as RpcOutcome]));
}
