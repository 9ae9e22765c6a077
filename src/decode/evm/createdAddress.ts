import { keccak256 } from '../bytes/hashes.ts';
import { rlpHex, rlpList, rlpUint } from './rlpWriter.ts';

/** Address of the contract that a transaction without receiver creates, lower-case `0x` hex. */
export function createdAddress(sender: string, nonce: bigint): string {
  return `0x${keccak256(rlpList([rlpHex(sender), rlpUint(nonce)])).toString('hex', 12)}`;
}
