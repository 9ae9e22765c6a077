import { FirnError, withoutNext } from '../firnError.ts';
import { memberOf, wrongAnswer } from '../json/answerParts.ts';
import { jsonText } from '../json/jsonText.ts';
import { RawList } from '../json/rawList.ts';
import { RawValue } from '../json/rawValue.ts';
import type { Request } from '../requests/request.ts';

/** A page may be served twice in a row by mistake; more often than this, it would go on forever. */
const repeatsAllowed = 2;
/**
 * Empty pages in a row, and pages of rows that are alike: a service that filters may send many of the former, and a block holds as many of the
 * latter as its gas pays for.
 */
const alikeAllowed = 1000;

/** Watches the pages of one read for paging that would never end. */
export interface LoopGuard {
  /** Looks at a page, which is good whatever its token is. */
  next(request: Request, body: unknown): Next;
}

/** What stands behind a page. */
interface Next {
  /** undefined at the end of the list. */
  readonly token?: string | undefined;
  /** `contract`: a token that comes twice or is none; the same page, or an empty one, that keeps coming under new tokens. */
  readonly wrong?: unknown;
}

/**
 * A guard for one read.
 *
 * @param mayBeAlike whether rows have no key: pages that are alike may then hold different rows
 */
export function createLoopGuard(mayBeAlike = false): LoopGuard {
  const seen = new Set<string>();
  let previous: string | undefined;
  let repeats = 0;
  const follow = (request: Request, answer: unknown): string | undefined => {
    // Where records lie in several places, all of the answer comes unparsed.
    const body = memberOf(answer);
    const token = nextToken(body);
    if (token === undefined) return undefined;
    if (seen.has(token)) throw loop(request, `page token ${token} came twice`);
    seen.add(token);
    const content = contentOf(body);
    repeats = content === previous ? repeats + 1 : 0;
    const allowed = mayBeAlike || content === '' ? alikeAllowed : repeatsAllowed;
    if (repeats > allowed)
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
 * @throws FirnError `contract` where it is something else than text
 */
export function nextToken(body: unknown): string | undefined {
  const token = memberOf(body, 'nextPageToken') ?? '';
  if (typeof token !== 'string') throw wrongAnswer(body, 'page token that is text');
  return token || undefined;
}

/**
 * Whether an error is the source's refusal of a page token: asking again without it may succeed. Tokens expire, and a
 * restarted service may have forgotten them.
 */
export function isTokenRefused(error: unknown, token: string | undefined): error is FirnError {
  return token !== undefined && error instanceof FirnError && (error.code === 'refused' || error.code === 'not_found');
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

const shape = (item: unknown) => (item instanceof RawValue ? item.text() : jsonText(item));

function loop(request: Request, what: string): FirnError {
  return new FirnError(
    'contract',
    `${what} at ${request.path}: paging would never end. ` +
      'What was read is kept; run again later, and report it to the operator of the source if this persists.',
  );
}
