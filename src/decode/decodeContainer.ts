import { FirnError } from '../core/firnError.ts';
import { cContainerRows } from './cContainerRows.ts';
import type { CContainerRows } from './cRows.ts';
import { pContainerRows } from './pContainerRows.ts';
import type { PContainerRows } from './pRows.ts';
import { decodeEnvelope, type Envelope } from './proposervm.ts';
import { xBlockRows, xTransactionRows, xVertexRows } from './xContainerRows.ts';
import type { XContainerRows } from './xRows.ts';

/** The rows of one container, by chain. Times are Unix seconds, amounts bigint, ids cb58, EVM hashes and bytes `0x` hex. */
export type ContainerRows = CContainerRows | PContainerRows | XContainerRows;

/** The five indexes of a node. X/tx and X/vtx end where the X-Chain became linear; their containers have no envelope. */
export type ContainerIndex = 'C/block' | 'P/block' | 'X/block' | 'X/tx' | 'X/vtx';

export interface ContainerToDecode {
  /** Index that the container comes from, as in its URL. */
  readonly index: ContainerIndex;
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
  switch (index) {
    case 'C/block':
      return fromEnvelope(bytes, hrp, cContainerRows);
    case 'P/block':
      return fromEnvelope(bytes, hrp, pContainerRows);
    case 'X/block':
      return fromEnvelope(bytes, hrp, xBlockRows);
    case 'X/tx':
      return xTransactionRows(bytes, hrp);
    case 'X/vtx':
      return xVertexRows(bytes, hrp);
  }
}

function fromEnvelope<Rows>(bytes: Uint8Array, hrp: string, rowsOf: (envelope: Envelope, hrp: string) => Rows): Rows {
  const envelope = decodeEnvelope(bytes);
  try {
    return rowsOf(envelope, hrp);
  } catch (error) {
    if (!(error instanceof FirnError) || envelope.form !== 'raw') throw error;
    // A damaged envelope looks like a bare block: say what was wrong with both.
    const message = `Neither an envelope (${envelope.reason}) nor a bare block: ${error.message}`;
    throw new FirnError(error.code, message, { context: error.context, cause: error });
  }
}
