/** Whether two hashes or ids are of different things, as far as both are known: capitals and small letters of one are the same. */
export const differ = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && one.toLowerCase() !== other.toLowerCase();
