import type { EvmEnd, Output } from '../services/primary/primaryTypes.ts';
import { ByteReader } from './byteReader.ts';
import { decodeOutput } from './decodeOutput.ts';

/** An atomic transaction of the C-Chain: an import into accounts or an export from them. */
export interface AtomicTx {
  readonly type: 'ImportTx' | 'ExportTx';
  /** Blockchain id the funds come from or go to. */
  readonly otherChain: string;
  readonly imported: readonly {
    readonly txID: string;
    readonly outputIndex: number;
    readonly assetID: string;
    readonly amount: bigint;
  }[];
  readonly exported: readonly Output[];
  readonly accounts: readonly EvmEnd[];
  readonly credentials: readonly (readonly string[])[];
  /** The bytes that were signed. */
  readonly unsigned: Uint8Array;
}

const transferInput = 5;

/** Decodes the bytes of avax.getAtomicTx, without their checksum. Throws on anything but an import or export. */
export function decodeAtomicTx(bytes: Uint8Array, prefix: string): AtomicTx {
  const reader = new ByteReader(bytes);
  reader.u16();
  const kind = reader.u32();
  if (kind > 1) throw new Error(`atomic transaction type ${kind} is unknown`);
  reader.u32();
  reader.id();
  const otherChain = reader.id();
  const imported = kind === 0 ? reader.list(() => readInput(reader)) : [];
  const accounts = reader.list(() => readAccount(reader, kind === 1));
  const exported = kind === 1 ? reader.list(() => decodeOutput(reader, prefix)) : [];
  const unsigned = bytes.slice(0, reader.at);
  const credentials = reader.list(() => {
    reader.u32();
    return reader.list(() => `0x${reader.take(65).toString('hex')}`);
  });
  return {
    type: kind === 0 ? 'ImportTx' : 'ExportTx',
    otherChain,
    imported,
    exported,
    accounts,
    credentials,
    unsigned,
  };
}

function readInput(reader: ByteReader) {
  const txID = reader.id();
  const outputIndex = reader.u32();
  const assetID = reader.id();
  const type = reader.u32();
  if (type !== transferInput) throw new Error(`input type ${type} is unknown`);
  const amount = reader.u64();
  reader.list(() => reader.u32());
  return { txID, outputIndex, assetID, amount };
}

function readAccount(reader: ByteReader, withNonce: boolean): EvmEnd {
  const address = `0x${reader.take(20).toString('hex')}`;
  const amount = reader.u64();
  const assetId = reader.id();
  if (withNonce) reader.u64();
  return { address, amount, assetId };
}
