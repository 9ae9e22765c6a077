/** Where the file of a batch stands below the stage's root. */
export const fileName = (table: string, batch: number): string => `${table.replace(/^raw\./, '')}/${batch}.parquet`;

/** The batch of such a file; undefined where it is none. */
export function batchOf(uri: string): number | undefined {
  const [, batch] = /\/(\d+)\.parquet$/.exec(uri) ?? [];
  return batch === undefined ? undefined : Number(batch);
}
