/**
 * The key under which a database of one machine keeps how far a partition was read, or what is read beside it.
 *
 * @param beside what a backfill of it is called
 */
export const checkpointKeyOf = (partition: string, beside?: string): string =>
  beside === undefined ? partition : `${partition}|${beside}`;

/** The partition that such a key is about, and the backfill of it; a partition's own values may hold its mark. */
export function fromCheckpointKey(key: string): { readonly partition: string; readonly beside: string | undefined } {
  const [, partition = key, beside] = /^(.*)\|(backfill|again [\d.-]+)$/s.exec(key) ?? [];
  return { partition, beside };
}
