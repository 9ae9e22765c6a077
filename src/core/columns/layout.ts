/** What a stream or model declares of its rows, for their files and for dropping old ones. */
export interface Files {
  /** Column whose values stay apart in the files of a large table. */
  readonly chain?: string;
  /** Time of what a row tells (never of when it was read), always known: large tables are cut by its months, old rows dropped by it. */
  readonly time?: string;
}

/** How the rows of a table are ordered in files, and how a large one is cut. */
export interface Layout {
  readonly chain?: string;
  /** Times are cut by month, heights by ranges of them. Left out: one file. */
  readonly by?: { readonly kind: 'time' | 'height'; readonly column: string };
  readonly sort: readonly string[];
  /** For a cut by height: the table that has times for these heights, which stand there in the same column. */
  readonly timesOf?: string;
  /** A view whose rows change with the blocks of their hour, which builds note. */
  readonly byHours?: true;
  /** Its times are those of reads, by the local clock: no age counts from them. */
  readonly ofReads?: true;
}

/** Layouts by `schema.table`; a table that has none is one file. */
export type Layouts = ReadonlyMap<string, Layout>;
