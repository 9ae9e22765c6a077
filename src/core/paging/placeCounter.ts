interface Options {
  readonly heightOf: (record: unknown) => number;
  /** What a row belongs to, and is counted within. */
  readonly groupOf: (record: unknown) => string;
  /** What a row says that never changes: two rows of a group that say the same are alike. */
  readonly itemOf: (record: unknown) => string;
}

/**
 * Numbers rows within what they belong to, over the pages of a list that is sorted newest first. Rows which a page's end cuts
 * are counted on; where pages overlap or come out of order, the blocks in question are named instead.
 */
export interface PlaceCounter {
  /** Gives each raw record of the next page a member `position`. */
  number(records: readonly unknown[]): void;
  /** Heights of blocks whose rows could not be counted for sure; they must be read alone. */
  readonly unsure: ReadonlySet<number>;
  /** The list begins again. */
  restart(): void;
}

/** The last block of the page before. */
interface Before {
  readonly first: number;
  readonly last: number;
  readonly contents: ReadonlySet<string>;
  readonly counted: Map<string, number>;
}

export function createPlaceCounter({ heightOf, groupOf, itemOf }: Options): PlaceCounter {
  const unsure = new Set<number>();
  let before: Before | undefined;

  const contentsAt = (records: readonly unknown[], height: number) =>
    new Set(
      records.filter((record) => heightOf(record) === height).map((record) => `${groupOf(record)} ${itemOf(record)}`),
    );

  return {
    unsure,
    number(records) {
      if (records.length === 0) return;
      const heights = records.map(heightOf);
      const first = heights[0] ?? Number.NaN;
      const last = heights.at(-1) ?? Number.NaN;
      if (heights.some((height, i) => height > (heights[i - 1] ?? height)))
        for (const height of heights) unsure.add(height);
      const contents = contentsAt(records, last);
      let counted = new Map<string, number>();
      if (before && !(first < before.last)) {
        if (continues(before, { first, last }, contentsAt(records, before.last))) counted = before.counted;
        else for (const height of [before.first, before.last, first, last]) unsure.add(height);
      }
      numberPlaces(records, groupOf, counted);
      before = { first, last, contents, counted };
    },
    restart() {
      before = undefined;
    },
  };
}

/**
 * Whether a page goes on in the block that ended the page before. Heights tell only where both pages hold other blocks too:
 * pages wholly inside one block may have been swapped.
 */
function continues(before: Before, page: { first: number; last: number }, contents: ReadonlySet<string>): boolean {
  if (page.first !== before.last || before.first === before.last || page.first === page.last) return false;
  return ![...contents].some((content) => before.contents.has(content));
}

/** Gives each record its place within its group, counting on from `counted`. The raw records themselves are changed. */
export function numberPlaces(
  records: readonly unknown[],
  groupOf: (record: unknown) => string,
  counted: Map<string, number>,
): void {
  for (const record of records) {
    if (record === null || typeof record !== 'object') continue;
    const group = groupOf(record);
    const position = counted.get(group) ?? 0;
    counted.set(group, position + 1);
    (record as { position?: number }).position = position;
  }
}
