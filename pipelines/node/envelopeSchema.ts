import { boolean, int64, optional, text, unixSeconds } from '../../src/index.ts';

/** What the proposervm's envelope says of a block; NULL where there is no envelope. */
export const envelope = {
  container_id: text('Id of the container (cb58), recomputed from its bytes.'),
  container_form: text('raw (no envelope, before ApricotPhase4), block (type 0), option (1), granite (2).'),
  container_parent_id: text("Container id of the parent (cb58); of a raw block its parent block's id."),
  proposer_timestamp: optional(unixSeconds('Time that the proposer stamped.')),
  p_chain_height: optional(int64('P-Chain height whose validators might propose the block.')),
  proposer_node_id: optional(text('NodeID of the proposer, from its certificate; NULL in an unsigned block.')),
  is_signed: boolean('Whether the container carries a signature.'),
  epoch_p_chain_height: optional(int64("P-Chain height of the block's epoch (Granite).")),
  epoch_number: optional(int64('Number of the epoch (Granite).')),
  epoch_start_time: optional(unixSeconds('Start of the epoch (Granite).')),
};
