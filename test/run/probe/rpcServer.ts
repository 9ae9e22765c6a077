import { json, type LocalServer, localServer } from '../../extract/localServer.ts';

/** What an answer of `rpcServer` is: a result, an error, or a status with a text. */
export type RpcReply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly status: number; readonly text: string };

const unknownMethod: RpcReply = { error: { code: -32601, message: 'the method does not exist/is not available' } };

/** An EVM chain's JSON-RPC with one empty block at height 100; `replies` by method take the place of its answers. */
export function rpcServer(
  replies: Readonly<Record<string, RpcReply | ((params: readonly unknown[]) => RpcReply)>> = {},
): Promise<LocalServer> {
  const usual: typeof replies = {
    eth_chainId: { result: '0xa86a' },
    eth_blockNumber: { result: '0x64' },
    eth_getBlockByNumber: ([at]) => ({
      result: { number: at === 'finalized' ? '0x64' : at, hash: '0x1', timestamp: '0x1', transactions: [] },
    }),
    eth_getBlockReceipts: { result: [] },
    debug_traceBlockByNumber: { result: [] },
  };
  return localServer((response, _, { url, body }) => {
    if (!url.endsWith('/rpc')) return json(response, 404, '404 page not found\n');
    const { id, method, params } = JSON.parse(body);
    const reply = { ...usual, ...replies }[method] ?? unknownMethod;
    const said = typeof reply === 'function' ? reply(params) : reply;
    if ('status' in said) return json(response, said.status, said.text);
    return json(response, 200, { jsonrpc: '2.0', id, ...said });
  });
}
