import { EventEmitter, once } from 'node:events';
import PQueue from 'p-queue';
import type { DailyUsage } from '../../core/requests/dailyUsage.ts';
import { steadyClock } from '../clock.ts';
import { throwIfAborted } from '../interruption.ts';
import { Allowance } from './allowance.ts';
import { createConcurrency } from './concurrency.ts';
import type { LimiterOptions } from './limiterOptions.ts';
import { createPace } from './pace.ts';
import type { Headers } from './serverLimits.ts';

/** Tells the limiter what came back, as soon as the head of the answer is there. */
export type OnAnswer = (status: number, headers: Headers) => void;

/** Decides when a request may be sent. One per source. */
export interface Limiter {
  /**
   * Runs `task` when its turn comes: a free place, room in the configured quota and in the server's, no pause asked for by the
   * server or after it refused one request too many, breaker closed. `again` puts a request that was sent before ahead of new ones.
   *
   * @throws FirnError `rate_limited` at once when the day's quota is used up or the wait would be too long; `unavailable`
   *   from the breaker; `config` for a request of more than the day's quota; `interrupted`
   */
  run<T>(
    weight: number,
    task: (heard: OnAnswer) => Promise<T>,
    options?: { signal?: AbortSignal | undefined; again?: boolean },
  ): Promise<T>;
  /** Ends when the pause that the server asked for last is durable; what waits for the pause waits for that first. */
  noted(): Promise<void>;
  usage(): DailyUsage;
  stats(): LimiterStats;
}

interface LimiterStats {
  readonly concurrency: number;
  /** Compute units of all requests sent. */
  readonly computeUnits: number;
  /** Milliseconds in which the limits let nothing be sent. */
  readonly waitedMs: number;
}

/** A limiter of our own, since p-queue counts requests: a quota counts compute units, over days and runs, and a server's headers come first. */
export function createLimiter(options: LimiterOptions): Limiter {
  const { clock, breaker } = options;
  const concurrency = createConcurrency(options.concurrency);
  const queue = new PQueue({ concurrency: concurrency.current() });
  /** One request at a time waits for its turn, so that light ones do not overtake heavy ones for ever. */
  const entrance = new PQueue({ concurrency: 1 });
  const events = new EventEmitter<{ settled: [] }>();
  const allowance = new Allowance(options);
  const steady = steadyClock(clock);
  const pace = createPace(steady, options);
  let computeUnits = 0;
  let waitedMs = 0;

  /** Waits until `weight` may be sent, and books it. */
  const admit = async (weight: number, signal: AbortSignal | undefined): Promise<number> => {
    for (;;) {
      throwIfAborted(signal);
      const wait = Math.max(allowance.waitMs(weight), pace.waitMs()) || breaker.tryEnter();
      if (wait === 0) break;
      const from = clock.now();
      // At once: the answer waited for may come while a pause is noted.
      if (wait === Number.POSITIVE_INFINITY) await once(events, 'settled', signal && { signal });
      else await allowance.noted().then(() => clock.sleep(wait, signal));
      waitedMs += clock.now() - from;
    }
    allowance.spend(weight);
    computeUnits += weight;
    return concurrency.ticket();
  };

  /** Runs a task once it is admitted, and notes what came of it. */
  const send = async <T>(weight: number, task: (heard: OnAnswer) => Promise<T>, signal: AbortSignal | undefined) => {
    const ticket = await entrance.add(() => admit(weight, signal));
    const sentAt = steady.now();
    let answered = false;
    const heard: OnAnswer = (status, headers) => {
      answered = true;
      const serverSays = allowance.answered(weight, status, headers);
      if (status >= 500 || (status === 429 && !serverSays)) concurrency.down(ticket);
      else if (status < 300) concurrency.up();
      events.emit('settled');
    };
    try {
      const result = await task(heard);
      pace.taken();
      return result;
    } catch (error) {
      pace.failed(error, sentAt);
      throw error;
    } finally {
      if (!answered) {
        allowance.unanswered(weight);
        if (!signal?.aborted) concurrency.down(ticket);
      }
      queue.concurrency = concurrency.current();
      events.emit('settled');
    }
  };

  return {
    async run(weight, task, { signal, again = false } = {}) {
      const work = () => send(weight, task, signal);
      return queue.add(work, { priority: again ? 1 : 0, ...(signal && { signal }) });
    },
    noted: () => allowance.noted(),
    usage: () => allowance.usage(),
    stats: () => ({ concurrency: concurrency.current(), computeUnits, waitedMs }),
  };
}
