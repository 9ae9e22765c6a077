import { decodeCb58 } from '../../src/index.ts';

/** Whether a text is 32 bytes in cb58. */
export function isBlockchainId(text: string): boolean {
  try {
    return decodeCb58(text).length === 32;
  } catch {
    return false;
  }
}
