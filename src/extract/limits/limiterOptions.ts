import type { DailyUsage } from '../../core/requests/dailyUsage.ts';
import type { Clock } from '../clock.ts';
import type { ServerPause } from './askedPause.ts';
import type { Breaker } from './breaker.ts';

export interface LimiterOptions {
  readonly origin: string;
  readonly clock: Clock;
  readonly breaker: Breaker;
  readonly quota?: Quota | undefined;
  /** Compute units used earlier today, from the state. */
  readonly usedToday?: DailyUsage | undefined;
  /** Requests under way at most. */
  readonly concurrency: number;
  /** A request that would wait longer is refused. */
  readonly maxWaitMs: number;
  /** How long nothing is sent after a refusal that does not say for how long. Default: as the retry policy has it. */
  readonly holdMs?: number | undefined;
  /** What the origin asked for, in this run or an earlier one; shared by all its limiters. Default: one of its own, which is kept nowhere. */
  readonly pause?: ServerPause | undefined;
}

/** Limits in compute units, from the configuration. */
export interface Quota {
  readonly perMinute?: number | undefined;
  readonly perDay?: number | undefined;
}
