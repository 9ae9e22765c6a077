/** What publish needs of an open warehouse: its folder, and one connection to its state database. */
export interface PublishSource {
  /** The warehouse folder. */
  readonly folder: string;
  /** Runs one or more statements. */
  run(sql: string): Promise<void>;
  /** Rows as plain objects: BIGINT as bigint, DECIMAL and TIMESTAMP as text. */
  query<R extends Record<string, unknown>>(sql: string): Promise<R[]>;
}
