import { encodeCb58 } from './cb58.ts';
import { textCache } from './textCache.ts';

const cached = textCache(encodeCb58);

/** cb58 of ids that come again: assets, chains, subnets, and blocks as parents. */
export const cachedCb58 = (id: Uint8Array): string => cached(id, '');
