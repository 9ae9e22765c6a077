/** A block, or a row of it. */
export interface DatedHeight {
  readonly height: number;
  /** Unix seconds. */
  readonly time: number;
}

/** Between which blocks of a chain a date lies, as far as it is known: every block that is seen narrows it. */
export interface DateBracket {
  /** Unix seconds. */
  readonly date: number;
  /** The highest block known to be older; null where none is. */
  readonly older: DatedHeight | null;
  /** The lowest block known not to be. */
  readonly from: DatedHeight | null;
  note(block: DatedHeight): void;
}

/** Gives what is known of a date on one chain. */
export type DateBrackets = (date: number) => DateBracket;

/** @param known what earlier runs found out */
export function createDateBracket(date: number, known?: Pick<DateBracket, 'older' | 'from'>): DateBracket {
  let older = known?.older ?? null;
  let from = known?.from ?? null;
  return {
    date,
    get older() {
      return older;
    },
    get from() {
      return from;
    },
    note({ height, time }) {
      if (!(Number.isSafeInteger(height) && height >= 0 && Number.isFinite(time))) return;
      if (time < date) {
        if (older === null || height > older.height) older = { height, time };
        // Times never fall as heights rise: where two rows say they do, neither is believed.
        if (from !== null && from.height <= height) older = from = null;
      } else {
        if (from === null || height < from.height) from = { height, time };
        if (older !== null && older.height >= height) older = from = null;
      }
    },
  };
}
