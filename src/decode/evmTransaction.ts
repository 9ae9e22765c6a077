import { Buffer } from 'node:buffer';
import { decodeError } from './decodeError.ts';
import { keccak256Hex } from './keccak256.ts';
import { RlpReader } from './rlpReader.ts';
import { rlpHex, rlpList, rlpString, rlpUint } from './rlpWriter.ts';

interface AccessListEntry {
  readonly address: string;
  readonly storageKeys: readonly string[];
}

/**
 * An EVM transaction. Hashes, addresses and bytes are lower-case `0x` hex, amounts are wei. What a type does not have is
 * null; of an unknown type only `hash`, `type` and `raw` are known.
 */
export interface EvmTransaction {
  /** Keccak-256 of `raw`. */
  readonly hash: string;
  /** 0 legacy, 1 access list (EIP-2930), 2 dynamic fee (EIP-1559), 3 blob (EIP-4844). */
  readonly type: number;
  /** The canonical (EIP-2718) bytes. */
  readonly raw: Buffer;
  /** Null in a legacy transaction without replay protection. */
  readonly chainId: bigint | null;
  readonly nonce: bigint | null;
  readonly gasPrice: bigint | null;
  readonly maxFeePerGas: bigint | null;
  readonly maxPriorityFeePerGas: bigint | null;
  readonly gasLimit: bigint | null;
  /** Null also when the transaction creates a contract. */
  readonly to: string | null;
  readonly value: bigint | null;
  readonly input: string | null;
  readonly accessList: readonly AccessListEntry[] | null;
  readonly maxFeePerBlobGas: bigint | null;
  readonly blobVersionedHashes: readonly string[] | null;
  /** As on the wire: legacy 27, 28 or chain id x 2 + 35 or 36; otherwise 0 or 1. */
  readonly v: bigint | null;
  readonly yParity: number | null;
  readonly r: bigint | null;
  readonly s: bigint | null;
}

/** Reads the next item of a block's transaction list: a list (legacy) or a string (typed). */
export function readEvmTransaction(items: RlpReader): EvmTransaction {
  return decodeEvmTransaction(items.atList ? items.item('transaction') : items.string('transaction'));
}

/** Decodes the canonical (EIP-2718) bytes of one transaction. */
export function decodeEvmTransaction(bytes: Uint8Array): EvmTransaction {
  const reader = new RlpReader(bytes);
  const raw = reader.bytes;
  const hash = keccak256Hex(raw);
  if (reader.atList) return readLegacy(reader, hash);
  const type = raw[0];
  if (type === 1 || type === 2 || type === 3) return readTyped(new RlpReader(raw, 1), type, hash);
  if (type === undefined || type === 0 || type >= 0x80) {
    throw decodeError(`Expected an RLP list or a transaction type (1 to 127), found ${type ?? 'nothing'}`, 0);
  }
  return { ...NONE, hash, type, raw };
}

function readLegacy(reader: RlpReader, hash: string): EvmTransaction {
  const f = reader.list('transaction');
  reader.finish('the transaction');
  const nonce = f.uint(8, 'nonce');
  const gasPrice = f.uint(32, 'gas price');
  const gasLimit = f.uint(8, 'gas limit');
  const to = f.addressOrNull('to');
  const value = f.uint(32, 'value');
  const input = f.hex('input');
  const v = f.uint(32, 'v');
  const r = f.uint(32, 'r');
  const s = f.uint(32, 's');
  f.finish('the transaction');
  const chainId = v >= 35n ? (v - 35n) >> 1n : null;
  const yParity = v === 27n || v === 28n ? Number(v - 27n) : v >= 35n ? Number((v - 35n) & 1n) : null;
  // All members in one literal: spread into a bigger one, they would cost more than all the rest.
  return {
    hash,
    type: 0,
    raw: reader.bytes,
    chainId,
    nonce,
    gasPrice,
    maxFeePerGas: null,
    maxPriorityFeePerGas: null,
    gasLimit,
    to,
    value,
    input,
    accessList: null,
    maxFeePerBlobGas: null,
    blobVersionedHashes: null,
    v,
    yParity,
    r,
    s,
  };
}

function readTyped(reader: RlpReader, type: 1 | 2 | 3, hash: string): EvmTransaction {
  const f = reader.list('transaction');
  reader.finish('the transaction');
  const chainId = f.uint(32, 'chain id');
  const nonce = f.uint(8, 'nonce');
  const maxPriorityFeePerGas = type === 1 ? null : f.uint(32, 'max priority fee');
  const price = f.uint(32, type === 1 ? 'gas price' : 'max fee');
  const gasLimit = f.uint(8, 'gas limit');
  const to = type === 3 ? f.fixedHex(20, 'to') : f.addressOrNull('to');
  const value = f.uint(32, 'value');
  const input = f.hex('input');
  const accessList = readAccessList(f.list('access list'));
  const maxFeePerBlobGas = type === 3 ? f.uint(32, 'max fee per blob gas') : null;
  const blobVersionedHashes = type === 3 ? readHashes(f.list('blob hashes')) : null;
  const v = f.uint(1, 'y parity');
  const r = f.uint(32, 'r');
  const s = f.uint(32, 's');
  f.finish('the transaction');
  return {
    hash,
    type,
    raw: reader.bytes,
    chainId,
    nonce,
    gasPrice: type === 1 ? price : null,
    maxFeePerGas: type === 1 ? null : price,
    maxPriorityFeePerGas,
    gasLimit,
    to,
    value,
    input,
    accessList,
    maxFeePerBlobGas,
    blobVersionedHashes,
    v,
    yParity: Number(v),
    r,
    s,
  };
}

function readAccessList(items: RlpReader): AccessListEntry[] {
  const entries: AccessListEntry[] = [];
  while (!items.done) {
    const entry = items.list('access list entry');
    entries.push({ address: entry.fixedHex(20, 'address'), storageKeys: readHashes(entry.list('storage keys')) });
    entry.finish('the access list entry');
  }
  return entries;
}

function readHashes(items: RlpReader): string[] {
  const hashes: string[] = [];
  while (!items.done) hashes.push(items.fixedHex(32, 'hash'));
  return hashes;
}

/** The inverse of `decodeEvmTransaction`, from the members and not from `raw` (but for an unknown type). */
export function encodeEvmTransaction(tx: EvmTransaction): Buffer {
  const { chainId, nonce, gasLimit, value, input, v, r, s } = tx;
  if (
    nonce === null ||
    gasLimit === null ||
    value === null ||
    input === null ||
    v === null ||
    r === null ||
    s === null
  ) {
    return tx.raw;
  }
  const price = tx.gasPrice ?? tx.maxFeePerGas ?? 0n;
  const call = [rlpUint(price), rlpUint(gasLimit), rlpHex(tx.to ?? '0x'), rlpUint(value), rlpHex(input)];
  const signature = [rlpUint(v), rlpUint(r), rlpUint(s)];
  if (tx.type === 0) return rlpList([rlpUint(nonce), ...call, ...signature]);
  const tip = tx.maxPriorityFeePerGas === null ? [] : [rlpUint(tx.maxPriorityFeePerGas)];
  const access = rlpList(
    (tx.accessList ?? []).map((entry) => rlpList([rlpHex(entry.address), rlpList(entry.storageKeys.map(rlpHex))])),
  );
  const blobs =
    tx.maxFeePerBlobGas === null
      ? []
      : [rlpUint(tx.maxFeePerBlobGas), rlpList((tx.blobVersionedHashes ?? []).map(rlpHex))];
  const fields = [rlpUint(chainId ?? 0n), rlpUint(nonce), ...tip, ...call, access, ...blobs, ...signature];
  return Buffer.concat([Buffer.of(tx.type), rlpList(fields)]);
}

/** A transaction as an item of a block's transaction list: legacy as it is, typed as a string. */
export function encodeTransactionItem(tx: EvmTransaction): Buffer {
  const bytes = encodeEvmTransaction(tx);
  return (bytes[0] as number) >= 0xc0 ? bytes : rlpString(bytes);
}

const NONE: Omit<EvmTransaction, 'hash' | 'type' | 'raw'> = {
  chainId: null,
  nonce: null,
  gasPrice: null,
  maxFeePerGas: null,
  maxPriorityFeePerGas: null,
  gasLimit: null,
  to: null,
  value: null,
  input: null,
  accessList: null,
  maxFeePerBlobGas: null,
  blobVersionedHashes: null,
  v: null,
  yParity: null,
  r: null,
  s: null,
};
