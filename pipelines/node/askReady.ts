import { type Asking, FirnError, rawOf } from '../../src/index.ts';
import { askInfo } from './askInfo.ts';
import { askRpc } from './askRpc.ts';
import { orSaid } from './orSaid.ts';

/**
 * `late` while a chain bootstraps, `never` where the node does not run it, `mixed` where one of several nodes behind the URL is ready and another
 * one is not, `unknown` where it knows no such chain.
 */
export type Readiness = 'ready' | 'late' | 'never' | 'mixed' | 'unknown';

/**
 * How far the node is with a chain; undefined where it does not say. One that follows the P-Chain alone says of the X- and C-Chain for ever
 * that they are not bootstrapped, but of itself that it is ready.
 *
 * @param times how often it is asked: of several nodes behind one URL, each answers some of the questions
 */
export function* askReady(chain: string, times = 1): Asking<Readiness | undefined> {
  const said = yield* askTimes(times, (about) => askBootstrapped(chain, about));
  const [first] = said;
  if (first === undefined || first === 'unknown') return first;
  if (said.includes(true)) return said.includes(false) ? 'mixed' : 'ready';
  const whole = yield* askTimes(times, askHealthy);
  if (whole.every((healthy) => healthy)) return 'never';
  // Where a node does not say whether it is healthy, its P-Chain tells: chains that it runs have their paths as soon as that is bootstrapped.
  const isSilent = chain !== 'P' && whole.every((healthy) => healthy === undefined);
  return isSilent && (yield* askBootstrapped('P', 0)) === true ? 'never' : 'late';
}

function* askTimes<T>(times: number, ask: (about: number) => Asking<T>): Asking<readonly T[]> {
  const said: T[] = [];
  for (let time = 0; time < times; time++) said.push(yield* ask(time));
  return said;
}

function* askBootstrapped(chain: string, about: number): Asking<boolean | 'unknown' | undefined> {
  const said = yield* orSaid(askInfo('info.isBootstrapped', { chain }, (result) => rawOf(result), about));
  if (said instanceof FirnError) return said.context.rpcMessage === undefined ? undefined : 'unknown';
  const { isBootstrapped } = said;
  return typeof isBootstrapped === 'boolean' ? isBootstrapped : undefined;
}

/** Undefined where the node has no health API. */
function* askHealthy(about: number): Asking<boolean | undefined> {
  const call = { method: 'health.readiness', params: {} };
  const said = yield* orSaid(askRpc({ kind: 'rpc', path: '/ext/health', about, call }, (result) => rawOf(result)));
  if (said instanceof FirnError) return said.code === 'not_offered' ? undefined : false;
  return said['healthy'] === true;
}
