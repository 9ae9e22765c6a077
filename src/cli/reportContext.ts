import type { StatusContext } from '../report/readStatus.ts';
import { readRunState } from '../run/runState.ts';
import type { Settings } from '../run/settings.ts';
import { packageVersion } from './packageVersion.ts';

/** What status and report tell that the reader database does not know: the clock, the run under way, the quotas allowed. */
export async function reportContext(settings: Settings): Promise<StatusContext> {
  const { data, metrics } = settings.sources;
  const quotas = { data: data?.quota?.perDay, metrics: metrics?.quota?.perDay };
  return {
    now: Date.now(),
    firnVersion: packageVersion(),
    running: await readRunState(settings.warehouse),
    dailyQuota: Object.fromEntries(
      Object.entries(quotas).filter((entry): entry is [string, number] => entry[1] !== undefined),
    ),
  };
}
