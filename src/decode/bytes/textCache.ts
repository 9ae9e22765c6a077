import { asBuffer } from './hex.ts';

const limit = 1024;

/** Keeps the texts of the last bytes that were asked for: a look-up instead of a hash and a long division. */
export function textCache(make: (bytes: Uint8Array, more: string) => string): typeof make {
  const texts = new Map<string, string>();
  return (bytes, more) => {
    const key = asBuffer(bytes).toString('latin1') + more;
    const known = texts.get(key);
    if (known !== undefined) return known;
    const text = make(bytes, more);
    if (texts.size >= limit) texts.clear();
    texts.set(key, text);
    return text;
  };
}
