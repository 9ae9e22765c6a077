import type { Buffer } from 'node:buffer';
import { fromHex } from './hex.ts';
import { keccak256Hex } from './keccak256.ts';
import type { RlpReader } from './rlpReader.ts';
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
  /** Items behind the last one known, each in RLP as `0x` hex: a later fork's. They are part of the hash. */
  unknownFields: readonly string[];
}

type Kind = 8 | 20 | 32 | 256 | 'hex' | 'uint64' | 'uint256';
type Field = readonly [name: Exclude<keyof EvmHeader, 'hash' | 'unknownFields'>, kind: Kind];

const REQUIRED: readonly Field[] = [
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
];
const OPTIONAL: readonly Field[] = [
  ['baseFeePerGas', 'uint256'],
  ['extDataGasUsed', 'uint256'],
  ['blockGasCost', 'uint256'],
  ['blobGasUsed', 'uint64'],
  ['excessBlobGas', 'uint64'],
  ['parentBeaconBlockRoot', 32],
  ['timestampMilliseconds', 'uint64'],
  ['minDelayExcess', 'uint64'],
];
const LAYOUT: Record<EvmKind, { required: readonly Field[]; optional: readonly Field[] }> = {
  coreth: { required: [...REQUIRED, ['extDataHash', 32]], optional: OPTIONAL },
  'subnet-evm': { required: REQUIRED, optional: OPTIONAL.filter(([name]) => name !== 'extDataGasUsed') },
};

/** Reads the next item of `reader` as a block header. */
export function readEvmHeader(reader: RlpReader, kind: EvmKind = 'coreth'): EvmHeader {
  const start = reader.offset;
  const items = reader.list('header');
  const header = emptyHeader(keccak256Hex(reader.bytes.subarray(start, reader.offset)));
  const members = header as unknown as Record<string, string | bigint | null>;
  const { required, optional } = LAYOUT[kind];
  for (const [name, shape] of required) members[name] = readField(items, shape, name);
  for (const [name, shape] of optional) {
    if (items.done) break;
    members[name] = readField(items, shape, name);
  }
  const unknown: string[] = [];
  while (!items.done) unknown.push(`0x${items.item('unknown header field').toString('hex')}`);
  header.unknownFields = unknown;
  return header;
}

/** The inverse of `readEvmHeader`. `hash` is not looked at. */
export function encodeEvmHeader(header: EvmHeader, kind: EvmKind = 'coreth'): Buffer {
  const { required, optional } = LAYOUT[kind];
  const items: Buffer[] = [];
  for (const [name] of [...required, ...optional]) {
    const value = header[name];
    if (value === null) break;
    items.push(typeof value === 'bigint' ? rlpUint(value) : rlpHex(value));
  }
  return rlpList([...items, ...header.unknownFields.map(fromHex)]);
}

function readField(items: RlpReader, kind: Kind, name: string): string | bigint {
  if (kind === 'uint64') return items.uint(8, name);
  if (kind === 'uint256') return items.uint(32, name);
  if (kind === 'hex') return items.hex(name);
  return items.fixedHex(kind, name);
}

// All members at once and in one order: headers then share one hidden class, whatever their fork.
function emptyHeader(hash: string): EvmHeader {
  return {
    hash,
    parentHash: '',
    sha3Uncles: '',
    miner: '',
    stateRoot: '',
    transactionsRoot: '',
    receiptsRoot: '',
    logsBloom: '',
    difficulty: 0n,
    number: 0n,
    gasLimit: 0n,
    gasUsed: 0n,
    timestamp: 0n,
    extraData: '',
    mixHash: '',
    nonce: '',
    extDataHash: null,
    baseFeePerGas: null,
    extDataGasUsed: null,
    blockGasCost: null,
    blobGasUsed: null,
    excessBlobGas: null,
    parentBeaconBlockRoot: null,
    timestampMilliseconds: null,
    minDelayExcess: null,
    unknownFields: [],
  };
}
