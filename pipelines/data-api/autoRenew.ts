import { z } from 'zod';
import { amount, decimal, int64, optional, text, texts, unixSeconds } from '../../src/index.ts';

/** How an auto-renewed validation goes on, and what came of it so far; none of other validations. */
export const autoRenew = z
  .object({
    state: optional(text('renewing, exiting (after this cycle), exited, aborted, or a newer value.')),
    nextPeriodSeconds: optional(int64('Length of the next cycle; 0 where it exits after this one.', 's')),
    autoCompoundSharePercent: optional(decimal("Share of a cycle's rewards that is staked again.", 'percent')),
    compoundedWeight: optional(amount('Stake with all that was staked again.', 'nAVAX')),
    accruedValidationRewards: optional(amount('Rewards for validating that were staked again.', 'nAVAX')),
    accruedDelegateeRewards: optional(amount('Rewards from delegations that were staked again.', 'nAVAX')),
    validationRewardAddresses: optional(texts('Addresses that rewards for validating go to.')),
    delegationRewardAddresses: optional(texts('Addresses that rewards from delegations go to.')),
    exitReason: optional(text('graceful, uptime_not_met, or a newer value; NULL while it goes on.')),
    endedAtTimestamp: optional(unixSeconds('When it ended; NULL while it goes on.')),
  })
  .nullish();
