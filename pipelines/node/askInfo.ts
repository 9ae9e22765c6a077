import type { Asking, Check } from '../../src/index.ts';

/** Asks the node's info API. @param about tells questions apart that are asked several times */
export function* askInfo(
  method: string,
  params: object,
  { check, about }: { readonly check?: Check; readonly about?: number } = {},
): Asking<unknown> {
  return (yield { kind: 'rpc', path: '/ext/info', about, call: { method, params, check } }).body;
}
