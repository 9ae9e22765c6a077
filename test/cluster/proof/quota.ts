import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { sharedLimiter } from '../../../src/cluster/quota/sharedLimiter.ts';
import { createBreaker } from '../../../src/extract/limits/breaker.ts';
import type { OnAnswer } from '../../../src/extract/limits/limiter.ts';
import { freshDatabase } from '../postgres.ts';
import { createVirtualTime } from '../quota/virtualTime.ts';

/** Shares of what a server offered in its own windows while the workers had work: spent by them, and refused. */
export interface QuotaRound {
  readonly used: number;
  readonly refused: number;
}

const limit = 30;
const windowMs = 3_000;
/** On the way to the server, and back. */
const wayMs = 10;

/** A server that offers so many requests in each of its windows, and says so. */
function createServer(now: () => number) {
  const offered: { served: number; refused: number }[] = [];
  return {
    offered,
    answer(): Parameters<OnAnswer> {
      const number = Math.floor(now() / windowMs);
      offered[number] ??= { served: 0, refused: 0 };
      const window = offered[number];
      const isRefused = window.served >= limit;
      window[isRefused ? 'refused' : 'served']++;
      const headers = {
        'ratelimit-limit': `${limit};w=${windowMs / 1000}`,
        'ratelimit-remaining': String(limit - window.served),
        'ratelimit-reset': ((windowMs - (now() % windowMs)) / 1000).toFixed(3),
      };
      return [isRefused ? 429 : 200, headers];
    },
  };
}

/** Workers, each with connections of its own, ask as fast as they are let. Time passes when all of them wait: a busy machine changes nothing. */
export async function quotaRound(workers: number, windows: number): Promise<QuotaRound> {
  const url = await freshDatabase();
  const control = await openControl(url);
  const time = await createVirtualTime(control, 2);
  // Opened anew: the time of a database is that of its later connections.
  const controls = await Promise.all(Array.from({ length: workers }, () => openControl(url, { connections: 2 })));
  const server = createServer(time.now);
  const origin = 'http://offering';
  const asking = controls.flatMap((one) => {
    const breaker = createBreaker({ origin, clock: time });
    const limiter = sharedLimiter(
      time.watched(one),
      { origin, clock: time, breaker, concurrency: 4, maxWaitMs: 60_000 },
      'key',
    );
    return Array.from({ length: 4 }, async () => {
      while (time.now() < (windows + 1) * windowMs)
        await limiter.run(1, async (heard) => {
          await time.sleep(wayMs);
          heard(...server.answer());
          await time.sleep(wayMs);
        });
    });
  });
  await time.pass(Promise.all(asking));
  // While the workers had work: the first window tells them of itself.
  const counted = server.offered.slice(1, windows + 1);
  const sum = (of: 'served' | 'refused') => counted.reduce((all, window) => all + (window?.[of] ?? 0), 0);
  await Promise.all([control, ...controls].map((one) => one.close()));
  if (counted.length !== windows) throw new Error(`of ${windows} windows ${counted.length} were asked for anything`);
  return { used: sum('served') / (limit * counted.length), refused: sum('refused') / (sum('served') + sum('refused')) };
}
