import { FirnError } from '../../core/firnError.ts';
import { rawOf } from '../../core/json/answerParts.ts';
import type { Bounds } from '../../core/json/bounds.ts';
import { parseAround } from '../../core/json/parseAround.ts';
import { type Numbers, parseLossless } from '../../core/json/parseLossless.ts';
import { RawValue } from '../../core/json/rawValue.ts';
import { lacksMethod } from '../../core/requests/lacksMethod.ts';
import type { Check } from '../../core/requests/request.ts';
import { statusMeaning } from '../../core/requests/retry.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { serverLimits } from '../limits/serverLimits.ts';
import { errorInside, notJsonError, readingError, statusError } from './answerError.ts';
import { readAnswer } from './rpcAnswer.ts';

/** The beginning of a text that is no JSON tells what it is. */
const longestText = 65_536;

/** Finds the error in the parsed body of an answer with a good status. */
export type Inspect = (body: unknown, status: number) => FirnError | undefined;

/**
 * The parsed body of an answer, or the error that it is: any 2xx with JSON in it counts as success, unless `inspect` finds an
 * error there, or `check` something else than what was asked for.
 */
export function checkAnswer(
  asked: () => string,
  answer: Exchange,
  options: {
    readonly numbers: Numbers;
    /** Steps to what is left unparsed. */
    readonly raw?: readonly string[] | undefined;
    readonly bounds: Bounds;
    readonly now: number;
    readonly inspect?: Inspect | undefined;
    readonly check?: Check | undefined;
    /** Before the server's words are cut to length: half a secret would not be recognised afterwards. */
    readonly redact: (text: string) => string;
  },
): { readonly body: unknown } | FirnError {
  const { status, headers, content } = answer;
  const { redact } = options;
  if ((status < 200 || status >= 300) && !(options.inspect && isRpcRefusal(status, content)))
    return statusError(
      asked(),
      { status, headers, text: redact(content.toString()) },
      serverLimits(headers, options.now),
    );
  let body: unknown;
  let seen: unknown;
  try {
    body = parseAround(content, options.raw, options);
    seen = shown(body);
  } catch (error) {
    if (error instanceof FirnError) return readingError(asked(), error);
    return notJsonError(asked(), status, redact(content.toString('utf8', 0, longestText)), error);
  }
  const inspect = options.inspect ?? ((parsed) => errorInside(asked, status, parsed, redact));
  return inspect(seen, status) ?? checkError(options.check, asked, body) ?? { body };
}

/**
 * Whether the error of one call came with a status of HTTP as well (400, 404, 501): it is then the answer to the call. A refused key (401, 403)
 * and a failure (500) are matters of all calls, but where the error says that there is no such method, or none on this plan.
 */
function isRpcRefusal(status: number, content: Buffer): boolean {
  if (status === 413 || status > 501) return false;
  try {
    const body = parseLossless(content.toString());
    const outcome = rawOf(body)['jsonrpc'] === undefined ? undefined : readAnswer(body)?.outcome;
    if (!outcome?.error) return false;
    const { code } = statusMeaning(status);
    return ['refused', 'not_found', 'not_offered'].includes(code) || lacksMethod(outcome.error.message);
  } catch {
    return false;
  }
}

/** An answer that is left unparsed as a whole, where an error may stand in place of what was asked for. */
const shown = (body: unknown): unknown =>
  body instanceof RawValue && (body.mayHave('statusCode') || body.mayHave('jsonrpc')) ? body.parse() : body;

/** The error that a check throws, with what was asked. */
export function checkError(check: Check | undefined, asked: () => string, body: unknown): FirnError | undefined {
  try {
    check?.(body);
    return undefined;
  } catch (error) {
    if (error instanceof FirnError) return readingError(asked(), error);
    throw error;
  }
}
