import { chance } from '../../chance.ts';

/** The ways in which a row can be odd or wrong. */
const rowFaultNames = ['drift', 'extreme', 'absurd', 'names'] as const;

/** The ways in which a page can be wrong, each with a rate between 0 and 1. */
export const pageFaultNames = [
  'duplicate',
  'overlapping',
  'missing',
  'reordered',
  'shuffled',
  'loop',
  'empty',
  'emptyFirst',
  'emptySecond',
  'emptyLook',
  'short',
  ...rowFaultNames,
] as const;

type PageFaultName = (typeof pageFaultNames)[number];
export type PageFaultRates = Readonly<Partial<Record<PageFaultName, number>>>;

/** A page that may go wrong: its place in the list, how many came before it, and how many rows were asked for. */
interface PageAsked {
  readonly offset: number;
  readonly served: number;
  readonly pageSize: number;
}

/** Pages that only some faults can hit: the first page of a list, those behind it, and requests for a single row. */
const onlyHits: Readonly<Partial<Record<PageFaultName, (page: PageAsked) => boolean>>> = {
  emptyFirst: ({ served }) => served === 0,
  emptySecond: ({ served }) => served === 1,
  emptyLook: ({ served, pageSize }) => served === 0 && pageSize === 1,
};

export interface PageFaults {
  /** The fault of this answer, if any. Asking again for the same page draws again. */
  draw(binding: string, page: PageAsked): PageFaultName | null;
  /** A number in [0, 1) for the details of a fault. */
  number(...words: readonly (string | number)[]): number;
}

/**
 * Draws faults by a seed; the rates may change at any time. Those of rows are drawn row by row elsewhere.
 * No timing and no order of arrival enters: a page's fate depends on the seed, the query, the position and how often it was asked for.
 */
export function createPageFaults(rates: PageFaultRates, seed: number): PageFaults {
  const drawn = new Map<string, number>();
  return {
    draw(binding, asked) {
      // Read again each time: the rates of a running network may change.
      const wrong = pageFaultNames.filter(
        (name) =>
          !(rowFaultNames as readonly string[]).includes(name) &&
          (rates[name] ?? 0) > 0 &&
          (onlyHits[name]?.(asked) ?? true),
      );
      if (wrong.length === 0) return null;
      const page = `${binding} ${asked.offset}`;
      const times = (drawn.get(page) ?? 0) + 1;
      drawn.set(page, times);
      return wrong.find((name) => chance(seed, name, page, times) < (rates[name] ?? 0)) ?? null;
    },
    number: (...words) => chance(seed, ...words),
  };
}
