import { z } from 'zod';
import {
  boolean,
  type Derived,
  type Deriving,
  defineStream,
  optional,
  type RecordPlace,
  text,
  unixSeconds,
} from '../../src/index.ts';
import { asking } from './askRpc.ts';
import { ofEvmChains } from './evmChains.ts';
import { node } from './source.ts';

/**
 * The rules of an answer of eth_getActiveRulesAt, one record per rule. Avalanche's own are called `avalancheRules`; the
 * documentation says `networkRules`. A member that is no set of rules is taken for a single rule, which the schema refuses where it is none.
 */
export const activeRules: readonly RecordPlace[] = [
  { at: 'ethRules', each: 'member', name: 'rule', take: { value: '' }, also: { ruleSet: 'eth' } },
  {
    each: 'member of member',
    but: ['ethRules', 'precompiles'],
    name: 'rule',
    take: { value: '' },
    also: { ruleSet: 'network' },
  },
  {
    at: 'precompiles',
    each: 'member',
    mayMiss: true,
    name: 'rule',
    also: { ruleSet: 'precompile', value: 'true' },
  },
];

const states: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** Whether a rule is in force, by its value. */
export const ruleState = (row: Deriving): Derived => ({
  columns: { is_active: states.get(String(row.value('value'))) ?? null },
});

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
  ...ofEvmChains,
  schema: z.object(activeRule),
  key: ['chain_id', 'rule_set', 'rule'],
  way: 'snapshot',
  pages: asking('eth_getActiveRulesAt'),
  derive: ruleState,
  records: activeRules,
});
