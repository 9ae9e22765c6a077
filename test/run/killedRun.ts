import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type FirnProcess, startFirn } from '../cli/firnProcess.ts';

/** Where a run can be killed: before it says what it does, or in one of its phases. */
export const moments = ['start', 'sync', 'build', 'reconcile', 'publish'] as const;
export type Moment = (typeof moments)[number];

/** Milliseconds that a run spends at each moment. */
export type Durations = Readonly<Record<Moment, number>>;

/** A run that nothing interrupts, with how long it took where. */
export async function measuredRun(config: string): Promise<{ code: number; output: string; durations: Durations }> {
  const begun = performance.now();
  const { code, stdout, stderr } = await startFirn(['--config', config, '--json', 'run']).ended;
  const wall = performance.now() - begun;
  const { secondsByPhase, seconds } = JSON.parse(stdout) as {
    seconds: number;
    secondsByPhase: Readonly<Record<string, number>>;
  };
  const ms = (phase: string) => (secondsByPhase[phase] ?? 0) * 1000;
  const durations = {
    start: wall - seconds * 1000,
    sync: ms('sync'),
    build: ms('build'),
    reconcile: ms('reconcile'),
    publish: ms('publish'),
  };
  return { code, output: stderr, durations };
}

/**
 * Starts a run and kills it (SIGKILL) some time after a moment has come.
 *
 * @returns what it was doing when it was killed; null where it had come to its end before
 */
export async function killedRun(folder: string, moment: Moment, afterMs: number): Promise<Moment | null> {
  const process = startFirn(['--config', join(folder, 'firn.yaml'), '--quiet', 'run']);
  let isOver = false;
  void process.ended.then(() => {
    isOver = true;
  });
  while (!isOver && moments.indexOf(doing(folder, process)) < moments.indexOf(moment)) await delay(3);
  await Promise.race([delay(afterMs), process.ended]);
  const was = doing(folder, process);
  if (isOver || !process.child.kill('SIGKILL')) return null;
  const { code } = await process.ended;
  return code === 137 ? was : null;
}

/** What the process says that it is doing, in the file beside its database. */
function doing(folder: string, { child }: FirnProcess): Moment {
  try {
    const text = readFileSync(join(folder, 'warehouse', '.state', 'run.json'), 'utf8');
    const { pid, phase } = JSON.parse(text) as { pid: number; phase: Moment };
    // A run that was killed left its own there.
    return pid === child.pid ? phase : 'start';
  } catch {
    return 'start';
  }
}
