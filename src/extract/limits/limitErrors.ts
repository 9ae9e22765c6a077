import { FirnError } from '../../core/firnError.ts';

/** The error of a day's quota that leaves no room. */
export function dailyQuotaSpent(origin: string, perDay: number, used: number, weight: number): FirnError {
  if (weight > perDay)
    return new FirnError(
      'config',
      `The daily quota of ${perDay} compute units for ${origin} is less than a request of ${weight} needs. ` +
        'Raise quota.perDay of this source, or leave out the streams that need more.',
      { context: { origin, reason: 'daily_quota', perDay, used } },
    );
  return new FirnError(
    'rate_limited',
    `The daily quota of ${perDay} compute units for ${origin} is used up: ${used} are used, and the next request needs ${weight}. ` +
      'Run again after 00:00 UTC, or raise quota.perDay of this source: what was committed stays.',
    { context: { origin, reason: 'daily_quota', perDay, used } },
  );
}

/** The error of a wait that is too long. */
export function waitTooLong(origin: string, until: number, waitMs: number, maxWaitMs: number): FirnError {
  return new FirnError(
    'rate_limited',
    // Without what is left, which would make another sentence of each partition.
    `${origin} asks for no requests until ${new Date(until).toISOString()}, and firn waits ${maxWaitMs / 1_000} s at most. ` +
      'Run again after that: what was committed stays.',
    { context: { origin, reason: 'long_wait', retryAfterMs: waitMs } },
  );
}
