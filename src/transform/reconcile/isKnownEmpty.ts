/**
 * Whether no block lies in a bucket without a row, and none is missing there: its counts are 0 then.
 *
 * @param bucket its start, Unix seconds
 * @param before the last bucket before it that has a row, and whether nothing is missing up to the next one
 * @param newest the newest bucket that has a row
 */
export const isKnownEmpty = (
  bucket: number,
  before: { readonly reaches_next: boolean | null } | undefined,
  newest: number,
): boolean => before?.reaches_next === true && bucket < newest;
