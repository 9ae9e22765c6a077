import { type ScheduledTask, schedule } from 'node-cron';
import { FirnError } from '../../core/firnError.ts';
import { eitherDay } from '../../core/isCronExpression.ts';
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

/**
 * Starts the pipelines at their times until the signal is raised. The warehouse has one writer: runs never overlap; a time
 * that comes while a run is under way is remembered once, and its run begins when the other has ended. One that is missed is made up for.
 *
 * @param run runs one pipeline; its errors are its own to report
 */
export async function schedulePipelines(
  pipelines: readonly ScheduledPipeline[],
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
  const tasks: ScheduledTask[] = pipelines.flatMap(({ name, expression }) =>
    eitherDay(expression).map((times) => {
      const task = schedule(times, () => due(name), { timezone: 'Etc/UTC' });
      // A time that came while the machine slept, or this process was busy, is late and no reason to wait for the next, which may be a day away.
      task.on('execution:missed', () => due(name));
      return task;
    }),
  );
  if (!signal.aborted)
    await new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }));
  for (const task of tasks) await task.destroy();
  await running;
}
