import { bare } from '../relationName.ts';

/** Where the file of a batch stands below the stage's root: the folder is the table's name without its schema, as engines look for it. */
export const fileName = (table: string, batch: number): string => `${bare(table)}/${batch}.parquet`;

/** The folder below the stage's root into which an engine unloads rows: what lies there is on its way to another place. */
export const unloadFolder = 'unload/';

/** The batch of a file of a stage; undefined where it is none. What lies deeper may be of another stage, whose root is below this one. */
export function batchOf(root: string, uri: string): number | undefined {
  const own = uri.startsWith(root) ? uri.slice(root.length) : '';
  const [, batch] = /^(?:memory\/)?[^/]+\/(\d+)\.parquet$/.exec(own) ?? [];
  return batch === undefined ? undefined : Number(batch);
}
