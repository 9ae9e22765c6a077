import { FirnError } from '../../../src/core/firnError.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';

/** What a node says; an error in place of an answer is thrown. */
export interface Told {
  /** Of the chain in question, each time that it is asked: whether it is bootstrapped. */
  readonly chain: readonly unknown[];
  /** The same of its P-Chain. */
  readonly p: unknown;
  /** Of itself, each time that it is asked: whether it is healthy. */
  readonly whole: readonly unknown[];
  /** Anything else that it is asked. */
  readonly other?: readonly unknown[];
}

export const late = { isBootstrapped: false };
export const ready = { isBootstrapped: true };
export const unhealthy = { healthy: false };
export const healthy = { healthy: true };
export const down = new FirnError('unavailable', 'nothing answers');
export const noPath = new FirnError('not_offered', 'no such path', { context: { status: 404 } });
export const noChain = new FirnError('refused', 'no such chain', { context: { rpcMessage: 'there is no chain' } });

/** The answers of such a node. */
export function toldNode({ chain, p, whole, other = [] }: Told): Fetch {
  return async (request) => {
    if (request.kind !== 'rpc') throw new TypeError('Only single calls are expected.');
    const { call, about = 0 } = request;
    const isOfP = (call.params as { readonly chain?: string }).chain === 'P';
    const told: Readonly<Record<string, readonly unknown[]>> = {
      'info.isBootstrapped': isOfP ? [p] : chain,
      'health.readiness': whole,
    };
    const answers = told[call.method] ?? other;
    const body = answers[Number(about)] ?? answers.at(-1);
    if (body instanceof FirnError) throw body;
    return { body } as Awaited<ReturnType<Fetch>>;
  };
}
