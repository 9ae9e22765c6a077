import { FirnError } from '../../../src/core/firnError.ts';
import type { Request, Response } from '../../../src/core/requests/request.ts';

/** A row of a made-up list. `group` and `item` are for lists whose rows are told apart by their place in a group. */
export interface Item {
  readonly id: string;
  readonly cursor: number;
  readonly owner?: string;
  readonly group?: string;
}

export type PageFault = 'duplicate' | 'overlap' | 'reorder' | 'empty' | 'short' | 'expired';

/** What happens to the pages of a source, one entry a page in the order of asking; `null` and the end of the list: nothing. */
export type Faults = readonly (PageFault | null)[];

interface Token {
  readonly rows: readonly Item[];
  readonly offset: number;
  readonly queue: readonly number[];
}

/**
 * A paged list as the data service keeps it: opaque tokens that pin the list as it stood at the first page, newest first
 * unless `sortOrder` is `asc`, cut by `from` and `to`, filtered by `owners`. Its pages go wrong as `faults` says.
 */
export function createListSource(pageSize: number, faults: Faults = []) {
  let rows: readonly Item[] = [];
  const tokens = new Map<string, Token>();
  let asked = 0;
  const issue = (token: Token): string => {
    const name = `t${tokens.size + 1}`;
    tokens.set(name, token);
    return name;
  };
  return {
    /** Rows in any order; they replace those of before. */
    hold(next: readonly Item[]) {
      rows = next;
    },
    requests: () => asked,
    answer(request: Request): Response {
      if (request.kind !== 'get') throw new TypeError('only lists here');
      const fault = faults[asked++] ?? null;
      const { token, from, to, owners, sortOrder, size } = request.query ?? {};
      if (fault === 'expired' && token !== undefined) throw new FirnError('refused', 'pageToken has expired');
      const found = token === undefined ? undefined : tokens.get(String(token));
      if (token !== undefined && !found) throw new FirnError('refused', 'pageToken is unknown');
      const list =
        found?.rows ??
        rows
          .filter(({ cursor }) => !(cursor < Number(from ?? 0)) && !(to !== undefined && cursor >= Number(to)))
          .filter(
            ({ owner }) =>
              owners === undefined ||
              String(owners)
                .split(',')
                .includes(owner ?? ''),
          )
          .toSorted((a, b) => (sortOrder === 'asc' ? a.cursor - b.cursor : b.cursor - a.cursor));
      const offset = found?.offset ?? 0;
      const queue = found?.queue ?? [];
      const wanted = Number(size ?? pageSize);
      const page = list.slice(offset, offset + wanted);
      const end = offset + page.length;
      const [queued, ...rest] = queue;
      const inOrder = (): string | undefined => {
        if (queued !== undefined) return issue({ rows: list, offset: queued, queue: rest });
        return end < list.length ? issue({ rows: list, offset: end, queue: [] }) : undefined;
      };
      const result = (items: readonly Item[], next: string | undefined): Response => ({
        body: {
          items: items.map((item) => ({ ...item, time: item.cursor * 10 })),
          ...(next !== undefined && { nextPageToken: next }),
        },
        fetchedAt: 0,
        bytes: 0,
      });
      const usable = page.length > 0 && queue.length === 0;
      if (usable && fault === 'duplicate') return result(page, issue({ rows: list, offset, queue: [] }));
      if (usable && fault === 'empty') return result([], issue({ rows: list, offset, queue: [] }));
      if (usable && fault === 'overlap' && end < list.length) {
        return result(page, issue({ rows: list, offset: Math.max(offset + 1, end - 2), queue: [] }));
      }
      if (usable && fault === 'short' && page.length > 1) {
        const shown = Math.ceil(page.length / 2);
        return result(page.slice(0, shown), issue({ rows: list, offset: offset + shown, queue: [] }));
      }
      if (usable && fault === 'reorder' && end < list.length) {
        const second = list.slice(end, end + wanted);
        const after = end + second.length;
        // Behind the last one the pages go on as if nothing had been: they may come in another order once more.
        const queueAfter = after < list.length ? [after] : [];
        return result(second, issue({ rows: list, offset, queue: queueAfter }));
      }
      return result(page, inOrder());
    },
  };
}

export type ListSource = ReturnType<typeof createListSource>;

export const itemsOf = (body: unknown): readonly Item[] => (body as { items: readonly Item[] }).items;
