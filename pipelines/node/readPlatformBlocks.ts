import {
  type Asking,
  decodeCb58,
  decodeEnvelope,
  decodeHexChecksum,
  decodePBlock,
  encodeHexChecksum,
  FirnError,
  hasCode,
  memberOf,
  objectOf,
  pBlockJson,
  pTransactionsOf,
  RawValue,
  type RpcOutcome,
  rawOf,
  sha256,
  textIn,
  textOf,
  wholeNumberOf,
} from '../../src/index.ts';
import { askMany, askRpc } from './askRpc.ts';
import { heightAt } from './assertWhole.ts';
import { jsonDifference } from './jsonDifference.ts';
import { orSaid } from './orSaid.ts';
import { platformCall } from './platform.ts';
import { type IndexState, readContainers } from './readContainers.ts';
import { rpcMessage } from './rpcMessage.ts';

type Raw = Readonly<Record<string, unknown>>;

export interface PlatformBlockSettings {
  /** Whether to ask for the bytes, and for the JSON beside them or instead. */
  readonly hex: boolean;
  readonly json: boolean;
  /** bech32 prefix of the network. */
  readonly hrp: string;
}

/** What a read finds out about the node's index of P-Chain containers. */
export interface PlatformIndex extends IndexState {
  lacks: boolean;
  /** Whether it was seen to have a block where that belongs. */
  counts?: true;
}

const byHeight = (height: number, encoding: 'json' | 'hex') =>
  platformCall('getBlockByHeight', { height, encoding }, (body) =>
    (encoding === 'hex' ? textOf : objectOf)(body, 'block'),
  );

/** Height of the newest block. */
export function* platformHeight(): Asking<number> {
  return yield* askRpc(platformCall('getHeight', {}), (body) => wholeNumberOf(body, 'height'));
}

/**
 * Time of a block, Unix seconds. Apricot blocks carry none: for them it is the chain's time, which the last AdvanceTimeTx up to them proposed; 0
 * before the first one.
 */
export function* platformBlockTime(height: number): Asking<number> {
  for (let at = height; at >= 0; at--) {
    const block = decodePBlock(yield* blockBytes(at));
    if ('time' in block) return Number(block.time);
    if ('tx' in block && block.tx.unsignedTx.type === 'AdvanceTimeTx') return Number(block.tx.unsignedTx.time);
  }
  return 0;
}

function* blockBytes(height: number): Asking<Buffer> {
  return decodeHexChecksum(textOf((yield byHeight(height, 'hex')).body, 'block'));
}

/** Whether the node still has a block at the height at which it was read. Throws FirnError `unavailable` where it has none there yet. */
export function* holdsPlatformBlock(blockID: string, height: number): Asking<boolean> {
  try {
    const found = yield* askRpc(platformCall('getBlock', { blockID, encoding: 'hex' }), (body) =>
      decodePBlock(decodeHexChecksum(textOf(body, 'block'))),
    );
    return Number(found.height) === height;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  try {
    // Of several nodes behind one URL the one that does not know it may be behind the one that answers now.
    return sha256(yield* blockBytes(height)).equals(decodeCb58(blockID));
  } catch (error) {
    throw isMissing(error) ? noBlock(height, rpcMessage(error)) : error;
  }
}

const isMissing = (error: unknown) => /not found/.test(rpcMessage(error));

/**
 * The blocks `from`..`to`, each with its transactions in one list. Their bytes come from the node's index, 1,024 at once, or one by one where it
 * has none; JSON where it is asked for, and where bytes cannot be decoded.
 */
export function* readPlatformBlocks(
  settings: PlatformBlockSettings,
  from: number,
  to: number,
  index: PlatformIndex,
): Asking<readonly RawValue[]> {
  const { hrp } = settings;
  const heights = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const hexes = settings.hex ? yield* blocksInHex(index, from, heights) : new Map<number, string>();
  const records = new Map<number, Raw>();
  for (const [height, hex] of hexes) {
    const record = settings.json ? undefined : fromBytes(hex, hrp);
    if (record) records.set(height, record);
  }
  const rest = heights.filter((height) => !records.has(height));
  const jsons = (yield* askBlocks(rest, 'json')) as ReadonlyMap<number, Raw>;
  // JSON in the documented form has no ids: they are hashes of the bytes.
  const nameless = rest.filter((height) => !hexes.has(height) && jsons.get(height)?.['id'] === undefined);
  const bytes = yield* askBlocks(nameless, 'hex');
  for (const height of rest) {
    const block = jsons.get(height) as Raw;
    const hex = hexes.get(height) ?? (bytes.has(height) ? textIn(bytes.get(height)) : undefined);
    records.set(height, hex === undefined ? assembled(block) : withBytes(block, hex, hrp));
  }
  return heights.map((height) => RawValue.from(records.get(height)));
}

/** Blocks by height, as hex with its checksum. */
function* blocksInHex(
  index: PlatformIndex,
  from: number,
  heights: readonly number[],
): Asking<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  // Genesis is no container: the index begins with the block after it.
  const first = Math.max(from, 1);
  const last = heights.at(-1) ?? 0;
  if (!index.lacks && first <= last)
    for (const [height, hex] of yield* indexedBlocks(index, first, last)) found.set(height, hex);
  const missing = heights.filter((height) => !found.has(height));
  for (const [height, block] of yield* askBlocks(missing, 'hex')) found.set(height, textIn(block));
  return found;
}

const indexOfBlocks = '/ext/index/P/block';

/** The blocks that the index has at the places where they belong; what it lacks, or holds otherwise, is left out. */
function* indexedBlocks(index: PlatformIndex, first: number, last: number): Asking<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  const how = { allowIncomplete: false, state: index };
  try {
    // An index that was switched on late counts from another block, and ends early: as one that is behind, it would be asked again and again.
    index.lacks = !index.counts && !(yield* hasBlock(first));
    if (index.lacks) return found;
    index.counts = true;
    for (const raw of yield* readContainers(indexOfBlocks, first - 1, last - 1, how)) {
      const height = raw.number('index') + 1;
      const inner = innerBlock(raw);
      if (!inner) continue;
      if (inner.height !== height) index.lacks = true;
      else found.set(height, encodeHexChecksum(inner.bytes));
    }
  } catch (error) {
    // Whatever is wrong with the index, the platform API has the blocks, too; a node that is down says so there.
    if (!(error instanceof FirnError) || error.code === 'interrupted') throw error;
    if (error.code === 'not_offered') index.lacks = true;
  }
  return found;
}

/** Whether the node's index can be read in place of block by block, as far as its first block tells. */
export function* isIndexed(): Asking<boolean> {
  return (yield* orSaid(hasBlock(1))) === true;
}

/** Whether the index has a block where it belongs; one that cannot be decoded is taken for it. */
function* hasBlock(height: number): Asking<boolean> {
  try {
    return ((yield* heightAt('P/block', indexOfBlocks, height - 1)) ?? height) === height;
  } catch (error) {
    if (/no container at index/.test(rpcMessage(error))) return false;
    throw error;
  }
}

/** The block in a container; undefined where it cannot be decoded: it alone is then asked of the platform API. */
function innerBlock(container: RawValue) {
  try {
    const { inner: bytes } = decodeEnvelope(decodeHexChecksum(textIn(memberOf(container, 'bytes'))));
    return { bytes, height: Number(decodePBlock(bytes).height) };
  } catch (error) {
    if (hasCode(error, 'decode')) return undefined;
    throw error;
  }
}

function* askBlocks(heights: readonly number[], encoding: 'json' | 'hex'): Asking<ReadonlyMap<number, unknown>> {
  const calls = heights.map((height) => byHeight(height, encoding).call);
  const outcomes = yield* askMany('/ext/bc/P', calls);
  return new Map(heights.map((height, i) => [height, blockIn(outcomes[i], height)]));
}

function blockIn(outcome: RpcOutcome | undefined, height: number): unknown {
  if (outcome && !outcome.error) return rawOf(outcome.result)['block'];
  throw noBlock(height, outcome?.error.message);
}

const noBlock = (height: number, said: string | undefined) =>
  new FirnError(
    'unavailable',
    `platform.getBlockByHeight gives no block ${height} (${said}) though the node's height is above it. Several nodes behind one URL? The next run asks again.`,
    { retryable: true, context: { lacks: height } },
  );

/** A proposal's transaction comes last in the list, as in the bytes. */
function assembled(raw: Raw): Raw & { readonly transactions: readonly Raw[] } {
  const { txs, tx, ...block } = rawOf(raw);
  const transactions = [txs ?? [], tx ?? []].flat().map(rawOf);
  return { ...block, transactions, transactionCount: transactions.length };
}

/** A block from its bytes; undefined where they cannot be decoded. */
function fromBytes(hex: string, hrp: string): Raw | undefined {
  const read = decoded(hex, hrp);
  if (read instanceof FirnError) return undefined;
  const { transactions, ...rest } = assembled(read.json);
  return { ...rest, hex, blockType: read.type, transactions: typed(transactions, read.txTypes) };
}

/** A block from JSON, held against its bytes; ids and the time, which JSON leaves out, come from the bytes. */
function withBytes(block: Raw, hex: string, hrp: string): Raw {
  const { transactions, ...rest } = assembled(block);
  const read = decoded(hex, hrp);
  // The column finds a wrong checksum again, and quarantines the record.
  if (read instanceof FirnError) return { ...rest, transactions, hex, difference: read.message };
  const difference = jsonDifference(read.json, block);
  const { id, time, transactions: own } = assembled(read.json);
  const named = transactions.map((tx, i) => ({ id: own[i]?.['id'], ...tx }));
  return { id, time, ...rest, hex, blockType: read.type, difference, transactions: typed(named, read.txTypes) };
}

const typed = (transactions: readonly Raw[], types: readonly string[]) =>
  transactions.map((tx, i) => ({ ...tx, txType: types[i] }));

interface Decoded {
  /** As the platform API gives it. */
  readonly json: Raw;
  readonly type: string;
  readonly txTypes: readonly string[];
}

function decoded(hex: string, hrp: string): Decoded | FirnError {
  try {
    const bytes = decodeHexChecksum(hex);
    const block = decodePBlock(bytes);
    return {
      json: pBlockJson(block, bytes, hrp) as Raw,
      type: block.type,
      txTypes: pTransactionsOf(block).map(({ unsignedTx }) => unsignedTx.type),
    };
  } catch (error) {
    if (hasCode(error, 'decode')) return error;
    throw error;
  }
}
