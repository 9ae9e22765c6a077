import { FirnError } from '../../core/firnError.ts';
import type { JsonRpc } from '../../extract/jsonRpc.ts';

/** Says of a path of a node that its chain is still bootstrapping, where it is. */
export type Bootstrapping = (path: string) => Promise<FirnError | undefined>;

/**
 * Asks a node about the chains behind its paths, each once. Until a chain is bootstrapped the node has no paths for it, refuses what it is
 * asked, or tells of a part of the chain: nothing that it answers meanwhile says what it offers.
 *
 * @param node for messages · @param info the node's info API
 */
export function bootstrappingOf(node: string, info: JsonRpc): Bootstrapping {
  const asked = new Map<string, Promise<boolean | 'unknown chain' | undefined>>();
  const isReady = (chain: string) => {
    const known = asked.get(chain) ?? ask(info, chain);
    asked.set(chain, known);
    return known;
  };
  return async (path) => {
    const [, chain] = /^\/ext\/(?:bc|index)\/([^/]+)/.exec(path) ?? [];
    if (chain === undefined) return undefined;
    const ready = await isReady(chain);
    // Which other chains there are the P-Chain says.
    const late =
      ready === false ? chain : ready === 'unknown chain' && (await isReady('P')) === false ? 'P' : undefined;
    if (late === undefined) return undefined;
    return new FirnError(
      'unavailable',
      `The node at ${node} is still bootstrapping its chain ${late} (info.isBootstrapped), and does not serve all of ${late === chain ? 'it' : `${chain}`} yet. ` +
        'Run again when it is done: what was committed stays, and no stream is left out.',
      { context: { reason: 'bootstrapping', chain: late } },
    );
  };
}

/** undefined where the node does not say. */
async function ask(info: JsonRpc, chain: string): Promise<boolean | 'unknown chain' | undefined> {
  try {
    const { body } = await info.call('info.isBootstrapped', { chain });
    return (body as { isBootstrapped?: boolean } | null)?.isBootstrapped;
  } catch (error) {
    if (!(error instanceof FirnError) || error.code === 'interrupted') throw error;
    return error.context['rpcMessage'] === undefined ? undefined : 'unknown chain';
  }
}

/** Whether an error may come of a chain that is not ready: no such path, refused for now, or another beginning than was read. */
export const mayBeBootstrapping = ({ code, context }: FirnError): boolean =>
  context['status'] === 404 ||
  context['status'] === 503 ||
  code === 'source_shrank' ||
  /bootstrapp/.test(String(context['rpcMessage'] ?? ''));
