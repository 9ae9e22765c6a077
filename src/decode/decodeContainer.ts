import { type CContainerRows, cContainerRows } from './cContainerRows.ts';
import { type PContainerRows, pContainerRows } from './pContainerRows.ts';
import { decodeEnvelope } from './proposervm.ts';
import { type XContainerRows, xContainerRows } from './xContainerRows.ts';

/** The rows of one container, by chain. Times are Unix seconds, amounts bigint, ids cb58, EVM hashes and bytes `0x` hex. */
export type ContainerRows = CContainerRows | PContainerRows | XContainerRows;

export interface ContainerToDecode {
  /** Index that the container comes from, as in its URL. */
  readonly index: 'C/block' | 'P/block' | 'X/block';
  /** The container, checksum stripped (`decodeHexChecksum`). */
  readonly bytes: Uint8Array;
  /** bech32 human-readable part of the network (`hrpOfNetwork`). */
  readonly hrp: string;
}

/**
 * Decodes a container of the index API to rows for the tables `node_containers_{c,p,x}_*`.
 *
 * @throws FirnError `decode` for bytes that are no container of that chain, with the offset of what is wrong
 */
export function decodeContainer({ index, bytes, hrp }: ContainerToDecode): ContainerRows {
  const envelope = decodeEnvelope(bytes);
  switch (index) {
    case 'C/block':
      return cContainerRows(envelope, hrp);
    case 'P/block':
      return pContainerRows(envelope, hrp);
    case 'X/block':
      return xContainerRows(envelope, hrp);
  }
}
