import { decodeEnvelope } from '../avalanche/envelope.ts';
import { decodePBlock } from '../avalanche/pBlock.ts';
import { decodeXBlock } from '../avalanche/xBlock.ts';
import { readEvmBlock } from '../evm/evmBlock.ts';
import { headerAt } from '../evm/evmHeader.ts';
import type { ContainerIndex, ContainerToDecode } from './decodeContainer.ts';

const heights: Partial<Record<ContainerIndex, (inner: Uint8Array) => bigint | null>> = {
  'C/block': (inner) => readEvmBlock(inner, () => {}).header.fields.uint(headerAt.number),
  'P/block': (inner) => decodePBlock(inner).height,
  'X/block': (inner) => decodeXBlock(inner).height,
};

/**
 * Height of the block in a container; undefined for indexes that hold no blocks.
 *
 * @throws FirnError `decode` for bytes that are no container of that index
 */
export function containerHeight({ index, bytes }: Pick<ContainerToDecode, 'index' | 'bytes'>): number | undefined {
  const height = heights[index]?.(decodeEnvelope(bytes).inner) ?? undefined;
  return height === undefined ? undefined : Number(height);
}
