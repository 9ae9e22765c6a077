import { FirnError } from '../../core/firnError.ts';
import { objectOf, rawOf, textIn, wholeNumberOf, wrongAnswer } from '../../core/json/answerParts.ts';
import { decodePBlock } from '../../decode/avalanche/pBlock.ts';
import { encodeCb58 } from '../../decode/bytes/cb58.ts';
import { sha256 } from '../../decode/bytes/hashes.ts';
import { decodeHexChecksum, encodeHexChecksum } from '../../decode/bytes/hexChecksum.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { Fetch } from '../sources/drive.ts';

export interface SourceCheckOptions {
  readonly warehouse: Warehouse;
  /** The way to the node. */
  readonly fetch: Fetch;
  /** Containers looked at, and as many P-Chain blocks. */
  readonly sample: number;
  /** Makes the choice repeatable, between 0 and 1. */
  readonly seed?: number;
  readonly signal?: AbortSignal;
  readonly progress?: (done: number, total: number) => void;
}

/** A container or P-Chain block about which the node says something else than when it was read. */
export interface SourceFinding {
  /** Name of the index, or `platform.getBlock`. */
  readonly indexName: string;
  /** Place in the index, or height of the block. */
  readonly index: number;
  readonly id: string;
  readonly what: string;
}

export interface SourceReport {
  /** Containers and blocks. */
  readonly checked: number;
  readonly findings: readonly SourceFinding[];
}

interface Held extends HeldBlock {
  readonly hex: string;
}

/** Containers asked about at once. */
const atOnce = 8;

/**
 * Asks the node about containers chosen at random: id -> index -> bytes -> id must close, and the container still be
 * accepted. Each costs four requests. Then it is asked about P-Chain blocks, read as such or out of containers, by their ids: one request each.
 *
 * @throws FirnError where the node does not answer, or offers no index
 */
export async function verifyAgainstSource(options: SourceCheckOptions): Promise<SourceReport> {
  const { warehouse, sample, signal } = options;
  await warehouse.run('SELECT setseed($1)', [options.seed ?? Math.random()]);
  const held = await warehouse.query<Held>(
    `SELECT c.index_name, c."index", c.id, hex(c.bytes) AS hex FROM raw.node_containers AS c
     JOIN (SELECT index_name, "index" FROM raw.node_containers ORDER BY random() LIMIT ${sample}) AS chosen
       ON chosen.index_name = c.index_name AND chosen."index" = c."index"
     ORDER BY c.index_name, c."index"`,
  );
  const all = [...held, ...(await heldBlocks(warehouse, sample))];
  const findings: SourceFinding[] = [];
  let checked = 0;
  for (let start = 0; start < all.length && !signal?.aborted; start += atOnce) {
    const group = all.slice(start, start + atOnce);
    const found = await Promise.all(
      group.map((item) => (isBlock(item) ? checkBlock(item, options.fetch) : check(item, options.fetch))),
    );
    found.forEach((differences, i) => {
      const { index_name, index, id } = group[i] as Held | HeldBlock;
      for (const what of differences) findings.push({ indexName: index_name, index: Number(index), id, what });
    });
    checked += group.length;
    options.progress?.(checked, all.length);
  }
  return { checked, findings };
}

/** A P-Chain block: its height stands for the index. */
interface HeldBlock {
  readonly index_name: string;
  readonly index: bigint;
  readonly id: string;
}

const getBlock = 'platform.getBlock';

const isBlock = (item: Held | HeldBlock): item is HeldBlock => item.index_name === getBlock;

async function heldBlocks(warehouse: Warehouse, sample: number): Promise<readonly HeldBlock[]> {
  const tables = await warehouse.query<{ name: string }>(
    `SELECT table_name AS name FROM duckdb_tables()
     WHERE schema_name = 'raw' AND table_name IN ('node_platform_blocks', 'node_containers_p_blocks')`,
  );
  if (tables.length === 0) return [];
  const blocks = tables.map(({ name }) => `SELECT height, block_id FROM raw.${name}`).join(' UNION ');
  return warehouse.query<HeldBlock>(
    `SELECT '${getBlock}' AS index_name, height AS "index", block_id AS id
     FROM (SELECT * FROM (${blocks}) ORDER BY random() LIMIT ${sample}) ORDER BY height`,
  );
}

/** The id is a hash of the bytes: where the id is right, the bytes are. */
async function checkBlock({ index: height, id }: HeldBlock, fetch: Fetch): Promise<string[]> {
  const call = { method: getBlock, params: { blockID: id, encoding: 'hex' } };
  try {
    const { body } = await fetch({ kind: 'rpc', path: '/ext/bc/P', call });
    const bytes = decodeHexChecksum(textIn(rawOf(body)['block']));
    const served = encodeCb58(sha256(bytes));
    if (served !== id) return [`getBlock gives bytes of ${served}`];
    const at = decodePBlock(bytes).height;
    return at === height ? [] : [`its bytes say height ${at}`];
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    if (error.code === 'decode') return [`its bytes are damaged: ${error.message}`];
    if (/not found/.test(error.context.rpcMessage ?? '')) return ['the node no longer knows the block'];
    throw error;
  }
}

interface Served {
  readonly id?: unknown;
  readonly bytes?: string;
  readonly index?: string;
}

async function check({ index_name, index, id, hex }: Held, fetch: Fetch): Promise<string[]> {
  const ask = (method: string, params: object) => askIndex(fetch, index_name, method, params);
  const { isAccepted } = (await ask('isAccepted', { id })) as { isAccepted?: boolean };
  if (isAccepted !== true) return ['the node no longer accepts it'];
  const { index: found } = (await ask('getIndex', { id })) as { index?: string };
  const differences = String(found) === String(index) ? [] : [`getIndex says ${found ?? 'not found'}`];
  const bytes = encodeHexChecksum(Buffer.from(hex, 'hex'));
  const byIndex = (await ask('getContainerByIndex', { index: Number(index) })) as Served;
  if (byIndex.id !== id) differences.push(`at this index is ${textIn(byIndex.id ?? 'nothing')}`);
  const byId = (await ask('getContainerByID', { id })) as Served;
  if (String(byId.index) !== String(index))
    differences.push(`getContainerByID says index ${byId.index ?? 'not found'}`);
  for (const served of byIndex.id === id ? [byIndex, byId] : [byId])
    if (served.bytes !== undefined && served.bytes !== bytes) differences.push(otherBytes(served.bytes));
  return [...new Set(differences)];
}

function otherBytes(bytes: string): string {
  try {
    decodeHexChecksum(bytes);
    return 'its bytes differ';
  } catch (error) {
    return `its bytes are damaged: ${(error as Error).message}`;
  }
}

/** The answer of the index; nothing where it does not know the container. */
async function askIndex(fetch: Fetch, indexName: string, method: string, params: object): Promise<unknown> {
  const check = (body: unknown) => {
    if (method !== 'isAccepted') return wholeNumberOf(body, 'index');
    if (typeof objectOf(body)['isAccepted'] !== 'boolean') throw wrongAnswer(body, 'word of whether it is accepted');
    return undefined;
  };
  const call = { method: `index.${method}`, params: { ...params, encoding: 'hex' }, check };
  try {
    return (await fetch({ kind: 'rpc', path: `/ext/index/${indexName}`, call })).body;
  } catch (error) {
    const said = error instanceof FirnError ? (error.context.rpcMessage ?? '') : '';
    if (/not found|no container at index|no containers have been accepted/.test(said)) return {};
    throw error;
  }
}
