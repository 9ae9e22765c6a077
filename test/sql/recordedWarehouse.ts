import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevnet } from 'firn-devnet';
import { afterAll } from 'vitest';
import { parse, stringify } from 'yaml';
import { catalogue } from '../../pipelines/index.ts';
import { readConfig } from '../../src/cli/config/config.ts';
import { demoConfig } from '../../src/cli/tasks/demoConfig.ts';
import type { Log } from '../../src/core/log.ts';
import type { Warehouse } from '../../src/load/state/warehouse.ts';
import { runPhases } from '../../src/run/phases/runPhases.ts';
import type { RunReport } from '../../src/run/records/runReport.ts';
import { folderMadeOnce } from '../folderMadeOnce.ts';
import { openTemporary, type TestWarehouse } from '../transform/warehouse.ts';
import { jsonLines } from './jsonLines.ts';

const silent: Log = { debug() {}, warn() {} };

/**
 * A folder with a warehouse that holds everything the embedded network offers of the Primary Network and of the C-Chain's most active
 * tokens and accounts, and the blocks of its L1s, built and published; made once a test run.
 */
export const recordedFolder = (): Promise<string> => folderMadeOnce('recorded', fill);

/** The state database of such a warehouse, in a copy of one's own. */
export async function recordedWarehouse(): Promise<TestWarehouse> {
  const made = await recordedFolder();
  const folder = await mkdtemp(join(tmpdir(), 'firn-recorded-copy-'));
  await cp(join(made, '.state'), join(folder, '.state'), { recursive: true });
  return openTemporary(folder);
}

/** The same for all tests of a file, at whose top level it is called. */
export async function recordedForFile(): Promise<Warehouse> {
  const { warehouse, dispose } = await recordedWarehouse();
  afterAll(dispose);
  return warehouse;
}

async function fill(folder: string): Promise<void> {
  const { partitions, problems, audits } = await readAll(folder);
  const failed = partitions.filter(({ outcome }) => outcome === 'failed');
  const found = audits.filter(({ failedRows }) => failedRows > 0);
  if (failed.length + problems.length + found.length > 0) throw new Error(JSON.stringify([failed, problems, found]));
}

async function readAll(folder: string): Promise<RunReport> {
  const devnet = await startDevnet({ port: 0, head: '100%' });
  try {
    const { c, l1s } = devnet.ledger;
    const config = readableConfig(demoConfig(devnet));
    const owners = [...(await ownersOf('P'))];
    const chain = { chainIds: [String(c.evmChainId)] };
    const { tokens, accounts } = mostActive(c.blocks.map(({ receipts }) => JSON.parse(receipts) as Receipt[]));
    const streams = {
      'node/containers': {},
      'node/evm_blocks': { blockchainIds: ['C', ...l1s.map(({ blockchainId }) => blockchainId)] },
      'node/platform_blocks': {},
      'node/platform_reward_utxos': {},
      'node/platform_validators': {},
      'node/platform_supply': {},
      'node/platform_blockchains': {},
      'node/platform_balances': { addresses: owners },
      'metrics/chain_metrics': { ...chain, metrics: ['txCount', 'gasUsed'], timeIntervals: ['day'], from: config.from },
      'data/chains': {},
      'data/primary_transactions': { from: config.from },
      'data/utxos': { addresses: owners, includeSpent: true },
      'data/token_transfers': { ...chain, addresses: tokens },
      'data/address_internal_transactions': { ...chain, addresses: accounts },
    };
    const settings = { ...config.whole, pipelines: { demo: { streams } } };
    await writeFile(join(folder, 'firn.yaml'), stringify(settings));
    return await runPhases({
      settings: readConfig({ config: join(folder, 'firn.yaml') }),
      catalogue,
      phases: ['sync', 'build', 'reconcile', 'publish'],
      signal: new AbortController().signal,
      log: silent,
    });
  } finally {
    await devnet.close();
  }
}

function readableConfig(text: string) {
  const whole = parse(text) as { pipelines: { demo: { streams: Record<string, { from: string }> } } };
  return { whole, from: whole.pipelines.demo.streams['metrics/chain_metrics']?.from ?? '' };
}

/** Addresses of a chain whose UTXOs the recording asked for, without chain alias. */
async function ownersOf(chain: string): Promise<Set<string>> {
  const lines = await jsonLines<{ chain: string; method: string; params: { addresses: string[] } }>('final-state');
  const asked = lines.filter((line) => line.chain === chain && line.method === 'platform.getUTXOs');
  return new Set(asked.flatMap(({ params }) => params.addresses.map((address) => address.slice(2))));
}

interface Receipt {
  readonly from: string;
  readonly to: string | null;
  readonly logs: readonly { readonly address: string }[];
}

/** The contracts with the most logs, and the receivers of the most transactions. */
function mostActive(blocks: readonly (readonly Receipt[])[]): { tokens: string[]; accounts: string[] } {
  const most = (names: readonly string[], count: number) => {
    const times = new Map<string, number>();
    for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
    return [...times]
      .sort((a, b) => b[1] - a[1])
      .slice(0, count)
      .map(([name]) => name);
  };
  const receipts = blocks.flat();
  return {
    tokens: most(
      receipts.flatMap(({ logs }) => logs.map(({ address }) => address)),
      12,
    ),
    accounts: most(
      receipts.flatMap(({ from, to }) => [from, ...(to ? [to] : [])]),
      6,
    ),
  };
}
