import { Buffer } from 'node:buffer';
import { rlpHex, rlpList, rlpString, rlpUint } from './rlpWriter.ts';

/** The parts of a receipt that are hashed; hashes, addresses and bytes are `0x` hex. */
export interface EvmReceipt {
  /** Type of the transaction. */
  readonly type: number;
  /** 1 success, 0 failed; null before Byzantium. */
  readonly status: number | null;
  /** State root in place of the status, before Byzantium. */
  readonly root: string | null;
  readonly cumulativeGasUsed: bigint;
  readonly bloom: Uint8Array;
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[];
}

/** The consensus (EIP-2718) bytes of a receipt, as they stand in the trie of a block's receipts. */
export function encodeReceipt({ type, status, root, cumulativeGasUsed, bloom, logs }: EvmReceipt): Buffer {
  const outcome = status === null ? rlpHex(root ?? '0x') : rlpUint(BigInt(status));
  const entries = logs.map(({ address, topics, data }) =>
    rlpList([rlpHex(address), rlpList(topics.map(rlpHex)), rlpHex(data)]),
  );
  const body = rlpList([outcome, rlpUint(cumulativeGasUsed), rlpString(bloom), rlpList(entries)]);
  return type === 0 ? body : Buffer.concat([Buffer.of(type), body]);
}
