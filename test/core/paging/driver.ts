import type { Request, Response } from '../../../src/core/request.ts';
import type { Pages, Position, Window } from '../../../src/core/stream.ts';
import { itemsOf, type ListSource } from './listSource.ts';

/** What a warehouse would hold of a partition: rows by key, and the checkpoint. */
export interface Store {
  readonly rows: Map<string, Record<string, unknown>>;
  position: Position | null;
}

export const createStore = (): Store => ({ rows: new Map(), position: null });

/**
 * Drives paging as a sync does, but commits after every page: the most kills can hit. What was read after the last commit is
 * lost with a kill. Rows of a page that are alike in their key are counted, as `ordinal` columns are.
 *
 * @param steps steps (requests and advances) after which the read is killed
 * @returns whether the read came to its end
 */
export function drive(
  pagesOf: (window: Window) => Pages,
  source: ListSource,
  store: Store,
  options: { steps?: number; now?: number; keyOf?: (row: Record<string, unknown>) => string } = {},
): boolean {
  const { steps = Number.POSITIVE_INFINITY, now = 0, keyOf = (row) => String(row['id']) } = options;
  const pages = pagesOf({ position: store.position === null ? null : JSON.parse(JSON.stringify(store.position)), now });
  let waiting: { request: Request; response: Response } | undefined;
  // A page is taken once paging has gone on: only then does `keep` know its bounds.
  const take = () => {
    if (!waiting) return;
    const { request, response } = waiting;
    waiting = undefined;
    const keep = request.kind === 'get' && request.keep ? request.keep : () => true;
    const counted = new Map<string, number>();
    for (const row of itemsOf(response.body).filter(keep)) {
      const key = keyOf(row as never);
      const number = counted.get(key) ?? 0;
      counted.set(key, number + 1);
      store.rows.set(number === 0 ? key : `${key}#${number}`, row as never);
    }
  };
  let step = pages.next();
  for (let taken = 0; !step.done; taken++) {
    if (taken >= steps) return false;
    if (step.value.kind === 'advance') {
      take();
      store.position = step.value.position;
      step = pages.next(undefined as never);
      continue;
    }
    take();
    const request: Request = step.value;
    let response: Response;
    try {
      response = source.answer(request);
    } catch (error) {
      step = pages.throw(error);
      continue;
    }
    waiting = { request, response };
    step = pages.next(response);
  }
  take();
  return true;
}
