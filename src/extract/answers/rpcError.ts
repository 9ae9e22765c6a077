import { type ErrorCode, FirnError } from '../../core/firnError.ts';
import { lacksBlock, lacksMethod } from '../../core/requests/lacksMethod.ts';
import { takesNoMore } from '../../core/requests/takesNoMore.ts';
import { quoted } from './answerError.ts';

export interface RpcErrorObject {
  readonly code: number;
  readonly message: string;
}

interface Rule {
  readonly when: (error: RpcErrorObject) => boolean;
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly next: string;
}

const later = { retryable: true, next: 'Run again later: what was committed stays.' } as const;
const nextCheck = 'Check the parameters of this stream in the configuration.';

/** What services say of an error that passes. */
const passing = /\btemporar(?:y|ily)\b|\bplease (?:retry|try again)\b|\btry again (?:later|in)\b/i;

/** What services say that want a key, or another one, with a status of 200. */
const noKey =
  /^unauthorized\b|must (?:be authenticated|authenticate)|\b(?:invalid|missing|unknown) (?:api|access|project) ?(?:key|id)\b/i;

/** First match counts. Codes alone do not tell: nodes answer nearly everything with -32000. */
const rules: readonly Rule[] = [
  {
    when: ({ code, message }) => code === -32601 || /can't find (?:method|service)/.test(message),
    code: 'not_offered',
    retryable: false,
    next: 'This server does not offer the method: leave the stream out of the configuration, or enable the API in the node.',
  },
  {
    // The request went to a server a little behind the one that gave the head.
    when: ({ message }) =>
      lacksBlock(message) || /block at height \d+: not found|start index .*> last accepted index/.test(message),
    code: 'unavailable',
    ...later,
  },
  {
    // The VM follows the P-Chain's validators some seconds late.
    when: ({ message }) => /validationID not found/.test(message),
    code: 'unavailable',
    ...later,
  },
  {
    when: (error) => isTimeout(error) || /timed out|request timeout|not done bootstrapping/i.test(error.message),
    code: 'unavailable',
    ...later,
  },
  { when: takesNoMore, code: 'rate_limited', ...later },
  {
    when: ({ message }) => noKey.test(message),
    code: 'unauthorized',
    retryable: false,
    next: 'Check the key of this source, in its URL or its headers.',
  },
  { when: ({ message }) => passing.test(message) && !lacksMethod(message), code: 'unavailable', ...later },
  { when: ({ code }) => code === -32603, code: 'failed', retryable: true, next: "Look at the server's own log." },
  { when: ({ message }) => /(?:^|: )not found$/.test(message), code: 'not_found', retryable: false, next: nextCheck },
];

/** The error of a call that the server answered with an error object. Its code and message are in the context as `rpcCode` and `rpcMessage`. */
export function rpcError(asked: string, error: RpcErrorObject): FirnError {
  const rule = rules.find(({ when }) => when(error));
  const { next } = rule ?? { next: nextCheck };
  const message = `${asked} answered with error ${error.code}${quoted(error.message)}. ${next}`;
  return new FirnError(rule?.code ?? 'refused', message, {
    retryable: rule?.retryable ?? false,
    context: { rpcCode: error.code, rpcMessage: error.message, acted: true, next },
  });
}

/** Whether asking again may give another answer. */
export function isTransient(error: RpcErrorObject): boolean {
  return rules.find(({ when }) => when(error))?.retryable ?? false;
}

/** Whether the server took too long for it. Some have the same number for what is not on their plan. */
export function isTimeout({ code, message }: RpcErrorObject): boolean {
  return code === -32002 && !lacksMethod(message);
}

const tooLarge = /too large|batch.{0,40}(?:limit|exceed|maximum|too many|more than)|response size should not/i;

/** Whether a batch, or the answer to it, is larger than the server allows. Only for errors in answers to batches. */
export function isTooLarge({ code, message }: RpcErrorObject): boolean {
  return !takesNoMore({ code, message }) && (code === -32003 || tooLarge.test(message));
}
