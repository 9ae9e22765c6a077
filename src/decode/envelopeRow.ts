import { encodeCb58 } from './cb58.ts';
import { nodeIdOfCertificate } from './nodeId.ts';
import type { Envelope } from './proposervm.ts';
import { unixSeconds } from './unixSeconds.ts';

/** What the proposervm's envelope says; part of every block row. All but form and ids are null where there is no envelope. */
export interface EnvelopeRow {
  /** cb58; the id that the index API gives to the container. */
  readonly container_id: string;
  /** `raw` (no envelope, before ApricotPhase4), `block` (type 0), `option` (type 1), `granite` (type 2). */
  readonly container_form: string;
  /** cb58; the parent's container id. Of a raw C-Chain container it is the parent's block hash in cb58. */
  readonly container_parent_id: string;
  /** Unix seconds: the time that the proposer stamped. */
  readonly proposer_timestamp: number | null;
  /** P-Chain height whose validators might propose the block. */
  readonly p_chain_height: bigint | null;
  /** `NodeID-…` of the proposer, from its certificate; null also in an unsigned block. */
  readonly proposer_node_id: string | null;
  readonly is_signed: boolean;
  /** P-Chain height of the block's epoch; the epoch members are of Granite containers only. */
  readonly epoch_p_chain_height: bigint | null;
  readonly epoch_number: bigint | null;
  /** Unix seconds. */
  readonly epoch_start_time: number | null;
}

/** `innerId` and `innerParentId` are the inner block's: a bare block has no others. */
export function envelopeRow(envelope: Envelope, innerId: Uint8Array, innerParentId: Uint8Array): EnvelopeRow {
  const bare = envelope.form === 'raw';
  const proposed = envelope.form === 'block' || envelope.form === 'granite' ? envelope : null;
  const epoch = proposed?.epoch ?? null;
  const certified = proposed !== null && proposed.certificate.length > 0;
  return {
    container_id: encodeCb58(bare ? innerId : envelope.id),
    container_form: envelope.form,
    container_parent_id: encodeCb58(bare ? innerParentId : envelope.parentId),
    proposer_timestamp: proposed && unixSeconds(proposed.timestamp, 'timestamp of the envelope'),
    p_chain_height: proposed?.pChainHeight ?? null,
    proposer_node_id: certified ? nodeIdOfCertificate(proposed.certificate) : null,
    is_signed: proposed !== null && proposed.signature.length > 0,
    epoch_p_chain_height: epoch?.pChainHeight ?? null,
    epoch_number: epoch?.number ?? null,
    epoch_start_time: epoch && unixSeconds(epoch.startTime, 'start time of the epoch'),
  };
}
