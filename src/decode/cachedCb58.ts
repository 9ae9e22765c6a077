import { encodeCb58 } from './cb58.ts';
import { asBuffer } from './hex.ts';

const LIMIT = 1024;
const cache = new Map<string, string>();

/** cb58 of ids that come again and again (assets, chains, subnets): a look-up instead of a hash and a long division. */
export function cachedCb58(id: Uint8Array): string {
  const key = asBuffer(id).toString('latin1');
  const known = cache.get(key);
  if (known !== undefined) return known;
  const text = encodeCb58(id);
  if (cache.size >= LIMIT) cache.clear();
  cache.set(key, text);
  return text;
}
