import type { Buffer } from 'node:buffer';
import { FirnError } from '../../core/firnError.ts';
import { ByteReader } from '../bytes/byteReader.ts';
import { decodeError } from '../bytes/decodeError.ts';
import { sha256 } from '../bytes/hashes.ts';

const codecVersion = 0;
const block = 0;
const option = 1;
const graniteBlock = 2;

/** Epoch of the P-Chain view that a Granite block was made with. */
interface Epoch {
  readonly pChainHeight: bigint;
  readonly number: bigint;
  /** Unix seconds. */
  readonly startTime: bigint;
}

/** A proposervm block that names when, and usually by whom, the inner block was proposed (types 0 and 2). */
export interface ProposedEnvelope {
  /** `block` before Granite (type 0), `granite` from Granite on (type 2). */
  readonly form: 'block' | 'granite';
  /** Container id: SHA-256 of the container without the length-prefixed signature at its end. */
  readonly id: Buffer;
  /** Container id of the parent. */
  readonly parentId: Buffer;
  /** Unix seconds. */
  readonly timestamp: bigint;
  readonly pChainHeight: bigint;
  /** The proposer's X.509 leaf in DER; empty in an unsigned block. */
  readonly certificate: Buffer;
  readonly inner: Buffer;
  /** Only of form `granite`. */
  readonly epoch: Epoch | null;
  /** PKCS#1 v1.5 (RSA) or DER (ECDSA); empty in an unsigned block. */
  readonly signature: Buffer;
}

/** The child of an oracle block, a commit or abort of the P-Chain (type 1): it has no proposer of its own. */
interface OptionEnvelope {
  readonly form: 'option';
  /** SHA-256 of the whole container. */
  readonly id: Buffer;
  readonly parentId: Buffer;
  readonly inner: Buffer;
}

/** A container from before ApricotPhase4: the bare inner block. Its id is the inner block's own. */
interface RawEnvelope {
  readonly form: 'raw';
  readonly inner: Buffer;
  /** Why the bytes are no envelope; what is wrong with a damaged one. */
  readonly reason: string;
}

export type Envelope = ProposedEnvelope | OptionEnvelope | RawEnvelope;

/**
 * Takes the proposervm's envelope off a container (checksum already stripped).
 *
 * A bare block is not marked as such: a P-Chain block of the types 0 to 2 begins with the very bytes of the envelopes 0 to 2.
 * What tells them apart is the length: bytes that do not form an envelope ending exactly at the last byte are a bare block.
 */
export function decodeEnvelope(container: Uint8Array): Envelope {
  const reader = new ByteReader(container);
  try {
    return readEnvelope(reader);
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    if (reader.bytes.length === 0) throw decodeError('The container is empty', 0);
    return { form: 'raw', inner: reader.bytes, reason: error.message };
  }
}

function readEnvelope(reader: ByteReader): ProposedEnvelope | OptionEnvelope {
  const version = reader.u16('codec version of the envelope');
  if (version !== codecVersion) throw reader.error(`Unknown codec version ${version} of the envelope`);
  const type = reader.u32('type of the envelope');
  if (type !== block && type !== option && type !== graniteBlock) throw reader.error(`Unknown envelope type ${type}`);
  const parentId = reader.fixed(32, 'parent id of the envelope');
  if (type === option) {
    const inner = readInner(reader);
    reader.end('the option');
    return { form: 'option', id: sha256(reader.bytes), parentId, inner };
  }
  const timestamp = reader.i64('timestamp of the envelope');
  const pChainHeight = reader.u64('P-Chain height of the envelope');
  const certificate = reader.prefixed('certificate');
  const inner = readInner(reader);
  const epoch = type === graniteBlock ? readEpoch(reader) : null;
  const id = sha256(reader.bytes.subarray(0, reader.offset));
  const signature = reader.prefixed('signature');
  reader.end('the signature');
  const form = type === graniteBlock ? 'granite' : 'block';
  return { form, id, parentId, timestamp, pChainHeight, certificate, inner, epoch, signature };
}

function readInner(reader: ByteReader): Buffer {
  const inner = reader.prefixed('inner block');
  if (inner.length === 0) throw reader.error('The inner block is empty');
  return inner;
}

function readEpoch(reader: ByteReader): Epoch {
  return {
    pChainHeight: reader.u64('P-Chain height of the epoch'),
    number: reader.u64('number of the epoch'),
    startTime: reader.i64('start time of the epoch'),
  };
}
