import { FirnError } from '../../core/firnError.ts';
import { textIn } from '../../core/json/answerParts.ts';
import { numberIn } from '../../core/json/numberIn.ts';
import { parseLossless } from '../../core/json/parseLossless.ts';
import { type Meaning, statusMeaning, transportMeaning } from '../../core/requests/retry.ts';
import { redactUrl } from '../../core/text/redact.ts';
import { askedPauseMs, type Headers, type ServerLimits } from '../limits/serverLimits.ts';
import { cutWords } from './cutWords.ts';

/** Not by an import: since Node 22 that loads Node's own undici and HTTP/2 as well, for some 30 ms of a start. */
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** What was asked, for the sentence: `GET https://host/path`, without secrets. */
export type Asked = string;

/** A node answers to IP addresses and to the host names it was given: this has nothing to do with keys. */
const otherHost: Meaning = {
  ...statusMeaning(405),
  next: 'The server does not answer to this host name: write its IP address into the URL of this source, or add the name to those that the server accepts (http-allowed-hosts of a node).',
};

/** A server that asks as it would ask a browser takes no key. (A URL as an example would be shown without its password.) */
const noPassword: Meaning = {
  ...statusMeaning(401),
  next: 'The server asks for a user and a password: write both before the host in the URL of this source, with an @ behind them, or correct them there.',
};

/** A proxy answers itself what it is asked for by http; https goes through it unseen. */
const throughProxy = /^\w+ http:.* \(by the proxy /;
const proxyMaySay =
  ' It may be the proxy that says so: ask who runs it, or name this host in NO_PROXY where it can be reached without one.';

/** The error of an answer outside 200-299. */
export function statusError(
  asked: Asked,
  answer: { status: number; headers: Headers; text: string },
  limits: ServerLimits,
): FirnError {
  const { status, headers, text } = answer;
  const json = parsed(text);
  const words = serverMessage(json, text);
  const asksPassword = status === 401 && /^basic\b/i.test(String(headers['www-authenticate'] ?? ''));
  const isOtherHost = status === 403 && /invalid host/i.test(text);
  const meaning = isOtherHost ? otherHost : asksPassword ? noPassword : statusMeaning(status);
  const location = headers['location'];
  const said = location === undefined ? quoted(words) : ` and points to ${redactUrl(String(location))}`;
  // An API refuses in JSON; what refuses in other words may be another server.
  const isForeign = json === undefined;
  const byOther = isForeign && throughProxy.test(asked) ? proxyMaySay : '';
  const pause = askedPauseMs(status, limits);
  const name = STATUS_CODES[status] === undefined ? '' : ` ${STATUS_CODES[status]}`;
  const isClamped = pause !== undefined && limits.clamped !== undefined;
  const clamped = isClamped
    ? ` It asks to wait for more than a day${quoted(limits.clamped)}; this counts as one day.`
    : '';
  return new FirnError(meaning.code, `${asked} answered ${status}${name}${said}. ${meaning.next}${byOther}${clamped}`, {
    retryable: meaning.retryable,
    context: {
      status,
      acted: meaning.acted,
      next: meaning.next,
      serverMessage: cutWords(words),
      ...(meaning.code === 'unauthorized' && isForeign && { isForeign }),
      ...(pause !== undefined && { retryAfterMs: pause }),
    },
  });
}

/** The error of an answer with a good status but without usable JSON: nothing, HTML, text, or cut JSON. */
export function notJsonError(asked: Asked, status: number, text: string, cause: unknown): FirnError {
  const next = 'Check the URL of this source in the configuration; if something stands in between, run again later.';
  const [reason, what] =
    text.trim() === ''
      ? ['empty', 'with nothing']
      : /^\s*</.test(text)
        ? ['html', `with HTML instead of JSON${quoted(serverMessage(undefined, text))}`]
        : ['not_json', `with something that is not JSON${quoted(serverMessage(undefined, text))}`];
  return new FirnError('contract', `${asked} answered ${status} ${what}. ${next}`, {
    retryable: true,
    context: { status, reason, acted: true, next },
    cause,
  });
}

/** The error that a parsed answer with a good status holds instead of data, if it does. */
export function errorInside(
  asked: () => Asked,
  status: number,
  body: unknown,
  redact: (text: string) => string,
): FirnError | undefined {
  if (body === null) {
    const what = `${asked()} answered ${status} with null instead of data.`;
    const next = 'If something stands in between, run again later.';
    return new FirnError('contract', `${what} ${next}`, {
      retryable: true,
      context: { status, reason: 'empty', acted: true, next },
    });
  }
  if (typeof body !== 'object') return undefined;
  const { statusCode, message, error, jsonrpc } = body as Record<string, unknown>;
  const claimed = numberIn(statusCode);
  const words = () => cutWords(redact(serverMessage(body, '')));
  if (claimed >= 400 && (message !== undefined || error !== undefined)) {
    const { code, retryable, acted, next } = statusMeaning(claimed);
    const said = words();
    const what = `${asked()} answered ${status}, but the body is an error of status ${claimed}${quoted(said)}`;
    return new FirnError(code, `${what}. ${next}`, {
      retryable,
      context: { status: claimed, acted, next, serverMessage: said },
    });
  }
  if (jsonrpc !== undefined && typeof error === 'object' && error !== null) {
    const said = words();
    const what = `${asked()} answered ${status}, but the body is a JSON-RPC error${quoted(said)}`;
    return new FirnError('contract', `${what}. Check the URL of this source in the configuration.`, {
      context: { status, serverMessage: said },
    });
  }
  return undefined;
}

/** The error of an answer whose body could not be read: such errors do not know what was asked. */
export function readingError(asked: Asked, error: FirnError): FirnError {
  return reworded(error, `${asked}: ${error.message}`, { ...error.context, acted: true });
}

const reworded = ({ code, retryable, cause }: FirnError, message: string, context: FirnError['context']): FirnError =>
  new FirnError(code, message, { retryable, context, cause });

/**
 * The error of an exchange that brought no usable answer: `config` for a header that cannot be sent, `failed` where the network does not explain it.
 *
 * @param at the server, which all requests to it have in common that nobody answers
 */
export function transportError(asked: Asked, error: unknown, at = asked): FirnError {
  const { code, message } = innermost(error);
  const meaning = transportMeaning(code);
  // Names and values of headers, and whatever stands in variables that they take.
  if (/^invalid (?:\S+ header|header key)$/.test(message))
    return new FirnError(
      'config',
      `${asked} was not sent: ${message}. A header's name is letters, digits and hyphens, its value one line without other characters than those of Latin-1. Correct the headers or the key of this source, or the variable that they take.`,
      { cause: error },
    );
  if (!meaning) return new FirnError('failed', `${asked} failed: ${message}`, { cause: error });
  const { retryable, acted, reason, next, isNoHost } = meaning;
  const what = {
    unreachable: `could not be reached: ${isNoHost ? 'the host name was not found' : 'nothing answers at that address'} (${code})`,
    timeout: `got no complete answer in time (${code})`,
    reset: `got no answer: the connection broke (${code})`,
    truncated: `got an answer that is cut or damaged (${code})`,
    plain: `was not sent: this port does not speak TLS (${code})`,
    http2: `was not answered: the server speaks HTTP/2 alone (${code})`,
    handshake: `was not sent: no TLS connection could be made (${code}: ${message.trim()})`,
    certificate: `was not sent: the server's certificate is not accepted (${code}: ${message})`,
    proxy: `was not sent: the proxy does not let it through (${code.replace('PROXY_', 'it answered ')})`,
  }[reason];
  return new FirnError(meaning.code, `${reason === 'unreachable' ? at : asked} ${what}. ${next}`, {
    retryable,
    context: { reason, acted, next, transport: code },
    cause: error,
  });
}

/** Whether the other end was never reached, and may be the next time: nothing was sent. */
export const wasNotSent = (error: unknown): boolean =>
  transportMeaning(innermost(error).code)?.reason === 'unreachable';

export const isUnreachable = ({ context }: FirnError): boolean => context.reason === 'unreachable';

/** The same error without any secret in its message and context. */
export function redactedError(error: FirnError, redact: (text: string) => string): FirnError {
  const context = Object.fromEntries(
    Object.entries(error.context).map(([name, value]) => [name, typeof value === 'string' ? redact(value) : value]),
  );
  return reworded(error, redact(error.message), context);
}

const stopped: Readonly<Record<string, string>> = {
  acted: ' Not sent again, because the server may have carried it out.',
  budget: ' Not tried again, because too many requests are failing.',
};

/** The error as the caller gets it: with why, and after how many attempts, the request was given up. */
export function finalError(error: FirnError, attempts: number, stop: string): FirnError {
  const { retryAfterMs: asked = 0 } = error.context;
  const why =
    stop === 'wait' ? ` It asks to wait ${Math.ceil(asked / 1_000)} s, which is too long.` : (stopped[stop] ?? '');
  const tried = attempts > 1 ? ` Tried ${attempts} times.` : '';
  return reworded(error, `${error.message}${why}${tried}`, { ...error.context, attempts });
}

/**
 * Code and message of what really went wrong: Node wraps failed connections to several addresses of one name in an
 * AggregateError, undici's parser errors come without a code, and what a proxy answered stands in their message alone.
 */
function innermost(error: unknown): { code: string; message: string } {
  const { name, code, syscall, message, errors, cause, data } = (error ?? {}) as Record<string, unknown>;
  const [, refusal] = /^Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(String(message)) ?? [];
  if (refusal !== undefined) return { code: `PROXY_${refusal}`, message: String(message) };
  if (Array.isArray(errors) && errors.length > 0) return innermost(errors[0]);
  // Nothing was sent, which ETIMEDOUT of an open connection does not say.
  if (code === 'ETIMEDOUT' && syscall === 'connect')
    return { code: 'UND_ERR_CONNECT_TIMEOUT', message: String(message) };
  if (typeof code === 'string') return { code, message: String(message) };
  if (name === 'HTTPParserError')
    return { code: isSettings(String(data)) ? 'HTTP2_ALONE' : 'HPE_INVALID', message: String(message) };
  return cause === undefined ? { code: '', message: String(message) } : innermost(cause);
}

/** Whether what came begins as every answer of HTTP/2 does: by a frame of settings for all of the connection. */
const isSettings = (answer: string): boolean => answer.slice(3, 9) === '\u0004\0\0\0\0\0';

/** What the server has to say: its message (a string or a list of them), else its text, else the title of its page. */
function serverMessage(body: unknown, text: string): string {
  if (typeof body === 'object' && body !== null) {
    const { message, error } = body as Record<string, unknown>;
    if (Array.isArray(message)) return message.map(textIn).join('; ');
    if (typeof message === 'string') return message;
    if (typeof error === 'object' && error !== null) return serverMessage(error, '');
    return typeof error === 'string' ? error : '';
  }
  const title = /<title[^<>]*>([^<]*)</i.exec(text)?.[1] ?? /<h1[^<>]*>([^<]*)</i.exec(text)?.[1];
  return title ?? (/^\s*</.test(text) ? '' : text);
}

function parsed(text: string): unknown {
  try {
    // What is nested too deep to walk stays text.
    return parseLossless(text);
  } catch {
    return undefined;
  }
}

const longest = 300;

/** A server's own words as `: "…"` for the end of a sentence: one line, cut to length; nothing when there are none. */
export function quoted(words: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a server's text must not steer the terminal
  const line = words.replace(/[\u0000-\u001f\u007f-\u009f\s]+/g, ' ').trim();
  if (line === '') return '';
  return `: "${line.length > longest ? `${line.slice(0, longest)}…` : line}"`;
}
