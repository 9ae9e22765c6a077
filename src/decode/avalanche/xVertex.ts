import type { Buffer } from 'node:buffer';
import { ByteReader } from '../bytes/byteReader.ts';
import { bytes, id, list, struct, u32, u64 } from './codec.ts';

const stopVersion = 1;
const head = struct({ chainID: id, height: u64 });
const parentIDs = list(id);
const txs = list(bytes());

/** A vertex of the X-Chain's graph, from before the chain became linear (Cortina, 2023-04-25). */
export interface XVertex {
  readonly chainID: Buffer;
  readonly height: bigint;
  /** Always 0 so far; null in a stop vertex. */
  readonly epoch: number | null;
  readonly parentIDs: readonly Buffer[];
  /** Bare transactions with their codec version; null in a stop vertex, which ends the graph and has none. */
  readonly txs: readonly Buffer[] | null;
}

/** Decodes a container of the index X/vtx. Its SHA-256 is the vertex's id. */
export function decodeXVertex(container: Uint8Array): XVertex {
  const reader = new ByteReader(container);
  const version = reader.u16('version of the vertex');
  if (version > stopVersion) throw reader.error(`Unknown version ${version} of a vertex`);
  const { chainID, height } = head.read(reader, 'the vertex');
  const stop = version === stopVersion;
  const epoch = stop ? null : u32.read(reader, 'epoch');
  const parents = parentIDs.read(reader, 'parentIDs');
  const transactions = stop ? null : txs.read(reader, 'txs');
  reader.end('the vertex');
  return { chainID, height, epoch, parentIDs: parents, txs: transactions };
}
