import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a run tells beside the locked database, in `.state/run.json`: for `status` and `report`. */
export interface RunState {
  readonly runId: string;
  readonly command: string;
  readonly phase: string;
  readonly pid: number;
  readonly since: string;
}

const fileOf = (warehouse: string) => join(warehouse, '.state', 'run.json');

/** Says what this process is doing. */
export async function writeRunState(
  warehouse: string,
  state: Pick<RunState, 'runId' | 'command' | 'phase'>,
): Promise<void> {
  const whole: RunState = { ...state, pid: process.pid, since: new Date().toISOString() };
  const temporary = `${fileOf(warehouse)}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(whole)}\n`, { mode: 0o600 });
  await rename(temporary, fileOf(warehouse));
}

/** The run under way, or null; one whose process is gone does not count. */
export async function readRunState(warehouse: string): Promise<RunState | null> {
  try {
    const state = JSON.parse(await readFile(fileOf(warehouse), 'utf8')) as RunState;
    process.kill(state.pid, 0);
    return state;
  } catch {
    return null;
  }
}

/** Says that this process is done. */
export async function clearRunState(warehouse: string): Promise<void> {
  await rm(fileOf(warehouse), { force: true });
}
