import { type Asking, FirnError } from '../../src/index.ts';
import { askReady } from './askReady.ts';

/**
 * Why a path failed, where its chain is still bootstrapping, or the node does not run it. Until the first is done the node has no paths for
 * the chain, refuses requests, or knows only a part of it: its answers do not tell what it offers.
 */
export function* notReady(path: string, error: FirnError, url: string): Asking<FirnError | undefined> {
  const [, chain] = /^\/ext\/(?:bc|index)\/([^/]+)/.exec(path) ?? [];
  if (chain === undefined || !mayPass(error)) return undefined;
  const ready = yield* askReady(chain);
  if (ready === 'never') {
    return new FirnError(
      'not_offered',
      `The node at ${url} does not run its chain ${chain}: with --partial-sync-primary-network it follows the P-Chain alone. ` +
        'Read the chain from another node, or leave it out of the configuration.',
      { cause: error },
    );
  }
  // The P-Chain knows which other chains there are.
  const late = ready === 'late' ? chain : ready === 'unknown' && (yield* askReady('P')) === 'late' ? 'P' : undefined;
  if (late === undefined) return undefined;
  return new FirnError(
    'unavailable',
    `The node at ${url} is still bootstrapping its chain ${late} (info.isBootstrapped), and does not serve all of ${late === chain ? 'it' : `${chain}`} yet. ` +
      'Run again when it is done: what was committed stays, and no stream is left out.',
    { context: { reason: 'bootstrapping', chain: late } },
  );
}

/** Whether an error may come from a chain that is not ready: no such path, refused for now, or another beginning than was read. */
const mayPass = ({ code, context }: FirnError): boolean =>
  context.status === 404 ||
  context.status === 503 ||
  code === 'source_shrank' ||
  context.reason === 'behind' ||
  /bootstrapp/.test(context.rpcMessage ?? '');
