import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Devnet } from 'firn-devnet';
import { catalogue } from '../../pipelines/index.ts';
import type { Table } from '../../src/core/columns/table.ts';
import type { Request } from '../../src/core/requests/request.ts';
import type { RetryPolicy } from '../../src/core/requests/retry.ts';
import { tablesOf } from '../../src/core/stream/stream.ts';
import { openWarehouse } from '../../src/load/state/warehouse.ts';
import type { PartitionResult } from '../../src/run/read/syncOptions.ts';
import { syncStreams } from '../../src/run/read/syncStreams.ts';
import type { Fetch } from '../../src/run/sources/drive.ts';
import { placeState } from '../placeState.ts';
import { prepareSync } from '../run/read/prepareSync.ts';

export type Streams = Readonly<Record<string, object>>;

export interface SyncOptions {
  /** Told of every request of a source; what it throws is the answer. */
  readonly before?: (source: string, request: Request) => void;
  readonly signal?: AbortSignal;
  /** Called once the network is known: errors after that belong to streams. */
  readonly ready?: () => void;
  readonly retry?: Partial<RetryPolicy>;
}

/** One sync of some streams into a warehouse folder, as the command would run it. */
export async function syncOnce(
  folder: string,
  devnet: Pick<Devnet, 'url'>,
  streams: Streams,
  options: SyncOptions = {},
): Promise<readonly PartitionResult[]> {
  const sources = {
    node: { url: devnet.url },
    data: { url: devnet.url, network: 'fuji' },
    metrics: { url: devnet.url },
  };
  const warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue) });
  try {
    const prepared = await prepareSync(warehouse, { sources, streams, retry: options.retry });
    const watched = Object.entries(prepared.fetch).map(([name, fetch]): [string, Fetch] => [
      name,
      async (request) => {
        options.before?.(name, request);
        return fetch(request);
      },
    ]);
    const { signal = prepared.signal } = options;
    try {
      options.ready?.();
      return await syncStreams({ ...prepared, fetch: Object.fromEntries(watched), signal });
    } finally {
      await prepared.close();
    }
  } finally {
    warehouse.close();
  }
}

/** Rows as JSON by table. */
export type Rows = Readonly<Record<string, readonly string[]>>;

/**
 * Rows by table, without what depends on when a run took place; of tables with history only what is current.
 *
 * @param only the tables that are looked at; all where none is named
 */
export async function currentRows(folder: string, ...only: readonly string[]): Promise<Rows> {
  const warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue) });
  try {
    const tables: Record<string, readonly string[]> = {};
    for (const table of tablesOf(catalogue).filter(({ name }) => only.length === 0 || only.includes(name))) {
      const rows = await warehouse.query<{ row: string }>(currentRowsSql(table));
      tables[table.name] = rows.map(({ row }) => row);
    }
    return tables;
  } finally {
    warehouse.close();
  }
}

/** Asks for the rows of a table as `currentRows` has them, each as `row`. */
export function currentRowsSql({ name: from, columns }: Pick<Table, 'name' | 'columns'>): string {
  const names = columns.map(({ name }) => name);
  const kept = names.filter((name) => (!name.startsWith('_') || name === '_extra') && name !== 'fetched_at');
  const where = names.includes('_valid_to') ? ' WHERE _valid_to IS NULL' : '';
  const list = kept.map((name) => `"${name}"`).join(', ');
  return `SELECT to_json(t)::VARCHAR AS "row" FROM (SELECT ${list} FROM ${from}${where}) AS t ORDER BY 1`;
}

/** Every checkpoint there is. */
export async function checkpointsOf(folder: string): Promise<readonly string[]> {
  const warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue) });
  try {
    const rows = await warehouse.query<{ row: string }>(
      'SELECT to_json(c)::VARCHAR AS "row" FROM firn.checkpoint AS c ORDER BY 1',
    );
    return rows.map(({ row }) => row);
  } finally {
    warehouse.close();
  }
}

/** The same streams, their histories from a day on that lies before everything: where they begin is asked of their lists. */
export const fromADay = (streams: Streams): Streams =>
  Object.fromEntries(
    Object.entries(streams).map(([id, parameters]) => {
      const isHistory = /^data\/(address_|token_transfers)/.test(id);
      return [id, isHistory ? { ...parameters, from: '2001-01-01' } : parameters];
    }),
  );

/** A warehouse folder for one test. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-standard-'));
  try {
    await placeState(folder);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Page {
  readonly [member: string]: unknown;
}

async function ask(devnet: Pick<Devnet, 'url'>, path: string): Promise<Page> {
  const response = await fetch(devnet.url + path);
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Page;
}

async function platform(devnet: Pick<Devnet, 'url'>, method: string, params: object): Promise<Page> {
  const response = await fetch(`${devnet.url}/ext/bc/P`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: `platform.${method}`, params }),
  });
  return (await response.json()) as Page;
}

/** Whether a recording holds the balance of an address at this moment. */
const knowsBalance = async (devnet: Pick<Devnet, 'url'>, address: string): Promise<boolean> =>
  'result' in (await platform(devnet, 'getBalance', { addresses: [`P-${address}`] }));

async function pHeight(devnet: Pick<Devnet, 'url'>): Promise<number> {
  const { result } = await platform(devnet, 'getHeight', {});
  return Number((result as { height: string }).height);
}

/** Names that come up most often first. */
function byFrequency(names: readonly (string | undefined)[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) if (name) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
}

/** Parameters for every stream of the catalogue, found by asking the network itself: nothing here is known beforehand. */
export async function parametersOf(devnet: Pick<Devnet, 'url'>): Promise<Streams> {
  type Named = { address: string };
  const { chains } = (await ask(devnet, '/v1/chains')) as unknown as {
    chains: { chainId: string; platformChainId: string; subnetId: string }[];
  };
  const chainIds = chains.map(({ chainId }) => chainId);
  const [chain = ''] = chainIds;
  const latest = (await ask(devnet, `/v1/chains/${chain}/transactions?pageSize=100`)) as unknown as {
    transactions: { from: Named; to?: Named }[];
  };
  const accounts = byFrequency(latest.transactions.flatMap(({ from, to }) => [from.address, to?.address])).slice(0, 2);
  const tokens: string[] = [];
  const holders: string[] = [];
  for (const account of accounts) {
    const { transactions } = (await ask(
      devnet,
      `/v1/chains/${chain}/addresses/${account}/transactions?pageSize=100`,
    )) as unknown as {
      transactions: Record<string, ({ from?: Named; to?: Named } & Record<string, Named>)[] | undefined>[];
    };
    for (const transaction of transactions) {
      for (const kind of ['erc20', 'erc721', 'erc1155']) {
        for (const transfer of transaction[`${kind}Transfers`] ?? []) {
          tokens.push(transfer[`${kind}Token`]?.address ?? '');
          if (kind !== 'erc20') holders.push(transfer.to?.address ?? '');
        }
      }
    }
  }
  const network = '/v1/networks/fuji';
  const primary = (await ask(devnet, `${network}/blockchains/p-chain/transactions?pageSize=100`)) as unknown as {
    transactions: { emittedUtxos: { addresses: string[] }[] }[];
  };
  const owners = byFrequency(primary.transactions.flatMap((tx) => tx.emittedUtxos.flatMap((utxo) => utxo.addresses)));
  const { validators } = (await ask(
    devnet,
    `${network}/validators?minUptimePerformance=0&pageSize=100`,
  )) as unknown as {
    validators: { nodeId: string }[];
  };
  const nodeIds = byFrequency(validators.map(({ nodeId }) => nodeId)).slice(0, 3);
  // Those of the Primary Network that come first renew themselves.
  const renewing = [...new Set(validators.map(({ nodeId }) => nodeId))].sort();
  const height = await pHeight(devnet);
  const answered = await Promise.all(owners.map((address) => knowsBalance(devnet, address)));
  const busiest = { chainIds: [chain], addresses: accounts };
  // The chain of the Primary Network has no precompile configuration; an L1 has.
  const l1 = chains
    .filter(({ subnetId }) => subnetId !== chains[0]?.subnetId)
    .map(({ platformChainId }) => platformChainId);
  const needed: Streams = {
    'node/containers': { indexes: ['P/block'] },
    'node/evm_blocks': { blockchainIds: l1 },
    'node/evm_fee_config': { blockchainIds: l1 },
    'node/evm_fee_config_history': { blockchainIds: l1 },
    'node/evm_chain_config': { blockchainIds: l1 },
    'node/evm_active_precompiles': { blockchainIds: l1 },
    'node/evm_active_rules': { blockchainIds: l1 },
    'node/evm_active_rules_history': { blockchainIds: l1 },
    'node/evm_active_precompiles_history': { blockchainIds: l1 },
    'node/l1_validators': { blockchainIds: l1 },
    'node/platform_blocks': { from: Math.max(0, height - 20) },
    'node/platform_balances': { addresses: owners.filter((_, i) => answered[i]).slice(0, 2) },
    'metrics/chain_metrics': { chainIds: [chain], metrics: ['txCount', 'maxGps'], timeIntervals: ['day', 'week'] },
    'data/latest_transactions': { chainIds, from: 0 },
    'data/primary_transactions': { from: 0 },
    'data/address_transactions': { ...busiest, pageSize: 20 },
    'data/address_erc721_transfers': { ...busiest, pageSize: 7 },
    'data/address_internal_transactions': { ...busiest, pageSize: 15 },
    'data/token_transfers': { chainIds: [chain], addresses: byFrequency(tokens).slice(0, 2), pageSize: 20 },
    'data/transaction_details': { chainIds: [chain], budget: 20 },
    'data/collectible_balances': { chainIds: [chain], addresses: byFrequency(holders).slice(0, 2), pageSize: 7 },
    'data/nft_tokens': { chainIds: [chain], addresses: byFrequency(tokens).slice(0, 2), pageSize: 7 },
    'data/utxos': { addresses: owners.slice(0, 3), includeSpent: true, pageSize: 300 },
    'data/staking_transactions': { pageSize: 3 },
    'data/vertices': { to: 12, pageSize: 5 },
    'data/validators': { pageSize: 3 },
    'data/validator_details': { nodeIds },
    'data/validator_cycles': { nodeIds: renewing, pageSize: 3 },
    'data/delegators': { pageSize: 3 },
    'data/pending_rewards': { nodeIds, pageSize: 3 },
  };
  return Object.fromEntries(catalogue.map(({ id }) => [id, needed[id] ?? {}]));
}
