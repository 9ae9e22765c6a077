import type { LinearBlockRecord } from '../types.ts';

/** Codec type id of a block: the four bytes after the codec version. */
function blockType(record: LinearBlockRecord): number {
  const { block } = JSON.parse(record.hex) as { readonly block: string };
  return Number.parseInt(block.slice(6, 14), 16);
}

/** Apricot and Banff proposals; an Apricot atomic block has one transaction too but no option. */
export const isProposal = (record: LinearBlockRecord): boolean => [0, 0x1d].includes(blockType(record));

/** Whether a block is an option that commits, which grants a reward: those of Apricot and Banff. */
export const isCommit = (record: LinearBlockRecord | undefined): boolean =>
  record !== undefined && [2, 0x1f].includes(blockType(record));
