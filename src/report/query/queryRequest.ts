/** What a process that runs one query gets, as JSON on its standard input. */
export interface QueryRequest {
  /** Warehouse whose reader database is asked. */
  readonly folder: string;
  /** One SELECT. */
  readonly sql: string;
  /** `rows`: a page as JSON; `csv`: everything as text; `parquet`: everything into `file`. */
  readonly as: 'rows' | 'csv' | 'parquet';
  /** Rows before a page, and the most of it. */
  readonly from: number;
  readonly most: number;
  /** Most characters of a value in a page. */
  readonly longest: number;
  /** The longest it may take, milliseconds. */
  readonly time: number;
  readonly threads: number;
  /** Most memory of DuckDB, and of the whole process, MB. */
  readonly memory: number;
  readonly processMemory: number;
  /** Where Parquet goes: a file in a folder of its own that is there. */
  readonly file?: string;
}

/** A page of rows: every value as text with all its digits, NULL as null. */
export interface QueryRows {
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** Whether there are more than these. */
  readonly more: boolean;
  /** Values that were longer than they may be: their places in `rows`, from 0, and how many characters they have. Left out where there are none. */
  readonly cut?: readonly { readonly row: number; readonly column: number; readonly characters: number }[];
}
