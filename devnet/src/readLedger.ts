import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { orderMoments, requiredMember, toEvmBlock, toLinearBlock } from './blockRecords.ts';
import { emptyId } from './codec/cb58.ts';
import { rawMembers } from './codec/rawMembers.ts';
import { readGzLines } from './readGzLines.ts';
import type { EvmChain, ExactAnswer, Ledger, LinearChain, Raw, SnapshotAnswer, StateAnswer } from './types.ts';

/** The parts of `manifest.json` that are used; any may be absent. */
interface Manifest {
  readonly node?: { readonly networkID?: number; readonly networkName?: string; readonly nodeID?: string };
  readonly chains?: Readonly<Record<string, ManifestChain | undefined>>;
  readonly assets?: Readonly<Record<string, string>>;
  readonly nodes?: readonly string[];
}

interface ManifestChain {
  readonly blockchainID?: string;
  readonly subnetID?: string;
  readonly evmChainId?: number;
}

/** The packed recording, kept after its first use: reading and indexing it takes seconds, and nothing changes it. */
let packed: Promise<Ledger> | undefined;

/**
 * Reads a recorded network: a folder with `manifest.json` and gzipped JSON lines, as `devnet/ledger/README.md` describes them.
 * Any recording of that form will do; a file that is absent leaves its part of the ledger empty.
 * `dir` defaults to the recording packed with this program, which a process reads once.
 * Throws an Error that names the folder, or the file and line, which cannot be read.
 */
export async function readLedger(dir?: string): Promise<Ledger> {
  if (dir !== undefined) return readFolder(dir);
  packed ??= readFolder(packedLedger());
  return packed;
}

async function readFolder(dir: string): Promise<Ledger> {
  const manifest = await readManifest(dir);
  const chains = manifest.chains ?? {};
  const l1Names = Object.keys(chains).filter((name) => name !== 'C' && chains[name]?.evmChainId !== undefined);
  const [c, p, x, snapshots, finalState, exactAnswers, rewards, atomicTxs] = await Promise.all([
    readEvmChain(dir, 'C', chains['C']),
    readLinearChain(dir, 'P', chains['P']?.blockchainID ?? emptyId),
    readLinearChain(dir, 'X', chains['X']?.blockchainID ?? ''),
    readSnapshots(dir),
    readGzLines(dir, 'final-state.jsonl.gz', toStateAnswer),
    readGzLines(dir, 'exact-answers.jsonl.gz', (line): ExactAnswer => JSON.parse(line)),
    readGzLines(dir, 'p-rewards.jsonl.gz', toReward),
    readGzLines(dir, 'c-atomic.jsonl.gz', toAtomicTx),
  ]);
  const l1s = (await Promise.all(l1Names.map((name) => readEvmChain(dir, name, chains[name])))).filter(hasBlocks);
  const ends = [c, p, x, ...l1s].filter((chain) => chain.blocks.length > 1).map(({ blocks }) => span(blocks));
  if (ends.length === 0) throw new Error(`${dir}: the recording holds no block after genesis`);
  const nodeIdHeader = exactAnswers.map(({ response }) => header(response.headers, 'node-id')).find((id) => id);
  return {
    networkId: manifest.node?.networkID ?? 12345,
    networkName: manifest.node?.networkName ?? 'local',
    nodeId: manifest.node?.nodeID ?? nodeIdHeader ?? manifest.nodes?.[0] ?? 'NodeID-111111111111111111116DBWJs',
    c,
    l1s,
    p,
    x,
    avaxAssetId: manifest.assets?.['AVAX'] ?? '',
    snapshots,
    finalState,
    exactAnswers,
    rewards: new Map(rewards),
    atomicTxs: new Map(atomicTxs),
    manifest: manifest as Readonly<Record<string, unknown>>,
    firstMoment: Math.min(...ends.map(([first]) => first)),
    lastMoment: Math.max(...ends.map(([, last]) => last)),
  };
}

/** Walks up to the package that holds it, so that the one copy serves both the sources and the bundled program. */
function packedLedger(): string {
  for (let dir = dirname(fileURLToPath(import.meta.url)); ; dir = dirname(dir)) {
    const ledger = join(dir, 'devnet/ledger');
    if (existsSync(ledger)) return ledger;
    if (dir === dirname(dir)) throw new Error('the packed recording was not found: no devnet/ledger above this file');
  }
}

async function readManifest(dir: string): Promise<Manifest> {
  if (!existsSync(dir)) throw new Error(`${dir}: no such folder; expected a recording with a manifest.json`);
  const file = join(dir, 'manifest.json');
  if (!existsSync(file)) throw new Error(`${dir}: no manifest.json, so this is not a recording`);
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Manifest;
  } catch (cause) {
    throw new Error(`${file}: not valid JSON`, { cause });
  }
}

async function readEvmChain(dir: string, name: string, chain: ManifestChain | undefined): Promise<EvmChain> {
  const blocks = await readGzLines(dir, `${name.toLowerCase()}-chain.jsonl.gz`, toEvmBlock);
  return {
    name,
    blockchainId: chain?.blockchainID ?? '',
    subnetId: chain?.subnetID ?? null,
    evmChainId: chain?.evmChainId ?? 0,
    blocks: orderMoments(blocks),
  };
}

async function readLinearChain(dir: string, name: 'P' | 'X', blockchainId: string): Promise<LinearChain> {
  const blocks = await readGzLines(dir, `${name.toLowerCase()}-chain.jsonl.gz`, toLinearBlock);
  return { name, blockchainId, blocks: orderMoments(blocks) };
}

function toStateAnswer(line: string): StateAnswer {
  const members = rawMembers(line);
  const present = (raw: Raw | undefined): Raw | null => (raw === undefined || raw === 'null' ? null : raw);
  return {
    chain: JSON.parse(requiredMember(members, 'chain')) as string,
    method: JSON.parse(requiredMember(members, 'method')) as string,
    params: JSON.parse(requiredMember(members, 'params')) as unknown,
    result: present(members.get('result')),
    error: present(members.get('error')),
  };
}

function toReward(line: string): [string, { finished: boolean; result: Raw; status: Raw }] {
  const members = rawMembers(line);
  return [
    JSON.parse(requiredMember(members, 'txID')) as string,
    {
      finished: members.get('finished') === 'true',
      result: requiredMember(members, 'result'),
      status: requiredMember(members, 'status'),
    },
  ];
}

function toAtomicTx(line: string): [string, { number: number; result: Raw; status: Raw }] {
  const members = rawMembers(line);
  return [
    JSON.parse(requiredMember(members, 'txID')) as string,
    {
      number: Number(requiredMember(members, 'number')),
      result: requiredMember(members, 'hex'),
      status: requiredMember(members, 'status'),
    },
  ];
}

async function readSnapshots(dir: string): Promise<SnapshotAnswer[]> {
  const moments = new Map<string, number>();
  const answers: SnapshotAnswer[] = [];
  await readGzLines(dir, 'snapshots.jsonl.gz', (line) => {
    const entry = JSON.parse(line) as Record<string, unknown>;
    if (entry['kind'] === 'moment') {
      const moment = (entry['moment'] ?? entry) as { label: string; chainTime: string };
      moments.set(moment.label, Date.parse(moment.chainTime));
      return;
    }
    const { kind: _, ...answer } = entry as unknown as SnapshotAnswer & { kind: string };
    const takenAt = moments.get(answer.label);
    if (takenAt === undefined) throw new Error(`no moment "${answer.label}" before this answer`);
    answers.push({ ...answer, takenAt });
  });
  return answers;
}

function span(blocks: readonly { readonly visibleAt: number }[]): [number, number] {
  return [blocks[1]?.visibleAt ?? 0, blocks.at(-1)?.visibleAt ?? 0];
}

function hasBlocks(chain: EvmChain): boolean {
  return chain.blocks.length > 0;
}

function header(pairs: readonly string[], name: string): string | undefined {
  const at = pairs.findIndex((word, i) => i % 2 === 0 && word.toLowerCase() === name);
  return at === -1 ? undefined : pairs[at + 1];
}
