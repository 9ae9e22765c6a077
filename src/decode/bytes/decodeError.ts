import { FirnError } from '../../core/firnError.ts';

/**
 * The error of bytes that are not what they should be. `offset` counts from the first byte of the text or bytes given
 * to the outermost decoder, so that it can be found in a hex dump of the quarantined record.
 */
export function decodeError(what: string, offset: number): FirnError {
  return new FirnError('decode', `${what} (byte offset ${offset})`, { context: { offset } });
}
