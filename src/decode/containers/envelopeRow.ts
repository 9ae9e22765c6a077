import { z } from 'zod';
import { boolean, int64, optional, text, unixSeconds } from '../../core/columns/columns.ts';
import type { DecodedRow, Filling } from '../../core/rows/rowWriter.ts';
import type { Envelope } from '../avalanche/envelope.ts';
import { cachedCb58 } from '../bytes/cb58.ts';
import { nodeIdOfCertificate } from '../bytes/nodeId.ts';
import { blockTime } from '../bytes/numbers.ts';

const envelope = z.object({
  container_id: text('Id of the container (cb58), recomputed from its bytes.'),
  container_form: text('raw (no envelope, before ApricotPhase4), block (type 0), option (1), granite (2).'),
  container_parent_id: text("Container id of the parent (cb58); of a raw block its parent block's id."),
  proposer_timestamp: optional(unixSeconds('Time that the proposer stamped.')),
  p_chain_height: optional(
    int64('P-Chain height that the proposer named; its validators may propose the block behind this one.'),
  ),
  proposer_node_id: optional(text('NodeID of the proposer, from its certificate; NULL in an unsigned block.')),
  is_signed: boolean('Whether the container carries a signature.'),
  epoch_p_chain_height: optional(int64("P-Chain height of the block's epoch (Granite).")),
  epoch_number: optional(int64('Number of the epoch (Granite).')),
  epoch_start_time: optional(unixSeconds('Start of the epoch (Granite).')),
});

/** What the proposervm's envelope says of a block, as columns of every table of blocks; NULL where there is no envelope. */
export const envelopeColumns = envelope.shape;

type EnvelopeRow = DecodedRow<typeof envelope>;

/** `innerId` and `innerParentId` are the inner block's: a bare block has no others. */
export function envelopeRow(container: Envelope, innerId: Uint8Array, innerParentId: Uint8Array): EnvelopeRow {
  const bare = container.form === 'raw';
  const proposed = container.form === 'block' || container.form === 'granite' ? container : null;
  const epoch = proposed?.epoch ?? null;
  const certified = proposed !== null && proposed.certificate.length > 0;
  return {
    container_id: cachedCb58(bare ? innerId : container.id),
    container_form: container.form,
    container_parent_id: cachedCb58(bare ? innerParentId : container.parentId),
    proposer_timestamp: proposed && blockTime(proposed.timestamp, 'timestamp of the envelope'),
    p_chain_height: proposed?.pChainHeight ?? null,
    proposer_node_id: certified ? nodeIdOfCertificate(proposed.certificate) : null,
    is_signed: proposed !== null && proposed.signature.length > 0,
    epoch_p_chain_height: epoch?.pChainHeight ?? null,
    epoch_number: epoch?.number ?? null,
    epoch_start_time: epoch && blockTime(epoch.startTime, 'start time of the epoch'),
  };
}

/** Fills the envelope's columns of a block that is written column by column. */
export const envelopeFilling: Filling<typeof envelope, { readonly envelope: EnvelopeRow }> = {
  container_id: (cell, block) => cell.text(block.envelope.container_id),
  container_form: (cell, block) => cell.text(block.envelope.container_form),
  container_parent_id: (cell, block) => cell.text(block.envelope.container_parent_id),
  proposer_timestamp: (cell, block) => cell.seconds(block.envelope.proposer_timestamp),
  p_chain_height: (cell, block) => cell.integer(block.envelope.p_chain_height),
  proposer_node_id: (cell, block) => cell.text(block.envelope.proposer_node_id),
  is_signed: (cell, block) => cell.boolean(block.envelope.is_signed),
  epoch_p_chain_height: (cell, block) => cell.integer(block.envelope.epoch_p_chain_height),
  epoch_number: (cell, block) => cell.integer(block.envelope.epoch_number),
  epoch_start_time: (cell, block) => cell.seconds(block.envelope.epoch_start_time),
};
