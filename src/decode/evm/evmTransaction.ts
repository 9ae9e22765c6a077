import { Buffer } from 'node:buffer';
import { decodeError } from '../bytes/decodeError.ts';
import { keccak256Hex } from '../bytes/hashes.ts';
import { asBuffer } from '../bytes/hex.ts';
import { RlpFields, type RlpLayout, slotsOf } from './rlpFields.ts';
import { type FieldKind, RlpReader } from './rlpReader.ts';
import { rlpHex, rlpList, rlpUint } from './rlpWriter.ts';

interface AccessListEntry {
  readonly address: string;
  readonly storageKeys: readonly string[];
}

/**
 * An EVM transaction. Hashes, addresses and bytes are lower-case `0x` hex, amounts are wei. Members that a type does not have are
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

/** Slots of a transaction's members, of all types. */
export const txAt = slotsOf([
  'chainId',
  'nonce',
  'gasPrice',
  'maxPriorityFeePerGas',
  'maxFeePerGas',
  'gasLimit',
  'to',
  'value',
  'input',
  'accessList',
  'maxFeePerBlobGas',
  'blobVersionedHashes',
  'v',
  'r',
  's',
]);

/** How many slots there are. */
export const txSlots = Object.keys(txAt).length;

const price: RlpLayout = [[txAt.gasPrice, 'uint256', 'gas price']];
const dynamicFee: RlpLayout = [
  [txAt.maxPriorityFeePerGas, 'uint256', 'max priority fee'],
  [txAt.maxFeePerGas, 'uint256', 'max fee'],
];
const call = (to: FieldKind): RlpLayout => [
  [txAt.gasLimit, 'uint64', 'gas limit'],
  [txAt.to, to, 'to'],
  [txAt.value, 'uint256', 'value'],
  [txAt.input, 'hex', 'input'],
];
const nonce: RlpLayout = [[txAt.nonce, 'uint64', 'nonce']];
const typed: RlpLayout = [[txAt.chainId, 'uint256', 'chain id'], ...nonce];
const access: RlpLayout = [[txAt.accessList, 'accessList', 'access list']];
const blobs: RlpLayout = [
  [txAt.maxFeePerBlobGas, 'uint256', 'max fee per blob gas'],
  [txAt.blobVersionedHashes, 'hashes', 'blob hashes'],
];
const signature = (v: FieldKind, said: string): RlpLayout => [
  [txAt.v, v, said],
  [txAt.r, 'uint256', 'r'],
  [txAt.s, 'uint256', 's'],
];

/** By type, legacy first. */
const layouts: readonly RlpLayout[] = [
  [...nonce, ...price, ...call('address'), ...signature('uint256', 'v')],
  [...typed, ...price, ...call('address'), ...access, ...signature('uint8', 'y parity')],
  [...typed, ...dynamicFee, ...call('address'), ...access, ...signature('uint8', 'y parity')],
  [...typed, ...dynamicFee, ...call(20), ...access, ...blobs, ...signature('uint8', 'y parity')],
];

/** The canonical bytes of the next item of a block's transaction list: a list (legacy) or a string (typed). */
export const transactionItem = (items: RlpReader): Buffer =>
  items.atList ? items.item('transaction') : items.string('transaction');

/**
 * Reads where the members of a transaction stand in its canonical (EIP-2718) bytes. One of an unknown type has none.
 *
 * @returns its type
 */
export function readTransactionFields(bytes: Uint8Array, fields: RlpFields): number {
  const type = typeOf(bytes);
  fields.begin(asBuffer(bytes));
  const layout = layouts[type];
  if (layout === undefined) return type;
  const outer = new RlpReader(fields.bytes, type === 0 ? 0 : 1);
  const items = outer.list('transaction');
  outer.finish('the transaction');
  fields.read(items, layout);
  items.finish('the transaction');
  return type;
}

function typeOf(bytes: Uint8Array): number {
  const first = bytes[0];
  if (first !== undefined && first >= 0xc0) return 0;
  if (first !== undefined && first > 0 && first < 0x80) return first;
  throw decodeError(`Expected an RLP list or a transaction type (1 to 127), found ${first ?? 'nothing'}`, 0);
}

/** Decodes the canonical (EIP-2718) bytes of one transaction. */
export function decodeEvmTransaction(bytes: Uint8Array): EvmTransaction {
  const fields = new RlpFields(txSlots);
  const type = readTransactionFields(bytes, fields);
  const v = fields.uint(txAt.v);
  return {
    hash: keccak256Hex(bytes),
    type,
    raw: fields.bytes,
    chainId: type === 0 ? signedChainId(fields) : fields.uint(txAt.chainId),
    nonce: fields.uint(txAt.nonce),
    gasPrice: fields.uint(txAt.gasPrice),
    maxFeePerGas: fields.uint(txAt.maxFeePerGas),
    maxPriorityFeePerGas: fields.uint(txAt.maxPriorityFeePerGas),
    gasLimit: fields.uint(txAt.gasLimit),
    to: fields.isEmpty(txAt.to) ? null : fields.hex(txAt.to),
    value: fields.uint(txAt.value),
    input: fields.hex(txAt.input),
    accessList: accessListOf(fields),
    maxFeePerBlobGas: fields.uint(txAt.maxFeePerBlobGas),
    blobVersionedHashes: blobHashesOf(fields),
    v,
    yParity: v === null ? null : type === 0 ? parityOf(v) : Number(v),
    r: fields.uint(txAt.r),
    s: fields.uint(txAt.s),
  };
}

/** The chain id inside of a legacy signature (EIP-155); null before it. */
export function signedChainId(fields: RlpFields): bigint | null {
  const v = fields.uint(txAt.v);
  return v !== null && v >= 35n ? (v - 35n) >> 1n : null;
}

const parityOf = (v: bigint): number | null =>
  v === 27n || v === 28n ? Number(v - 27n) : v >= 35n ? Number((v - 35n) & 1n) : null;

/** The access list; null where the type has none. */
export const accessListOf = (fields: RlpFields): readonly AccessListEntry[] | null =>
  fields.has(txAt.accessList) ? readAccessList(fields.list(txAt.accessList)) : null;

/** Versioned hashes of the blobs; null where the type has none. */
export const blobHashesOf = (fields: RlpFields): readonly string[] | null =>
  fields.has(txAt.blobVersionedHashes) ? readHashes(fields.list(txAt.blobVersionedHashes)) : null;

function readAccessList(items: RlpReader): AccessListEntry[] {
  const entries: AccessListEntry[] = [];
  while (!items.done) {
    const entry = items.list('access list entry');
    entries.push({ address: entry.fixedHex(20, 'address'), storageKeys: readHashes(entry.list('storage keys')) });
  }
  return entries;
}

function readHashes(items: RlpReader): string[] {
  const hashes: string[] = [];
  while (!items.done) hashes.push(items.fixedHex(32, 'hash'));
  return hashes;
}

/** The inverse of `decodeEvmTransaction`, from the members and not from `raw` (except for an unknown type). */
export function encodeEvmTransaction(tx: EvmTransaction): Buffer {
  const { chainId, nonce, gasLimit, value, input, v, r, s } = tx;
  if (nonce === null || gasLimit === null || value === null || input === null || v === null || r === null || s === null)
    return tx.raw;
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
