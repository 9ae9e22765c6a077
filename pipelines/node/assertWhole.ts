import {
  type Asking,
  type ContainerIndex,
  containerHeight,
  decodeHexChecksum,
  FirnError,
  hasCode,
  memberOf,
  type RawValue,
  type Row,
  textIn,
  textOf,
} from '../../src/index.ts';
import { askRpc } from './askRpc.ts';
import { containerAt } from './readContainers.ts';

/** What one read finds out about how an index counts. */
export interface Counting {
  /** Heights less positions, of the containers that were looked at. */
  shift?: number;
}

/**
 * Makes sure that an index holds all blocks since genesis, as far as one container tells: the first one holds the block after genesis, which is no
 * container. One that was switched on later counts from 0, too.
 *
 * @throws FirnError `contract`
 */
export function assertWhole(index: ContainerIndex, container: RawValue, state: Counting): void {
  const height = heightOf(index, () => decodeHexChecksum(textIn(memberOf(container, 'bytes'))));
  if (height === undefined) return;
  const position = container.number('index');
  if (position === 0) assertBegin(index, height);
  const shift = shiftOf(height, position);
  state.shift ??= shift;
  if (state.shift === shift) return;
  throw new FirnError(
    'contract',
    `/ext/index/${index} holds the block of height ${height} as index ${position}, where that of height ${position + state.shift} belongs: ${late}, or ${several}. ` +
      `What lies before it is kept; the next run asks again from there. ${next}`,
  );
}

/**
 * Heights less positions. Every position holds a block of its own above genesis, so that no height lies below the one after it, but with a server that
 * plays a recording over and over: such a one lacks nothing.
 */
const shiftOf = (height: number, position: number) => Math.max(1, height - position);

/** Has an index count as it did when a container was read from it, by another node perhaps: that is not mixed with this one. */
export function countsAs(index: ContainerIndex, read: Row, state: Counting): void {
  const { bytes } = read;
  const height = typeof bytes === 'string' ? heightOf(index, () => Buffer.from(bytes, 'hex')) : undefined;
  if (height !== undefined) state.shift ??= shiftOf(height, Number(read['index']));
}

/** What to say of an index that holds nothing. Those of transactions and vertices may do so for ever. */
export const lateWhereEmpty = (index: ContainerIndex): string | undefined =>
  index.endsWith('/block')
    ? `/ext/index/${index} holds nothing yet. If its chain has blocks, it was switched on after these and will not begin with the first one. ${next}`
    : undefined;

/** Asks whether an index begins with the block after genesis. Throws FirnError `contract` where it does not. */
export function* checkBegin(index: ContainerIndex, path: string): Asking<void> {
  const height = yield* heightAt(index, path, 0);
  if (height !== undefined) assertBegin(index, height);
}

/** Height of the block that an index has at a position; undefined of bytes that cannot be decoded. */
export function* heightAt(index: ContainerIndex, path: string, position: number): Asking<number | undefined> {
  const bytes = yield* askRpc(containerAt(path, position), (body) => textOf(body, 'bytes'));
  return heightOf(index, () => decodeHexChecksum(bytes));
}

function assertBegin(index: ContainerIndex, height: number): void {
  if (height === 1) return;
  throw new FirnError(
    'contract',
    `/ext/index/${index} begins with the block of height ${height}, not with the first one after genesis: ${late}, or ${several}. Nothing was read from it. ${next}`,
    { context: { reason: 'late_begin' } },
  );
}

const late =
  "the node's index was off for a while (--index-allow-incomplete), its state was synced, it plays a part of a recording";
const several = 'several nodes behind one URL answer, of which one has such an index';
const next =
  'Read the index of a node that had it from the start, or take this one as it is with the parameter allowIncomplete: true.';

/** Height of the block in a container; undefined of bytes that cannot be decoded, which go into quarantine. */
function heightOf(index: ContainerIndex, bytes: () => Uint8Array): number | undefined {
  try {
    return containerHeight({ index, bytes: bytes() });
  } catch (error) {
    if (hasCode(error, 'decode')) return undefined;
    throw error;
  }
}
