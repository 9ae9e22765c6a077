import type { Asking, Check } from '../../src/index.ts';

/** Asks the node's info API. */
export function* askInfo(method: string, params: object, check?: Check): Asking<unknown> {
  return (yield { kind: 'rpc', path: '/ext/info', call: { method, params, check } }).body;
}
