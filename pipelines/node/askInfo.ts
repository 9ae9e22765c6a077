import { type Asking, wholeNumberOf } from '../../src/index.ts';
import { askRpc } from './askRpc.ts';

/**
 * Asks the node's info API.
 *
 * @param read see askRpc
 * @param about tells questions apart that are asked several times
 */
export const askInfo = <T>(method: string, params: object, read: (result: unknown) => T, about?: number): Asking<T> =>
  askRpc({ kind: 'rpc', path: '/ext/info', about, call: { method, params } }, read);

/** The id of the network that the node belongs to. */
export const askNetworkId = (): Asking<number> =>
  askInfo('info.getNetworkID', {}, (result) => wholeNumberOf(result, 'networkID'));
