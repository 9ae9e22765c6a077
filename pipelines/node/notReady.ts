import { type Asking, FirnError } from '../../src/index.ts';
import { askInfo } from './probe.ts';

/**
 * Why a path failed, where its chain is still bootstrapping. Until that is done the node has no paths for the chain, refuses requests, or
 * knows only a part of it: its answers do not tell what it offers.
 */
export function* notReady(path: string, error: FirnError, url: string): Asking<FirnError | undefined> {
  const [, chain] = /^\/ext\/(?:bc|index)\/([^/]+)/.exec(path) ?? [];
  if (chain === undefined || !mayPass(error)) return undefined;
  const ready = yield* askReady(chain);
  // The P-Chain knows which other chains there are.
  const late =
    ready === false ? chain : ready === 'unknown chain' && (yield* askReady('P')) === false ? 'P' : undefined;
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

/** undefined where the node does not say. */
function* askReady(chain: string): Asking<boolean | 'unknown chain' | undefined> {
  try {
    const body = yield* askInfo('info.isBootstrapped', { chain });
    return (body as { isBootstrapped?: boolean } | null)?.isBootstrapped;
  } catch (error) {
    if (!(error instanceof FirnError) || error.code === 'interrupted') throw error;
    return error.context.rpcMessage === undefined ? undefined : 'unknown chain';
  }
}
