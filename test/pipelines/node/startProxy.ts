import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { rawElements } from '../../../devnet/src/codec/rawMembers.ts';
import { listening } from '../../listening.ts';

/** One JSON-RPC call on its way to the node. */
export interface ProxiedCall {
  readonly path: string;
  readonly method: string;
  readonly params: unknown;
  /** Asks the node behind the proxy; gives the `result`, or throws what it said. */
  forward(params?: unknown): Promise<unknown>;
}

interface RpcBody {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly method: string;
  readonly params: unknown;
}

/**
 * An answer in place of the node's; undefined leaves the call to it. Without an answer, whatever else was asked with it, what stands before
 * the node says so by a status.
 */
export type Override = (
  call: ProxiedCall,
) => Promise<{ result: unknown } | { error: { code: number; message: string } } | { unanswered: number } | undefined>;

/**
 * A server in front of a node that answers some calls itself: a node as none was recorded. It is there until the test ends.
 *
 * @param write makes the text of its own answers
 */
export async function startProxy(
  behind: string,
  override: Override,
  write: (answer: object) => string = JSON.stringify,
) {
  const calls: { path: string; method: string; params: unknown }[] = [];

  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(behind + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  };

  const own = async (path: string, call: RpcBody): Promise<string | number | undefined> => {
    calls.push({ path, method: call.method, params: call.params });
    const forward = async (params = call.params) => {
      const answer = JSON.parse((await post(path, { ...call, params })).text);
      if (answer.error) throw new Error(answer.error.message);
      return answer.result;
    };
    const instead = await override({ path, method: call.method, params: call.params, forward });
    if (instead && 'unanswered' in instead) return instead.unanswered;
    return instead && write({ jsonrpc: '2.0', id: call.id, ...instead });
  };

  const server = createServer(async (request, response) => {
    const path = request.url ?? '/';
    const asked = (await json(request)) as RpcBody | RpcBody[];
    const instead = await Promise.all([asked].flat().map((call) => own(path, call)));
    const unanswered = instead.find((answer) => typeof answer === 'number');
    if (unanswered !== undefined) return void response.writeHead(unanswered).end('no answer in time');
    let status = 200;
    let text = String(instead[0] ?? '');
    if (instead.some((answer) => answer === undefined)) ({ status, text } = await post(path, asked));
    const isRefused = instead.includes(undefined) && !text.startsWith('[');
    if (Array.isArray(asked) && !isRefused) {
      // Texts are kept as they are: numbers above 2^53 would not survive parsing.
      const behind = instead.includes(undefined) ? rawElements(text) : [];
      text = `[${asked.map((_, i) => instead[i] ?? behind[i]).join(',')}]`;
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
  const { url, close } = await listening(server);
  onTestFinished(close);
  return { url, calls, close };
}
