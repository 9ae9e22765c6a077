import { encodeCb58 } from '../../decode/cb58.ts';
import { decodeContainer } from '../../decode/decodeContainer.ts';
import { sha256 } from '../../decode/sha256.ts';
import { type BlockEvidence, createEvidence } from './evidenceLinks.ts';
import type { ContainerRow } from './evidenceRows.ts';
import { proveContainer } from './proveContainer.ts';

/** A block of the P- or X-Chain as the warehouse holds it. */
export interface LinearBlock {
  readonly height: number;
  readonly blockId: string;
  readonly parentId: string;
  /** Id of the block before, where it is held. */
  readonly previousId: string | null;
  /** Ids of its transactions' rows, in order. */
  readonly txIds: readonly string[];
  readonly container: ContainerRow;
}

/** Proves a block of the P- or X-Chain: its ids are hashes of its bytes, its transactions' too. */
export function proveLinearBlock(
  chain: 'P' | 'X',
  block: LinearBlock,
  blockchainId: Uint8Array,
  hrp: string,
): BlockEvidence {
  const evidence = createEvidence();
  const { container, blockId, parentId, previousId, txIds } = block;
  const { inner } = proveContainer(evidence, container, blockchainId, sha256);
  const id = encodeCb58(sha256(inner));
  evidence.check('header', id === blockId, () => `id of the bytes is ${id}, the row says ${blockId}`);
  const decoded = decodeContainer({ index: `${chain}/block`, bytes: container.bytes, hrp });
  const inside = decoded.chain === 'C' ? null : decoded.block;
  evidence.check(
    'header',
    inside?.height === block.height,
    () => `height is ${inside?.height}, the row says ${block.height}`,
  );
  evidence.check(
    'header',
    inside?.parent_id === parentId,
    () => `parent is ${inside?.parent_id}, the row says ${parentId}`,
  );
  if (previousId === null) evidence.leave('parent', 'not_covered');
  else evidence.check('parent', parentId === previousId, () => `${parentId}, before it stands ${previousId}`);
  const ids = decoded.chain === 'C' ? [] : decoded.transactions.map(({ tx_id }) => tx_id);
  const differing = ids.findIndex((txId, i) => txId !== txIds[i]);
  const same = differing < 0 && ids.length === txIds.length;
  evidence.check('transactions', same, () =>
    differing < 0
      ? `${txIds.length} rows of ${ids.length} transactions`
      : `transaction ${differing} is ${ids[differing]}, the row says ${txIds[differing]}`,
  );
  return evidence.build(block.height, blockId);
}
