import { type Asking, FirnError } from '../../src/index.ts';
import { askInfo } from './askInfo.ts';

/** `late` while a chain bootstraps, `never` where the node does not run it, `unknown` where it knows no such chain. */
export type Readiness = 'ready' | 'late' | 'never' | 'unknown';

/**
 * How far the node is with a chain; undefined where it does not say. One that follows the P-Chain alone says of the X- and C-Chain for ever
 * that they are not bootstrapped, but of itself that it is ready.
 */
export function* askReady(chain: string): Asking<Readiness | undefined> {
  const asked = yield* orSaid(askInfo('info.isBootstrapped', { chain }));
  if (asked instanceof FirnError) return asked.context.rpcMessage === undefined ? undefined : 'unknown';
  const { isBootstrapped } = (asked ?? {}) as { readonly isBootstrapped?: unknown };
  if (typeof isBootstrapped !== 'boolean') return undefined;
  if (isBootstrapped) return 'ready';
  const whole = yield* orSaid(askHealth());
  return (whole as { readonly healthy?: unknown } | null)?.healthy === true ? 'never' : 'late';
}

function* askHealth(): Asking<unknown> {
  return (yield { kind: 'rpc', path: '/ext/health', call: { method: 'health.readiness', params: {} } }).body;
}

function* orSaid(asking: Asking<unknown>): Asking<unknown> {
  try {
    return yield* asking;
  } catch (error) {
    if (!(error instanceof FirnError) || error.code === 'interrupted') throw error;
    return error;
  }
}
