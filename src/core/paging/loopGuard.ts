import { FirnError, hasCode, withoutNext } from '../firnError.ts';
import { memberOf, wrongAnswer } from '../json/answerParts.ts';
import { jsonText } from '../json/jsonText.ts';
import { RawList } from '../json/rawList.ts';
import { RawValue } from '../json/rawValue.ts';
import type { Request } from '../requests/request.ts';
import { mixWord } from '../rows/mixWord.ts';

/** A page may be served again by mistake; more often than this in one read, it would go on forever. */
const repeatsAllowed = 2;
/**
 * Empty pages in a row, and pages of rows that are alike: a service that filters may send many of the former, and a block holds as many of the
 * latter as its gas pays for.
 */
const alikeAllowed = 1000;

/** Characters of a page token: it is sent in a URL, and kept with the checkpoint. Services give some hundred. */
const longestToken = 8_192;

/** Watches the pages of one read for paging that would never end. */
export interface LoopGuard {
  /** Looks at a page, which is good whatever its token is. */
  next(request: Request, body: unknown): Next;
}

/** What stands behind a page. */
interface Next {
  /** undefined at the end of the list. */
  readonly token?: string | undefined;
  /** `contract`: a token that comes twice or is none; the same page that comes again and again under new tokens, or only empty ones. */
  readonly wrong?: unknown;
}

/**
 * A guard for one read.
 *
 * @param mayBeAlike whether rows have no key: pages that are alike may then hold different rows
 */
export function createLoopGuard(mayBeAlike = false): LoopGuard {
  // By hashes of 64 bits: a list may have a million pages, and tokens of any kind.
  const seen = new Set<bigint>();
  const came = new Map<bigint, number>();
  let previous: string | undefined;
  let repeats = 0;
  const follow = (request: Request, answer: unknown): string | undefined => {
    // Where records lie in several places, all of the answer comes unparsed.
    const body = memberOf(answer);
    const token = nextToken(body);
    if (token === undefined) return undefined;
    const tokenHash = hashOf(token);
    if (seen.has(tokenHash)) throw loop(request, `page token ${token.slice(0, 80)} came twice`);
    seen.add(tokenHash);
    const content = contentOf(body);
    if (!mayBeAlike && content !== '') {
      // Others may lie between: a list that wraps around shows all of its pages again.
      const hash = hashOf(content);
      const times = (came.get(hash) ?? 0) + 1;
      if (times > repeatsAllowed + 1) throw loop(request, `the same page came ${times} times`);
      came.set(hash, times);
    }
    repeats = content === previous ? repeats + 1 : 0;
    if (repeats > alikeAllowed)
      throw loop(request, `the same page${content === '' ? ', an empty one,' : ''} came ${repeats + 1} times in a row`);
    previous = content;
    return token;
  };
  return {
    next(request, body) {
      try {
        return { token: follow(request, body) };
      } catch (wrong) {
        return { wrong };
      }
    },
  };
}

/**
 * `nextPageToken` of an answer; undefined where it is missing, null or empty, which is the end of a list.
 *
 * @throws FirnError `contract` where it is something else than text, or longer than any token
 */
export function nextToken(body: unknown): string | undefined {
  const token = memberOf(body, 'nextPageToken') ?? '';
  if (typeof token !== 'string') throw wrongAnswer(body, 'page token that is text');
  if (token.length > longestToken) throw wrongAnswer(body, `page token of at most ${longestToken} characters`);
  return token || undefined;
}

/**
 * Whether an error is the source's refusal of a page token: asking again without it may succeed. Tokens expire, and a
 * restarted service may have forgotten them.
 */
export function isTokenRefused(error: unknown, token: string | undefined): error is FirnError {
  return token !== undefined && hasCode(error, 'refused', 'not_found');
}

/**
 * The error of a list whose tokens are refused, however often it is begun again: nothing in a configuration changes that.
 *
 * @param refusal what the source said last
 */
export function tokensRefused(refusal: FirnError): FirnError {
  const { next, ...context } = refusal.context;
  return new FirnError(
    'contract',
    `${withoutNext(refusal)} It refuses the page tokens that it gives, also where its list is begun again. ` +
      'What was read is kept, and the next run goes on there; report it to the operator of the source if this persists.',
    { context, cause: refusal },
  );
}

/** Ends and length of the page's list: enough to know the page again, without the cost of all of it. */
function contentOf(body: unknown): string {
  const values = Object.values((body ?? {}) as object);
  const raw = values.find((value) => value instanceof RawList);
  if (raw) return raw.isEmpty ? '' : `${raw.to - raw.from}|${endsOf(raw)}`;
  const list = values.find(Array.isArray) as unknown[] | undefined;
  if (!list?.length) return '';
  return `${list.length}|${shape(list[0])}|${shape(list.at(-1))}`;
}

/** As many bytes as a few records have. */
const told = 4_096;
const endsOf = ({ bytes, from, to }: RawList): string =>
  bytes.toString('latin1', from, Math.min(to, from + told)) + bytes.toString('latin1', Math.max(from, to - told), to);

/** 64 bits that tell texts apart. */
function hashOf(text: string): bigint {
  let [low, high] = [mixWord(0, text.length), mixWord(1, text.length)];
  // Two at a time: a page tells eight thousand. Behind the end there is NaN, which is 0 here.
  for (let i = 0; i < text.length; i += 2) {
    const word = text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16);
    low = mixWord(low, word);
    high = mixWord(high, word);
  }
  return (BigInt(low >>> 0) << 32n) | BigInt(high >>> 0);
}

const shape = (item: unknown) => (item instanceof RawValue ? item.text() : jsonText(item));

function loop(request: Request, what: string): FirnError {
  return new FirnError(
    'contract',
    `${what} at ${request.path}: paging would never end. ` +
      'What was read is kept; run again later, and report it to the operator of the source if this persists.',
  );
}
