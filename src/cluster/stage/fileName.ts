/** Where the file of a batch stands below the stage's root: the folder is the table's name without its schema, as engines look for it. */
export const fileName = (table: string, batch: number): string =>
  `${table.slice(table.indexOf('.') + 1)}/${batch}.parquet`;

/** The folder below the stage's root into which an engine unloads rows: what lies there is on its way to another place. */
export const unloadFolder = 'unload/';

/** The batch of such a file; undefined where it is none. */
export function batchOf(uri: string): number | undefined {
  const [, batch] = /\/(\d+)\.parquet$/.exec(uri) ?? [];
  return batch === undefined ? undefined : Number(batch);
}
