import type { Buffer } from 'node:buffer';
import { keccak256 } from '../bytes/hashes.ts';
import { fromHex, toHex } from '../bytes/hex.ts';
import { RlpFields, type RlpLayout, slotsOf } from './rlpFields.ts';
import type { FieldKind, RlpReader } from './rlpReader.ts';
import { rlpHex, rlpList, rlpUint } from './rlpWriter.ts';

/** `coreth` is the C-Chain's virtual machine; `subnet-evm` that of EVM L1s, whose headers have no extDataHash and extDataGasUsed. */
export type EvmKind = 'coreth' | 'subnet-evm';

/**
 * A block header, with the names of the eth JSON-RPC. Hashes, addresses and bytes are lower-case `0x` hex. A member is null
 * where the header lacks it: before the fork that brought it, or on the other kind of chain.
 */
export interface EvmHeader {
  /** Keccak-256 of the header's RLP: the block hash. */
  hash: string;
  parentHash: string;
  sha3Uncles: string;
  miner: string;
  stateRoot: string;
  transactionsRoot: string;
  receiptsRoot: string;
  logsBloom: string;
  difficulty: bigint;
  number: bigint;
  gasLimit: bigint;
  gasUsed: bigint;
  /** Unix seconds. */
  timestamp: bigint;
  extraData: string;
  mixHash: string;
  nonce: string;
  /** Keccak-256 of the RLP of the block's extra data (C-Chain); zeros before ApricotPhase1. */
  extDataHash: string | null;
  /** Wei; from ApricotPhase3 on. */
  baseFeePerGas: bigint | null;
  /** Gas of the atomic transactions (C-Chain); from ApricotPhase4 on. */
  extDataGasUsed: bigint | null;
  /** From ApricotPhase4 on. */
  blockGasCost: bigint | null;
  /** From Etna on. */
  blobGasUsed: bigint | null;
  excessBlobGas: bigint | null;
  parentBeaconBlockRoot: string | null;
  /** Unix milliseconds; from Granite on. */
  timestampMilliseconds: bigint | null;
  minDelayExcess: bigint | null;
  /** Of the C-Chain, from Helicon on, which executes blocks after they were accepted. */
  targetExponent: bigint | null;
  minPriceExponent: bigint | null;
  /** Height up to which it settles: its state root, receipts root and bloom are those of blocks that were executed since its parent settled. */
  settledHeight: bigint | null;
  settledGasUnix: bigint | null;
  settledGasNumerator: bigint | null;
  settledExcess: bigint | null;
  /** Items behind the last known one, each in RLP as `0x` hex: members that a later fork brought. They are part of the hash. */
  unknownFields: readonly string[];
}

type Field = readonly [name: Exclude<keyof EvmHeader, 'hash' | 'unknownFields'>, kind: FieldKind];

const required: readonly Field[] = [
  ['parentHash', 32],
  ['sha3Uncles', 32],
  ['miner', 20],
  ['stateRoot', 32],
  ['transactionsRoot', 32],
  ['receiptsRoot', 32],
  ['logsBloom', 256],
  ['difficulty', 'uint256'],
  ['number', 'uint64'],
  ['gasLimit', 'uint64'],
  ['gasUsed', 'uint64'],
  ['timestamp', 'uint64'],
  ['extraData', 'hex'],
  ['mixHash', 32],
  ['nonce', 8],
  ['extDataHash', 32],
];
const optional: readonly Field[] = [
  ['baseFeePerGas', 'uint256'],
  ['extDataGasUsed', 'uint256'],
  ['blockGasCost', 'uint256'],
  ['blobGasUsed', 'uint64'],
  ['excessBlobGas', 'uint64'],
  ['parentBeaconBlockRoot', 32],
  ['timestampMilliseconds', 'uint64'],
  ['minDelayExcess', 'uint64'],
];
/** Of the C-Chain alone, from Helicon on. */
const settling: readonly Field[] = [
  ['targetExponent', 'uint64'],
  ['minPriceExponent', 'uint64'],
  ['settledHeight', 'uint64'],
  ['settledGasUnix', 'uint64'],
  ['settledGasNumerator', 'uint64'],
  ['settledExcess', 'uint64'],
];
/** In the order on the wire. */
const members: Readonly<Record<EvmKind, readonly Field[]>> = {
  coreth: [...required, ...optional, ...settling],
  'subnet-evm': [...required, ...optional].filter(([name]) => name !== 'extDataHash' && name !== 'extDataGasUsed'),
};
/** Slots of a header's members. */
export const headerAt = slotsOf(members.coreth.map(([name]) => name));
const headerSlots = Object.keys(headerAt).length;
const layoutOf = (fields: readonly Field[]): RlpLayout => fields.map(([name, kind]) => [headerAt[name], kind, name]);
const layout = { required: layoutOf(required), optional: layoutOf([...optional, ...settling]) };

/** Where the members of a block header stand. */
export interface EvmHeaderFields {
  /** Keccak-256 of the header's RLP: the block hash. */
  readonly hash: Buffer;
  readonly fields: RlpFields;
  /** See `EvmHeader`. */
  readonly unknownFields: readonly string[];
}

/** Reads the next item of `reader` as a block header of the C-Chain, and leaves its members where they stand. */
export function readHeaderFields(reader: RlpReader): EvmHeaderFields {
  const start = reader.offset;
  const items = reader.list('header');
  const hash = keccak256(reader.bytes.subarray(start, reader.offset));
  const fields = new RlpFields(headerSlots);
  fields.begin(reader.bytes);
  fields.read(items, layout.required);
  fields.read(items, layout.optional, true);
  const unknownFields: string[] = [];
  while (!items.done) unknownFields.push(toHex(items.item('unknown header field')));
  return { hash, fields, unknownFields };
}

/** A block header, out of where its members stand. */
export function evmHeader({ hash, fields, unknownFields }: EvmHeaderFields): EvmHeader {
  const header: Record<string, string | bigint | null> = {};
  for (const [name, shape] of members.coreth) {
    const slot = headerAt[name];
    header[name] = shape === 'uint64' || shape === 'uint256' ? fields.uint(slot) : fields.hex(slot);
  }
  return { ...header, hash: toHex(hash), unknownFields } as unknown as EvmHeader;
}

/** The RLP of a block header. `hash` is not looked at. */
export function encodeEvmHeader(header: EvmHeader, kind: EvmKind = 'coreth'): Buffer {
  const items: Buffer[] = [];
  for (const [name] of members[kind]) {
    const value = header[name];
    if (value === null) break;
    items.push(typeof value === 'bigint' ? rlpUint(value) : rlpHex(value));
  }
  return rlpList([...items, ...header.unknownFields.map(fromHex)]);
}
