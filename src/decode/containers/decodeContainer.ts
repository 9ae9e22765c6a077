import { FirnError } from '../../core/firnError.ts';
import { decodeEnvelope, type Envelope } from '../avalanche/envelope.ts';
import { addCContainer } from './addCContainer.ts';
import type { ContainerRows } from './containerRows.ts';
import type { DecodedIds } from './decodedIds.ts';
import { addPContainer } from './pContainerRows.ts';
import { addXBlock, addXTransaction, addXVertex } from './xContainerRows.ts';

/** The five indexes of a node. X/tx and X/vtx end where the X-Chain became linear; their containers have no envelope. */
export type ContainerIndex = 'C/block' | 'P/block' | 'X/block' | 'X/tx' | 'X/vtx';

export interface ContainerToDecode {
  /** Index that the container comes from, as in its URL. */
  readonly index: ContainerIndex;
  /** The container, checksum stripped (`decodeHexChecksum`). */
  readonly bytes: Uint8Array;
  /** bech32 prefix of the network's addresses. */
  readonly hrp: string;
}

/**
 * Decodes a container of the index API, and adds its rows to the tables `containers_{c,p,x}_*`.
 *
 * @throws FirnError `decode` for bytes that are no container of that chain, with the offset of what is wrong, and for an integer that no
 * column can hold; rows that were added before are then to be taken back
 */
export function decodeContainer({ index, bytes, hrp }: ContainerToDecode, into: ContainerRows): DecodedIds {
  switch (index) {
    case 'C/block':
      return fromEnvelope(bytes, (envelope) => addCContainer(envelope, hrp, into));
    case 'P/block':
      return fromEnvelope(bytes, (envelope) => addPContainer(envelope, hrp, into));
    case 'X/block':
      return fromEnvelope(bytes, (envelope) => addXBlock(envelope, hrp, into));
    case 'X/tx':
      return addXTransaction(bytes, hrp, into);
    case 'X/vtx':
      return addXVertex(bytes, hrp, into);
  }
}

function fromEnvelope(bytes: Uint8Array, add: (envelope: Envelope) => DecodedIds): DecodedIds {
  const envelope = decodeEnvelope(bytes);
  try {
    return add(envelope);
  } catch (error) {
    // A value that was decoded but fits no column is not damage.
    if (!(error instanceof FirnError) || envelope.form !== 'raw' || !('offset' in error.context)) throw error;
    // A damaged envelope looks like a bare block: say what was wrong with both.
    const message = `Neither an envelope (${envelope.reason}) nor a bare block: ${error.message}`;
    throw new FirnError(error.code, message, { context: error.context, cause: error });
  }
}
