import { sha256 } from '../../load/sha256.ts';

/** Names that Windows keeps for devices, whatever follows behind a point. */
const devices = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * The name of an operation's file, without an extension. The service chooses ids freely: what is no plain id (as UUIDs are) is
 * named by its hash, so that no id leads elsewhere, is too long, or shares its file with another, also where file systems take
 * capitals for small letters.
 */
export function fileNameOf(operationId: string): string {
  if (/^[a-z\d][a-z\d_-]{0,79}$/.test(operationId) && !devices.test(operationId)) return operationId;
  const readable = operationId.replace(/[^a-z\d]+/gi, '_').slice(0, 40);
  // JSON keeps halves of surrogate pairs apart, which are all the same in UTF-8.
  return `${readable}~${sha256(JSON.stringify(operationId))}`;
}
