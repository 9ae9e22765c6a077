import { z } from 'zod';
import { decimal, defineStream, echo, int64, optional, text, uint64, unixSeconds } from '../../src/index.ts';
import { listPages } from './listPages.ts';
import { nodeColumns, ofNodes, pageSize, sortOrder, wholeNodeIds } from './parameters.ts';
import { data, weights } from './source.ts';

/** Cycles of validators that renew themselves: weights and rewards that stand in no block. */
export const validatorCycles = defineStream(data, {
  name: 'validator_cycles',
  description:
    'Cycles of auto-renewed validators (ACP-236), settled ones and the one that runs, with their weights and rewards, one version per change.',
  endpoint: 'GET /v1/networks/{network}/validators/{nodeId}/cycles',
  parameters: z.strictObject({
    nodeIds: wholeNodeIds,
    txHash: z
      .string()
      .regex(/^\w+$/, 'a transaction id has letters and digits alone')
      .optional()
      .describe('Only cycles of the validation that this transaction began.'),
    sortOrder,
    pageSize: pageSize(100),
  }),
  partitionColumns: nodeColumns,
  partitions: ({ nodeIds, txHash, ...query }, network) => ofNodes(network, nodeIds, txHash ? { txHash } : {}, query),
  schema: z.object({
    nodeId: optional(echo('Node.')),
    stakingTxHash: text('AddAutoRenewedValidatorTx that began the validation, cb58.'),
    cycleIndex: int64('Number of the cycle in this validation, from 1 on.'),
    startTimestamp: unixSeconds('Start of the cycle.'),
    endTimestamp: unixSeconds('End of the cycle.'),
    weightAtCycleStart: uint64('Stake of this cycle, with all that was staked again before.', 'nAVAX'),
    autoCompoundSharePercent: optional(
      decimal('Share of its rewards that is staked again; of a running cycle as it would be now.', 'percent'),
    ),
    delegatorCount: optional(int64('Delegations that overlap it.')),
    amountDelegated: optional(uint64('Stake of these delegations.', 'nAVAX')),
    outcome: optional(text('renewed, exited, aborted, or a newer value; NULL while it runs.')),
    rewardTxHash: optional(text('Transaction that settled it, cb58; NULL while it runs.')),
    grossValidationReward: optional(uint64('Reward for validating that it earned; 0 where it was aborted.', 'nAVAX')),
    withdrawnValidationReward: optional(uint64('What of it was paid out.', 'nAVAX')),
    compoundedValidationReward: optional(uint64('What of it was staked again.', 'nAVAX')),
    grossDelegateeReward: optional(uint64('Share of the rewards of its delegations.', 'nAVAX')),
    withdrawnDelegateeReward: optional(uint64('What of that share was paid out.', 'nAVAX')),
    compoundedDelegateeReward: optional(uint64('What of that share was staked again.', 'nAVAX')),
    state: optional(text('Of a running cycle: renewing, exiting (it is the last one), or a newer value.')),
    projectedValidationReward: optional(uint64('Expected reward for validating, of a whole running cycle.', 'nAVAX')),
    accruedDelegateeReward: optional(
      uint64('Share of the rewards of delegations that ended in the running cycle so far.', 'nAVAX'),
    ),
  }),
  key: ['network', 'staking_tx_hash', 'cycle_index'],
  volatile: ['accrued_delegatee_reward', 'delegator_count', 'amount_delegated'],
  way: 'snapshot',
  *pages({ values, filters, settings }) {
    const path = `/v1/networks/${values['network']}/validators/${values['node_id']}/cycles`;
    yield* listPages(path, { ...filters, ...settings }, weights.medium);
  },
  // The running cycle stands beside the settled ones, on the first page alone.
  records: [
    { at: 'cycles', each: 'item' },
    { at: 'currentCycle', mayMiss: true },
  ],
});
