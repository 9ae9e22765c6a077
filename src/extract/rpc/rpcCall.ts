import type { FirnError } from '../../core/firnError.ts';
import type { Check } from '../../core/requests/request.ts';
import { checkError } from '../answers/checkAnswer.ts';
import { broken, readAnswer } from '../answers/rpcAnswer.ts';
import { rpcError } from '../answers/rpcError.ts';
import { callText } from '../http/requestText.ts';
import type { HttpRequest, HttpResponse } from '../http/sendOnce.ts';
import type { RpcPath } from './rpcPath.ts';

/** How one call is made. */
export interface CallOptions extends Pick<HttpRequest, 'answer' | 'attempts' | 'sent'> {
  /** Checks that the result is what was asked for. */
  readonly check?: Check | undefined;
  /** Steps inside the result to what is left unparsed. */
  readonly raw?: readonly string[] | undefined;
}

/** Makes one call; see `JsonRpc`. */
export type Call = (method: string, params: unknown, options?: CallOptions) => Promise<HttpResponse>;

export function createRpcCall(path: RpcPath): Call {
  return async (method, params, { check, answer: kind, attempts, sent, raw } = {}) => {
    const asked = `${path.place} ${method}`;
    path.lastId += 1;
    const id = String(path.lastId);
    const inspect = (body: unknown): FirnError | undefined => {
      const answer = readAnswer(body);
      if (!answer) return broken(asked, 'holds neither a result nor an error');
      const { outcome } = answer;
      // An answer to a request that could not be read has no id.
      if (answer.id !== id && !(answer.id === null && outcome.error))
        return broken(asked, `has the id ${answer.id} instead of ${id}`);
      return outcome.error ? rpcError(asked, outcome.error) : checkError(check, () => asked, outcome.result);
    };
    const response = await path.post({
      body: callText(path.lastId, { method, params }),
      inspect,
      answer: kind,
      attempts,
      sent,
      raw: raw && ['result', ...raw],
    });
    return { ...response, body: (response.body as { result: unknown }).result };
  };
}
