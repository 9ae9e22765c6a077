import { createHash } from 'node:crypto';
import type { ServiceRequest, ServiceResponse } from '../../types.ts';
import type { ServiceContext } from '../serviceContext.ts';
import { jsonText } from './jsonText.ts';
import { oddRow } from './oddRow.ts';
import type { PageState } from './pageTokens.ts';

/** The rows of a list in the order in which they are served. An array is one. */
export interface Listing<T> {
  readonly length: number;
  slice(from: number, to: number): readonly T[];
}

export interface PageOf<T> {
  /** The member of the answer that holds the rows. */
  readonly member: string;
  readonly pageSize: number;
  readonly pageToken: string | undefined;
  /** All rows as they stood at that moment of chain time, in milliseconds. */
  readonly rows: (asOf: number) => Listing<T>;
  readonly render: (row: T, asOf: number) => unknown;
  /** Members beside the rows, which may be as they stood at that moment. */
  readonly extra?: Readonly<Record<string, unknown>> | ((asOf: number) => Readonly<Record<string, unknown>>);
  readonly headers?: Readonly<Record<string, string>>;
  /** A page is cut before its rows weigh more than this together (never before its first row). */
  readonly threshold?: { readonly weigh: (row: T) => number; readonly limit: number };
}

/**
 * Answers one page. The first page pins the head, so that the pages after it are those of one unchanging list.
 * The next token is absent on the last page.
 */
export function servePage<T>(context: ServiceContext, request: ServiceRequest, page: PageOf<T>): ServiceResponse {
  const binding = bindingOf(request);
  const state: PageState =
    page.pageToken === undefined
      ? { asOf: context.head.now(), offset: 0 }
      : context.tokens.redeem(page.pageToken, binding);
  const rows = page.rows(state.asOf);
  const cut = cutPage(context, binding, page, rows, state);
  const shown = cut.rows.map((row, at) => oddRow(page.render(row, state.asOf), context, binding, state.offset + at));
  const extra = typeof page.extra === 'function' ? page.extra(state.asOf) : page.extra;
  const body: Record<string, unknown> = { [page.member]: shown, ...extra };
  if (cut.next !== null) body['nextPageToken'] = cut.next;
  return { status: 200, body: jsonText(body), ...(page.headers === undefined ? {} : { headers: page.headers }) };
}

/** Method, path, every query parameter but the token, and the body. */
function bindingOf(request: ServiceRequest): string {
  const query = [...request.query].filter(([name]) => name !== 'pageToken').sort();
  const body = request.body === '' ? '' : createHash('sha256').update(request.body).digest('hex');
  return `${request.method} ${request.path}?${new URLSearchParams(query)} ${body}`;
}

function cutPage<T>(
  context: ServiceContext,
  binding: string,
  page: PageOf<T>,
  rows: Listing<T>,
  state: PageState,
): { rows: readonly T[]; next: string | null } {
  const { asOf, offset, served = 0 } = state;
  const whole = fitting(rows.slice(offset, offset + page.pageSize), page.threshold);
  const end = offset + whole.length;
  const more = end < rows.length;
  const issue = (next: Omit<PageState, 'asOf'>): string =>
    context.tokens.issue(binding, { asOf, served: served + 1, ...next });
  const inOrder = (): string | null => {
    const [first, ...rest] = state.queue ?? [];
    if (first !== undefined) return first < rows.length ? issue({ offset: first, queue: rest }) : null;
    return more ? issue({ offset: end }) : null;
  };
  if (state.loop) return { rows: whole, next: page.pageToken ?? null };
  const dice = (name: string): number => context.faults.number(name, binding, offset);
  const asked = { offset, served, pageSize: page.pageSize };
  switch (state.queue === undefined && whole.length > 0 ? context.faults.draw(binding, asked) : null) {
    case 'duplicate':
      return { rows: whole, next: issue({ offset }) };
    case 'overlapping':
      return {
        rows: whole,
        next: more ? issue({ offset: end - 1 - Math.floor(dice('overlap') * (whole.length - 1)) }) : null,
      };
    case 'missing': {
      const after = end + page.pageSize;
      return { rows: whole, next: more ? issue({ offset: Math.min(after, rows.length - 1) }) : null };
    }
    case 'reordered': {
      if (!more) return { rows: whole.toReversed(), next: null };
      const second = fitting(rows.slice(end, end + page.pageSize), page.threshold);
      return { rows: second, next: issue({ offset, queue: [end + second.length] }) };
    }
    case 'shuffled':
      return { rows: shuffle(whole, dice), next: inOrder() };
    case 'loop':
      return { rows: whole, next: issue({ offset, loop: true }) };
    case 'empty':
    case 'emptyFirst':
    case 'emptySecond':
    case 'emptyLook':
      return { rows: [], next: issue({ offset }) };
    case 'short': {
      const shown = Math.max(1, Math.floor(dice('short') * whole.length));
      return {
        rows: whole.slice(0, shown),
        next: offset + shown < rows.length ? issue({ offset: offset + shown }) : null,
      };
    }
    default:
      return { rows: whole, next: inOrder() };
  }
}

function fitting<T>(rows: readonly T[], threshold: PageOf<T>['threshold']): readonly T[] {
  if (threshold === undefined) return rows;
  let weight = 0;
  const end = rows.findIndex((row, at) => {
    weight += threshold.weigh(row);
    return at > 0 && weight > threshold.limit;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

function shuffle<T>(rows: readonly T[], dice: (name: string) => number): readonly T[] {
  return rows
    .map((row, at) => ({ row, key: dice(`shuffle ${at}`) }))
    .sort((a, b) => a.key - b.key)
    .map(({ row }) => row);
}
