import { z } from 'zod';
import {
  type Asking,
  type Check,
  defineStream,
  numberIn,
  type Pages,
  rawOf,
  unixSeconds,
  type Window,
  wholeNumberOf,
} from '../../src/index.ts';
import { askMany } from './askRpc.ts';
import { activePrecompile, activePrecompiles } from './evmActivePrecompiles.ts';
import { activeRule, activeRules, ruleState } from './evmActiveRules.ts';
import { isChainConfig } from './evmChainConfig.ts';
import { ofEvmChains } from './evmChains.ts';
import { node } from './source.ts';

/** Moments that were asked about. */
type Asked = { readonly asked: readonly number[] };

const fromTime = unixSeconds('Block time from which the answer holds; until the next moment of the chain.');

/** Rules in force at every moment at which they may have changed, since genesis. */
export const evmActiveRulesHistory = defineStream(node, {
  name: 'evm_active_rules_history',
  description:
    'Rules in force at every moment at which the chain configuration lets them change, since genesis. Not offered by the C-Chain.',
  endpoint: 'eth_getActiveRulesAt at a timestamp, eth_getChainConfig',
  ...ofEvmChains,
  schema: z.object({ fromTime, ...activeRule }),
  key: ['chain_id', 'from_time', 'rule_set', 'rule'],
  range: 'from_time',
  time: 'from_time',
  way: 'slice',
  derive: ruleState,
  pages: ({ settings }, { position }: Window<Asked>) => momentPages('eth_getActiveRulesAt', settings.path, position),
  records: activeRules.map((place) => ({ ...place, about: 'fromTime' })),
});

/** Precompiles in force at every such moment. */
export const evmActivePrecompilesHistory = defineStream(node, {
  name: 'evm_active_precompiles_history',
  description:
    'Precompiles in force, with their configurations, at every moment at which the chain configuration lets them change, since genesis. Not offered by the C-Chain.',
  endpoint: 'eth_getActivePrecompilesAt at a timestamp, eth_getChainConfig',
  deprecated: { since: 'a version that the specification does not name', use: 'node/evm_active_rules_history' },
  ...ofEvmChains,
  schema: z.object({ fromTime, ...activePrecompile }),
  key: ['chain_id', 'from_time', 'name'],
  range: 'from_time',
  time: 'from_time',
  way: 'slice',
  pages: ({ settings }, { position }: Window<Asked>) =>
    momentPages('eth_getActivePrecompilesAt', settings.path, position),
  records: { ...activePrecompiles, about: 'fromTime' },
});

/** Asks about every moment that the configuration names, that has come, and that was not asked about before. */
function* momentPages(method: string, path: string, position: Asked | null): Pages<Asked> {
  const asked = new Set(position?.asked);
  const [config, head] = yield* askBoth(path);
  const open = [...new Set([0, ...momentsIn(config)])].filter((moment) => !asked.has(moment));
  const now = numberIn(rawOf(head)['timestamp']);
  for (const moment of open.filter((time) => time <= now).sort((a, b) => a - b)) {
    yield { kind: 'rpc', path, about: moment, call: { method, params: [moment] } };
    asked.add(moment);
    yield { kind: 'advance', position: { asked: [...asked] } };
  }
}

const isHead: Check = (body) => wholeNumberOf(body, 'timestamp');

/** The chain configuration and the newest block, in one request. */
function* askBoth(path: string): Asking<unknown[]> {
  const calls = [
    { method: 'eth_getChainConfig', params: [], check: isChainConfig },
    { method: 'eth_getBlockByNumber', params: ['latest', false], check: isHead },
  ];
  const outcomes = yield* askMany(path, calls);
  const results: unknown[] = [];
  for (const [i, call] of calls.entries()) {
    const outcome = outcomes[i];
    // A call that fails is sent alone: then the error is the node's own.
    results.push(outcome && !outcome.error ? outcome.result : (yield { kind: 'rpc', path, call }).body);
  }
  return results;
}

/** Every time in a chain configuration, of forks as of precompiles, Unix seconds. */
function momentsIn(config: unknown): number[] {
  if (config === null || typeof config !== 'object') return [];
  return Object.entries(config).flatMap(([name, value]) => {
    if (!/Time(stamp)?$/.test(name)) return momentsIn(value);
    const moment = numberIn(value);
    return value !== null && Number.isSafeInteger(moment) ? [moment] : [];
  });
}
