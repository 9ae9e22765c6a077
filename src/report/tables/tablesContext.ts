import type { Relations } from '../read/readRelations.ts';

/** What the pages about tables are made from. */
export interface TablesContext {
  readonly relations: Relations;
  /** Comments by table name. */
  readonly comments: ReadonlyMap<string, string>;
  /** The version that is shown. */
  readonly live: string;
  readonly firnVersion: string;
}
