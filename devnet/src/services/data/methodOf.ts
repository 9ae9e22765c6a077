import { keccak256 } from '../../codec/hashes.ts';
import type { EvmTransaction } from '../evm/evmHistory.ts';

/** Signatures the service can name; others are given by their hash alone. */
const signatures = [
  'transfer(address,uint256)',
  'approve(address,uint256)',
  'transferFrom(address,address,uint256)',
  'mint(address,uint256)',
  'burn(uint256)',
  'safeTransferFrom(address,address,uint256,uint256,bytes)',
  'safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)',
  'setApprovalForAll(address,bool)',
];

const names = new Map(
  signatures.map((signature) => [
    `0x${Buffer.from(keccak256(new TextEncoder().encode(signature)).subarray(0, 4)).toString('hex')}`,
    signature,
  ]),
);

/** What a transaction calls. `methodHash` is empty unless a contract is called. */
export function methodOf({ to, input }: EvmTransaction): object {
  if (to === null) return { callType: 'CONTRACT_CREATION', methodHash: '', methodName: 'Contract Created' };
  if (input === '0x') return { callType: 'NATIVE_TRANSFER', methodHash: '', methodName: 'Native Transfer' };
  const methodHash = input.slice(0, 10);
  const methodName = names.get(methodHash);
  return { callType: 'CONTRACT_CALL', methodHash, ...(methodName === undefined ? {} : { methodName }) };
}
