import { Buffer } from 'node:buffer';
import { ByteReader } from '../bytes/byteReader.ts';
import { encodeCb58 } from '../bytes/cb58.ts';
import { decodeError } from '../bytes/decodeError.ts';
import { sha256 } from '../bytes/hashes.ts';
import { bytes, type Codec, id, list, u32 } from './codec.ts';

const codecVersion = Buffer.alloc(2);

/** A transaction of the P- or X-Chain, or an atomic one of the C-Chain, with its credentials. */
export interface SignedTx<Unsigned, Credential> {
  readonly unsignedTx: Unsigned;
  readonly credentials: readonly Credential[];
  /** SHA-256 of the codec version 0 and the transaction's bytes, credentials included. */
  readonly id: Buffer;
}

/** What nearly every transaction of the P- and X-Chain begins with. */
export const baseFields = <Output, Input>(output: Codec<Output>, input: Codec<Input>) =>
  ({ networkID: u32, blockchainID: id, outputs: list(output), inputs: list(input), memo: bytes() }) as const;

/** The codec of a signed transaction. The id is computed. */
export function signedTx<U, C>(unsignedTx: Codec<U>, credential: Codec<C>): Codec<SignedTx<U, C>> {
  const credentials = list(credential);
  return {
    shape: { kind: 'signedTx', unsignedTx, credential },
    read(reader, name) {
      const start = reader.offset;
      const unsigned = unsignedTx.read(reader, name);
      const signers = credentials.read(reader, 'credentials');
      return { unsignedTx: unsigned, credentials: signers, id: idOf(reader, start) };
    },
    json: (tx, view) => ({
      unsignedTx: unsignedTx.json(tx.unsignedTx, view),
      credentials: credentials.json(tx.credentials, view),
      id: encodeCb58(tx.id),
    }),
  };
}

function idOf(reader: ByteReader, start: number): Buffer {
  // Inside a block the codec version is not repeated, but it is part of what is hashed.
  return sha256(Buffer.concat([codecVersion, reader.bytes.subarray(start, reader.offset)]));
}

/** Id of the UTXO that output `index` of a transaction makes: SHA-256 of the index as u64 and the transaction's id. */
export function utxoId(txId: Uint8Array, index: number): Buffer {
  const bytes = Buffer.alloc(40);
  bytes.writeUInt32BE(index, 4);
  bytes.set(txId, 8);
  return sha256(bytes);
}

/** Reads bytes that are a value behind a codec version, and nothing more. @param name what errors call the value */
export function readWhole<T>(bytes: Uint8Array, codec: Pick<Codec<T>, 'read'>, what: string, name = what): T {
  const reader = new ByteReader(bytes);
  readCodecVersion(reader, what);
  const value = codec.read(reader, name);
  reader.end(what);
  return value;
}

/** Reads the codec version in front of a block, transaction list or message; only version 0 exists. */
export function readCodecVersion(reader: ByteReader, what: string): void {
  const version = reader.u16(`codec version of ${what}`);
  if (version !== 0) throw decodeError(`Unknown codec version ${version} of ${what}`, reader.offset - 2);
}
