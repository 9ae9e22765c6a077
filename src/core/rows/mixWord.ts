const prime = 0x9e3779b1;
/** Of this process alone: a source that could choose keys whose hashes meet would make every row be compared with all others. */
const secret = Math.floor(Math.random() * 2 ** 31) * 2 + 1;

/** Mixes a word of 32 bits into a hash: each bit of the word and of those before it tells in many bits of what comes out. */
export function mixWord(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, prime);
  return Math.imul(mixed ^ (mixed >>> 15), secret);
}
