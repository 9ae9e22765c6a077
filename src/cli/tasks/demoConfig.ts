import type { Devnet, Ledger } from 'firn-devnet';
import { stringify } from 'yaml';
import { dayText } from '../../report/texts/timeText.ts';

/** The first line of every configuration that the demo writes: a folder that begins with it may be replaced by the next demo. */
export const demoMark = '# Written by "firn demo"; the next demo replaces this folder.';

/** The same of a demo with `--keep`, which no demo replaces, running or not. */
export const keptMark = '# Written by "firn demo --keep"; no demo replaces this folder: remove it when you are done.';

/** The demo's configuration: every stream that the embedded network has something for, at its address. */
export function demoConfig({ url, ledger }: Pick<Devnet, 'url' | 'ledger'>, mark = demoMark): string {
  const { c, l1s } = ledger;
  const chainIds = [c, ...l1s].map(({ evmChainId }) => String(evmChainId));
  const l1Ids = l1s.map(({ blockchainId }) => blockchainId);
  const from = dayText(ledger.firstMoment);
  const wallet = { chainIds: [String(c.evmChainId)], addresses: busiestSenders(ledger, 2), from };
  const owners = platformAddresses(ledger, 10);
  const contracts = contractsOf(ledger, 4);
  const streams = {
    'node/containers': { indexes: ['C/block', 'P/block', 'X/block', 'X/tx', 'X/vtx'] },
    'node/evm_blocks': { blockchainIds: ['C', ...l1Ids] },
    'node/evm_chain_config': { blockchainIds: ['C', ...l1Ids] },
    ...(l1Ids.length > 0 && {
      'node/evm_fee_config': { blockchainIds: l1Ids },
      'node/evm_fee_config_history': { blockchainIds: l1Ids },
      'node/evm_active_rules': { blockchainIds: l1Ids },
      'node/evm_active_rules_history': { blockchainIds: l1Ids },
      'node/l1_validators': { blockchainIds: l1Ids },
    }),
    'node/platform_validators': {},
    'node/platform_supply': {},
    'node/platform_blockchains': {},
    'node/platform_reward_utxos': {},
    'data/chains': {},
    'data/latest_transactions': { chainIds, from },
    'data/primary_transactions': { blockchainIds: ['p-chain', 'x-chain', 'c-chain'], from },
    'data/address_transactions': wallet,
    'data/address_erc721_transfers': wallet,
    'data/address_internal_transactions': wallet,
    ...(contracts.length > 0 && { 'data/token_transfers': { chainIds: wallet.chainIds, addresses: contracts, from } }),
    'data/transaction_details': { chainIds: wallet.chainIds, streams: ['address_internal_transactions'] },
    ...(owners.length > 0 && {
      'data/utxos': { blockchainIds: ['p-chain', 'x-chain'], addresses: owners, includeSpent: true },
      'data/staking_transactions': { addresses: owners },
      'data/pending_rewards': { addresses: owners },
    }),
    'data/validators': {},
    'data/delegators': {},
    'metrics/chain_metrics': { chainIds, metrics: 'all', timeIntervals: 'all', from },
  };
  const configuration = {
    warehouse: '.',
    sources: { node: { url }, data: { url, network: 'fuji' }, metrics: { url } },
    pipelines: { demo: { schedule: '*/10 * * * *', streams } },
  };
  return `${mark}\n${stringify(configuration, { aliasDuplicateObjects: false })}`;
}

/** The C-Chain's most active senders, most active first. */
function busiestSenders({ c }: Ledger, most: number): string[] {
  const sent = new Map<string, number>();
  for (const { block } of c.blocks) {
    for (const { from } of (JSON.parse(block) as { transactions: { from: string }[] }).transactions)
      sent.set(from, (sent.get(from) ?? 0) + 1);
  }
  return [...sent]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([address]) => address);
}

/** Contracts whose state the recording has answers about: its tokens. */
function contractsOf({ finalState }: Ledger, most: number): string[] {
  const called = finalState
    .filter(({ chain, method }) => chain === 'C' && method === 'eth_call')
    .map(({ params }) => (params as [{ to?: string }])[0].to);
  return [...new Set(called)].filter((to): to is string => to !== undefined).slice(0, most);
}

/** P-Chain addresses that the recording names. */
function platformAddresses({ manifest }: Ledger, most: number): string[] {
  const roles = Object.keys((manifest['roles'] as object | undefined) ?? {});
  return roles.filter((name) => name.startsWith('P-')).slice(0, most);
}
