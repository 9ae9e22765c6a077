import {
  decodeHexChecksum,
  decodePBlock,
  FirnError,
  objectOf,
  pBlockJson,
  type Request,
  type Response,
  type RpcOutcome,
  textOf,
  wholeNumberOf,
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

const byHeight = (height: number, encoding: 'json' | 'hex') =>
  platformCall('getBlockByHeight', { height, encoding }, (body) =>
    (encoding === 'hex' ? textOf : objectOf)(body, 'block'),
  );

/** Height of the newest block. */
export function* platformHeight(): Asking<number> {
  const heightOf = (body: unknown) => wholeNumberOf(body, 'height');
  const answer = yield platformCall('getHeight', {}, heightOf);
  return heightOf(answer.body);
}

/** Time of a block, Unix seconds; 0 for Apricot blocks, which carry none and are older than all that do. */
export function* platformBlockTime(height: number): Asking<number> {
  const answer = yield byHeight(height, 'json');
  return Number(objectOf(answer.body, 'block')['time'] ?? 0);
}

/** Whether the node still has a block at the height at which it was read. */
export function* holdsPlatformBlock(blockID: string, height: number): Asking<boolean> {
  try {
    const heightOf = (body: unknown) => wholeNumberOf(objectOf(body, 'block'), 'height');
    const answer = yield platformCall('getBlock', { blockID, encoding: 'json' }, heightOf);
    return heightOf(answer.body) === height;
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
  return heights.map((height, i) => {
    const [json, hex] = outcomes.slice(i * encodings.length, (i + 1) * encodings.length);
    const block = blockIn(json, height) as Raw;
    return settings.hex ? withBytes(block, String(blockIn(hex, height)), settings.hrp) : assembled(block);
  });
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
    return {
      ...said,
      blockType: own.type,
      difference: jsonDifference(pBlockJson(own, bytes, hrp), block),
      transactions: transactions.map((tx, i) => ({ ...tx, txType: types[i]?.unsignedTx.type })),
    };
  } catch (error) {
    // A wrong checksum is found again by the column, and quarantined there.
    if (!(error instanceof FirnError && error.code === 'decode')) throw error;
    return { ...said, difference: error.message };
  }
}
