import { type Asking, FirnError, isOtherSource } from '../../src/index.ts';
import { askReady } from './askReady.ts';
import { askRpc } from './askRpc.ts';
import { orSaid } from './orSaid.ts';
import { indexCall } from './readContainers.ts';
import { timesAsked } from './timesAsked.ts';
import { whyAbsent } from './whyAbsent.ts';

/**
 * Why a path failed, where its chain is still bootstrapping, or the node does not run it. Until the first is done the node has no paths for
 * the chain, refuses requests, or knows only a part of it: its answers do not tell what it offers.
 */
export function* notReady(path: string, error: FirnError, url: string): Asking<FirnError | undefined> {
  const [, chain] = /^\/ext\/(?:bc|index)\/([^/]+)/.exec(path) ?? [];
  if (chain === undefined || !mayPass(error)) return undefined;
  const said = yield* askReady(chain, error.context.status === 404 ? timesAsked : 1);
  // A node that does not run a chain has no path for it. What refuses it for now, or has less than was read, is bootstrapping: of several nodes
  // behind one URL, another one said that it is healthy.
  const own = said === 'never' && error.context.status !== 404 ? 'late' : said;
  // The P-Chain knows which other chains there are.
  const ready = own === 'unknown' ? yield* askReady('P') : own;
  if (own === 'never' || (own === 'unknown' && ready === 'ready')) {
    const sentence = `The node at ${url} does not run the chain ${chain}. ${whyAbsent(chain)} Read it from a node that runs it, or leave it out of the configuration.`;
    return new FirnError('not_offered', sentence, { context: { reason: 'absent', chain }, cause: error });
  }
  if (ready === 'mixed') {
    const sentence =
      `Of several nodes at ${url}, one is ready with its chain ${chain} and another one is not: it is still bootstrapping (info.isBootstrapped), or does not run it. ` +
      'Run again when it is done, or let the URL lead to nodes that run the chain: what was committed stays, and no stream is left out.';
    return new FirnError('unavailable', sentence, { context: { reason: 'bootstrapping', chain } });
  }
  if (ready !== 'late')
    return path.startsWith('/ext/index/') && error.context.status === 404 ? yield* othersIndex(path, url) : undefined;
  const late = own === 'late' ? chain : 'P';
  return new FirnError(
    'unavailable',
    `The node at ${url} is still bootstrapping its chain ${late} (info.isBootstrapped), and does not serve all of ${late === chain ? 'it' : `${chain}`} yet. ` +
      'Run again when it is done: what was committed stays, and no stream is left out.',
    { context: { reason: 'bootstrapping', chain: late } },
  );
}

/** Of an index that one of several nodes behind the URL does not have, and another one has. */
function* othersIndex(path: string, url: string): Asking<FirnError | undefined> {
  for (let about = 0; about < timesAsked; about++) {
    const said = yield* orSaid(askRpc({ ...indexCall(path, 'getLastAccepted', {}), about }, (body) => body));
    if (said instanceof FirnError && said.context.rpcMessage === undefined) continue;
    return new FirnError(
      'unavailable',
      `Of several nodes at ${url}, one has ${path} and another one does not (--index-enabled). ` +
        'Let the URL lead to nodes that have it, and run again: what was committed stays, and no stream is left out.',
      { context: { reason: 'mixed' } },
    );
  }
  return undefined;
}

/** Whether an error may come from a chain that is not ready: no such path, refused for now, or another beginning than was read. */
const mayPass = (error: FirnError): boolean =>
  error.context.status === 404 ||
  error.context.status === 503 ||
  isOtherSource(error) ||
  /bootstrapp/.test(error.context.rpcMessage ?? '');
