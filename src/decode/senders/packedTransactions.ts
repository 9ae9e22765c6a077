/** Transactions side by side, to be moved to a thread: one by one they would be copied twice, and told apart at the cost of a look-up each. */
export interface PackedTransactions {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each ends. */
  readonly ends: Uint32Array<ArrayBuffer>;
}

/** Copies transactions (canonical bytes) together. */
export function packTransactions(raws: readonly Uint8Array[]): PackedTransactions {
  const ends = new Uint32Array(raws.length);
  let end = 0;
  for (const [i, { length }] of raws.entries()) {
    end += length;
    ends[i] = end;
  }
  const bytes = new Uint8Array(end);
  for (const [i, raw] of raws.entries()) bytes.set(raw, (ends[i] as number) - raw.length);
  return { bytes, ends };
}

/** The inverse of `packTransactions`: views of the bytes. */
export const unpackTransactions = ({ bytes, ends }: PackedTransactions): readonly Uint8Array[] =>
  Array.from(ends, (end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
