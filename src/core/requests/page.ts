import type { Request } from './request.ts';

/** The answer to a request. */
export interface Answer {
  /** Parsed JSON; what records are read from may have come unparsed. */
  readonly body: unknown;
}

/**
 * An answer of which the records become rows. Each row, and each record that cannot be read, has a place from 0. What paging leaves out
 * goes as rows with their children, or as records that lie outside by what they say; a value that is NULL or cannot be read
 * lies nowhere, so that its record goes on.
 */
export interface Page extends Answer {
  /** How many places there are. Known, like all that follows, once the page was read. */
  readonly length: number;
  /** Places that were not left out. */
  readonly kept: number;
  /** Values of a column, by place: integers, Unix seconds; NaN for NULL and for what cannot be read. */
  numbers(column: string): Float64Array;
  /**
   * Highest value of a column among the rows that could be read, and among those below `below`, or `before` where that is higher; undefined
   * where there is none. It says how far a list was read: a record that cannot be read must not, since its time in the wrong unit would leave
   * out all that comes later.
   */
  newest(column: string, before?: number, below?: number | null): number | undefined;
  /** The same among the rows that were not left out. */
  newestKept(column: string, before?: number): number | undefined;
  /** The values of columns, by place, as one text: equal where rows agree in them. */
  texts(columns: readonly string[]): readonly string[];
  /** Leaves out what lies below `from`, and what does not lie below `to`. */
  within(column: string, from: number | undefined, to?: number | null): void;
  /** Says that it holds all that the source has with a column from `from` on, up to its own highest. */
  holdsFrom(column: string, from: number): void;
  /** Leaves out all of it. */
  drop(): void;
  /** Says what its records are about, where only the answer tells it. */
  isAbout(about: string | number): void;
  /** Keeps the page, and those that follow it, from being committed before it is dropped or taken. */
  hold(): void;
  take(): void;
}

/**
 * Asks for the rows of a page. A page whose rows nobody asks for is read while the next request is under way.
 *
 * @property ahead the request that is sure to come next: it is sent before the page is read
 */
export interface Reading<Given = Page> {
  readonly kind: 'read';
  readonly page: Given;
  readonly ahead?: Request | undefined;
}

/** Questions with an answer each, and what comes of them. */
export type Asking<T> = Generator<Request, T, Answer>;

/** Questions whose answers are pages. */
export type Looking<T> = Generator<Request | Reading, T, Page>;
