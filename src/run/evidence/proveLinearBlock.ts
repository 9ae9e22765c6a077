import { decodePBlock, pTransactionsOf } from '../../decode/avalanche/pBlock.ts';
import { decodeXBlock } from '../../decode/avalanche/xBlock.ts';
import { encodeCb58 } from '../../decode/bytes/cb58.ts';
import { sha256 } from '../../decode/bytes/hashes.ts';
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
export function proveLinearBlock(chain: 'P' | 'X', block: LinearBlock, blockchainId: Uint8Array): BlockEvidence {
  const evidence = createEvidence();
  const { container, blockId, parentId, previousId, txIds } = block;
  const { inner } = proveContainer(evidence, container, blockchainId, sha256);
  const id = encodeCb58(sha256(inner));
  evidence.check('header', id === blockId, () => `id of the bytes is ${id}, the row says ${blockId}`);
  const inside = chain === 'P' ? decodePBlock(inner) : decodeXBlock(inner);
  evidence.check(
    'header',
    inside.height === BigInt(block.height),
    () => `height is ${inside.height}, the row says ${block.height}`,
  );
  const parent = encodeCb58(inside.parentID);
  evidence.check('header', parent === parentId, () => `parent is ${parent}, the row says ${parentId}`);
  if (previousId === null) evidence.leave('parent', 'not_covered');
  else evidence.check('parent', parentId === previousId, () => `${parentId}, but the one before it is ${previousId}`);
  const txs = inside.type === 'StandardBlock' ? inside.txs : pTransactionsOf(inside);
  const ids = txs.map((tx) => encodeCb58(tx.id));
  const differing = ids.findIndex((txId, i) => txId !== txIds[i]);
  const same = differing < 0 && ids.length === txIds.length;
  evidence.check('transactions', same, () =>
    differing < 0
      ? `${txIds.length} rows of ${ids.length} transactions`
      : `transaction ${differing} is ${ids[differing]}, the row says ${txIds[differing]}`,
  );
  return evidence.build(block.height, blockId);
}
