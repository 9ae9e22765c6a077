/** A number in [0, 1) that depends on nothing but the seed and the words: the same request meets the same fate in any order of arrival. */
export function chance(seed: number, ...words: readonly (string | number)[]): number {
  let hash = 0x811c9dc5 ^ seed;
  for (const word of words) {
    const text = `${word}\u0000`;
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  // One round of a 32-bit mixer, since FNV leaves its high bits poorly spread.
  hash = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad);
  hash = Math.imul(hash ^ (hash >>> 15), 0x735a2d97);
  return ((hash ^ (hash >>> 15)) >>> 0) / 0x1_0000_0000;
}
