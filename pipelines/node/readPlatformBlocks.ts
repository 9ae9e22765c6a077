import {
  decodeHexChecksum,
  decodePBlock,
  FirnError,
  pBlockJson,
  type Request,
  type Response,
  type RpcOutcome,
} from '../../src/index.ts';
import { jsonDifference } from './jsonDifference.ts';
import { platformCall, rpcMessage } from './platform.ts';

type Asking<T> = Generator<Request, T, Response>;
type Raw = Readonly<Record<string, unknown>>;

export interface PlatformBlockSettings {
  readonly hex: boolean;
  /** bech32 prefix of the network. */
  readonly hrp: string;
}

const byHeight = (height: number, encoding: 'json' | 'hex') => platformCall('getBlockByHeight', { height, encoding });

/** Height of the newest block. */
export function* platformHeight(): Asking<number> {
  const answer = yield platformCall('getHeight', {});
  return Number((answer.body as { height: unknown }).height);
}

/** Time of a block, Unix seconds; 0 for Apricot blocks, which carry none and are older than all that do. */
export function* platformBlockTime(height: number): Asking<number> {
  const answer = yield byHeight(height, 'json');
  const { block } = answer.body as { block: Raw };
  if (block['time'] !== undefined || block['id'] !== undefined) return Number(block['time'] ?? 0);
  // The documented form has neither time nor id: the bytes have both.
  const { body } = yield byHeight(height, 'hex');
  const own = decodePBlock(decodeHexChecksum(String((body as { block: unknown }).block)));
  return 'time' in own ? Number(own.time) : 0;
}

/** Whether the node still has a block at the height at which it was read. */
export function* holdsPlatformBlock(blockID: string, height: number): Asking<boolean> {
  try {
    const answer = yield platformCall('getBlock', { blockID, encoding: 'json' });
    return Number((answer.body as { block: Raw }).block['height']) === height;
  } catch (error) {
    if (/not found/.test(rpcMessage(error))) return false;
    throw error;
  }
}

/** The blocks `from`..`to`, each with its transactions in one list and, where bytes are asked for, held against them. */
export function* readPlatformBlocks(settings: PlatformBlockSettings, from: number, to: number): Asking<readonly Raw[]> {
  const heights = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const encodings = settings.hex ? (['json', 'hex'] as const) : (['json'] as const);
  const requests = heights.flatMap((height) => encodings.map((encoding) => byHeight(height, encoding)));
  const answer = yield { kind: 'rpcMany', path: '/ext/bc/P', calls: requests.map(({ call }) => call) };
  const outcomes = answer.body as RpcOutcome[];
  const blocks = heights.map((height, i) => {
    const [json, hex] = outcomes.slice(i * encodings.length, (i + 1) * encodings.length);
    return { height, block: blockIn(json, height) as Raw, hex: hex && blockIn(hex, height) };
  });
  // JSON in the documented form has no ids: they are hashes of the bytes.
  const nameless = blocks.filter(({ block, hex }) => hex === undefined && block['id'] === undefined);
  if (nameless.length > 0) {
    const bytes = yield {
      kind: 'rpcMany',
      path: '/ext/bc/P',
      calls: nameless.map(({ height }) => byHeight(height, 'hex').call),
    };
    nameless.forEach((item, i) => {
      item.hex = blockIn((bytes.body as RpcOutcome[])[i], item.height);
    });
  }
  return blocks.map(({ block, hex }) =>
    hex === undefined ? assembled(block) : withBytes(block, String(hex), settings.hrp),
  );
}

function blockIn(outcome: RpcOutcome | undefined, height: number): unknown {
  if (outcome && 'result' in outcome) return (outcome.result as { block: unknown }).block;
  throw new FirnError(
    'unavailable',
    `platform.getBlockByHeight gives no block ${height} (${outcome?.error.message}) though the node's height is above it. The next run asks again.`,
    { retryable: true },
  );
}

/** A proposal's transaction comes last in the list, as in the bytes. */
function assembled({ txs, tx, ...block }: Raw): Raw & { readonly transactions: readonly Raw[] } {
  const transactions = [txs ?? [], tx ?? []].flat() as Raw[];
  return { ...block, transactions, transactionCount: transactions.length };
}

function withBytes(block: Raw, hex: string, hrp: string): Raw {
  const { transactions, ...rest } = assembled(block);
  const said = { ...rest, transactions, hex };
  try {
    const bytes = decodeHexChecksum(hex);
    const own = decodePBlock(bytes);
    const types = ['txs' in own ? own.txs : [], 'tx' in own ? own.tx : []].flat();
    const ownJson = pBlockJson(own, bytes, hrp) as Raw;
    const { id, time, transactions: ownTransactions } = assembled(ownJson);
    return {
      id,
      time,
      ...said,
      blockType: own.type,
      difference: jsonDifference(ownJson, block),
      transactions: transactions.map((tx, i) => ({
        id: ownTransactions[i]?.['id'],
        ...tx,
        txType: types[i]?.unsignedTx.type,
      })),
    };
  } catch (error) {
    // A wrong checksum is found again by the column, and quarantined there.
    if (!(error instanceof FirnError && error.code === 'decode')) throw error;
    return { ...said, difference: error.message };
  }
}
