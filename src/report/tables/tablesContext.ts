import type { Relations } from '../readRelations.ts';

/** What the pages of tables are made from. */
export interface TablesContext {
  readonly relations: Relations;
  /** What a table says of itself, by name. */
  readonly comments: ReadonlyMap<string, string>;
  /** The version that is shown. */
  readonly live: string;
  readonly firnVersion: string;
}
