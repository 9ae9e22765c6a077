import { z } from 'zod';
import { boolean, defineStream, objectOf, optional, rawOf, text, unixSeconds } from '../../src/index.ts';
import { chainIdColumn, evmChainIds, rpcPartitions } from './evmChains.ts';
import { node } from './source.ts';

/** Answer of eth_getActiveRulesAt. The chain network's own rules are called `avalancheRules`; the documentation says `networkRules`. */
interface ActiveRules {
  readonly ethRules?: Readonly<Record<string, unknown>>;
  readonly precompiles?: Readonly<Record<string, { readonly timestamp?: unknown }>>;
  readonly [network: string]: Readonly<Record<string, unknown>> | undefined;
}

/** Members of one rule. */
export const activeRule = {
  ruleSet: text('eth, network (the rules of the chain network itself), or precompile.'),
  rule: text('Name of the rule, such as IsCancun, or of the precompile configuration.'),
  isActive: optional(boolean('Whether the rule is in force; NULL for a value that is neither true nor false.')),
  value: text('The value as text.'),
  timestamp: optional(unixSeconds('Time from which a precompile is in force.')),
};

/** Rules in force on EVM L1s, one row per rule. */
export const evmActiveRules = defineStream(node, {
  name: 'evm_active_rules',
  description: 'Rules in force, one row per rule and one version per change. Not offered by the C-Chain.',
  endpoint: 'eth_getActiveRulesAt',
  parameters: z.strictObject({ blockchainIds: evmChainIds }),
  partitionColumns: [chainIdColumn],
  needs: ['evm'],
  partitions: ({ blockchainIds }, network) => rpcPartitions(network, blockchainIds),
  schema: z.object(activeRule),
  key: ['chain_id', 'rule_set', 'rule'],
  way: 'snapshot',
  *pages(partition) {
    yield { kind: 'rpc', path: partition.settings.path, call: { method: 'eth_getActiveRulesAt', params: [] } };
  },
  records: activeRules,
});

/** The rules of an answer, one record per rule. */
export function activeRules(body: unknown) {
  const { ethRules: _, precompiles, ...others } = objectOf(body) as ActiveRules;
  return [
    ...flags('eth', objectOf(body, 'ethRules')),
    // What is no set of rules is taken for one rule, and refused by the schema where it is none.
    ...Object.entries(others).flatMap(([name, rules]) =>
      flags('network', typeof rules === 'object' ? rules : { [name]: rules }),
    ),
    ...Object.entries(rawOf(precompiles)).map(([rule, precompile]) => {
      const { timestamp, ...more } = rawOf(precompile);
      return { ...more, ruleSet: 'precompile', rule, isActive: true, value: true, timestamp };
    }),
  ];
}

function flags(ruleSet: string, rules: Readonly<Record<string, unknown>> | undefined) {
  return Object.entries(rules ?? {}).map(([rule, value]) => ({
    ruleSet,
    rule,
    isActive: typeof value === 'boolean' ? value : null,
    value,
  }));
}
