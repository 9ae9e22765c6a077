import { FirnError } from '../../core/firnError.ts';
import { textIn } from '../../core/json/answerParts.ts';
import { numberIn } from '../../core/json/numberIn.ts';
import { lacksMethod } from '../../core/requests/lacksMethod.ts';
import type { RpcOutcome } from '../../core/requests/request.ts';
import { cutWords } from './cutWords.ts';
import { isTooLarge, isTransient, type RpcErrorObject, rpcError } from './rpcError.ts';

/** One answer object of JSON-RPC, read but not yet matched with a call. */
export interface RpcAnswer {
  /** null in answers to requests that the server could not read. */
  readonly id: string | null;
  readonly outcome: RpcOutcome;
}

/** Reads an answer object; undefined when it is not one. Numbers may have come as text. */
export function readAnswer(body: unknown): RpcAnswer | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const { id, result, error } = body as Record<string, unknown>;
  const readId = id === null || id === undefined ? null : textIn(id);
  const errorObject = readError(error);
  if (errorObject) return { id: readId, outcome: { error: errorObject } };
  return result === undefined ? undefined : { id: readId, outcome: { result } };
}

function readError(error: unknown): RpcErrorObject | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, message } = error as Record<string, unknown>;
  return { code: numberIn(code), message: typeof message === 'string' ? cutWords(message) : '' };
}

/** Outcomes by id, or that the server refuses this batch (as too large, or for a method that it lacks) or any batch, or an error. */
export type BatchAnswer = ReadonlyMap<string, RpcOutcome> | 'too large' | 'no method' | 'no batches' | FirnError;

/** Reads the answer to a batch: every id asked for has one outcome, and there are no others. */
export function readBatch(asked: string, ids: readonly number[], body: unknown): BatchAnswer {
  // A server that refuses the batch as a whole answers with one object, EVM nodes with a list of one.
  const whole = readAnswer(Array.isArray(body) && body.length === 1 ? body[0] : body);
  if (whole?.outcome.error) {
    if (isTooLarge(whole.outcome.error)) return 'too large';
    // In a list, an error that names no call is about all of them.
    if (!Array.isArray(body) || whole.id === null) {
      if (isTransient(whole.outcome.error)) return rpcError(asked, whole.outcome.error);
      return lacksMethod(whole.outcome.error.message) ? 'no method' : 'no batches';
    }
  }
  const outcomes = matchAnswers(asked, ids, body);
  if (!(outcomes instanceof Map)) return outcomes;
  return outcomes.size === ids.length
    ? outcomes
    : broken(asked, `holds ${outcomes.size} answers to ${ids.length} calls`);
}

function matchAnswers(asked: string, ids: readonly number[], body: unknown): Map<string, RpcOutcome> | FirnError {
  if (!Array.isArray(body)) return broken(asked, 'is not a list of answers');
  const wanted = new Set(ids.map(String));
  const outcomes = new Map<string, RpcOutcome>();
  for (const item of body) {
    const answer = readAnswer(item);
    if (!answer) return broken(asked, 'holds something that is not an answer');
    if (answer.id === null || !wanted.has(answer.id))
      return broken(asked, `holds an answer with the id ${answer.id}, which was not asked for`);
    if (outcomes.has(answer.id)) return broken(asked, `holds two answers with the id ${answer.id}`);
    outcomes.set(answer.id, answer.outcome);
  }
  return outcomes;
}

/** The error of an answer that does not follow JSON-RPC. */
export function broken(asked: string, what: string): FirnError {
  return new FirnError(
    'contract',
    `${asked}: the answer ${what}. Check that the URL of this source is that of a JSON-RPC server.`,
    {
      retryable: true,
      context: { reason: 'rpc', acted: true },
    },
  );
}
