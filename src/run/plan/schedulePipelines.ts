import { createTask, type ScheduledTask } from 'node-cron';
import { FirnError } from '../../core/firnError.ts';
import { eitherDay } from '../../core/input/isCronExpression.ts';
import type { Settings } from '../settings.ts';

/** Pipelines that have a schedule. */
export interface ScheduledPipeline {
  readonly name: string;
  /** Cron expression, UTC. */
  readonly expression: string;
}

/** @throws FirnError `config` when no pipeline has one */
export function scheduledPipelines(settings: Settings): ScheduledPipeline[] {
  const found = Object.entries(settings.pipelines).flatMap(([name, { schedule: expression }]) =>
    expression ? [{ name, expression }] : [],
  );
  if (found.length > 0) return found;
  throw new FirnError(
    'config',
    'No pipeline has a schedule. Add one, such as schedule: "*/10 * * * *", under pipelines.<name>.',
  );
}

/** No timer knows that the machine slept or that its clock was set: what time it is, is asked this often at least. */
const lookMs = 30_000;

/**
 * Starts the pipelines at their times until the signal is raised. The warehouse has one writer: runs never overlap; a time
 * that comes while a run is under way is remembered once, and its run begins when the other has ended. Times that were missed are made up
 * for by one run.
 *
 * @param pipelines those that there are now: a run may change them
 * @param run runs one pipeline; its errors are its own to report
 */
export async function schedulePipelines(
  pipelines: () => readonly ScheduledPipeline[],
  run: (name: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const waiting = new Set<string>();
  let running: Promise<void> | null = null;
  const drain = async () => {
    for (const name of waiting) {
      if (signal.aborted) return;
      waiting.delete(name);
      await run(name);
    }
  };
  const due = (name: string) => {
    waiting.add(name);
    running ??= drain().finally(() => {
      running = null;
    });
  };
  let next = new Map<string, number>();
  let before = 0;
  while (!signal.aborted) {
    const now = Date.now();
    // A clock that was set back need not come to the old times first.
    const known = now < before ? new Map<string, number>() : next;
    before = now;
    next = new Map();
    for (const { name, expression } of pipelines()) {
      const key = `${name} ${expression}`;
      const time = known.get(key) ?? nextTime(expression);
      if (time <= now) due(name);
      next.set(key, time <= now ? nextTime(expression) : time);
    }
    await pause(Math.min(lookMs, ...[...next.values()].map((time) => time - now)), signal);
  }
  await running;
}

/** What to say of pipelines that no time begins, such as one of the 30th of February: a sentence each. */
export const neverRun = (pipelines: readonly ScheduledPipeline[]): string[] =>
  pipelines
    .filter(({ expression }) => nextTime(expression) === Number.POSITIVE_INFINITY)
    .map(
      ({ name, expression }) =>
        `${name}: ${expression} never comes, since no month that it names has such a day. Correct pipelines.${name}.schedule.`,
    );

/** When an expression holds next, in milliseconds. */
const nextTime = (expression: string): number =>
  Math.min(
    ...eitherDay(expression).map((times) => {
      let task: ScheduledTask | undefined;
      try {
        task = createTask(times, () => {}, { timezone: 'Etc/UTC' });
        return task.getNextRuns(1)[0]?.getTime() ?? Number.POSITIVE_INFINITY;
      } catch {
        // The 30th of February.
        return Number.POSITIVE_INFINITY;
      } finally {
        // All that are not are kept by the library.
        void task?.destroy();
      }
    }),
  );

/** Resolves after this many milliseconds, or when the signal is raised. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
