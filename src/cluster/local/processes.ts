import { spawn } from 'node:child_process';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FirnError } from '../../core/firnError.ts';
import { makeFolder } from '../../disk/makeFolder.ts';
import { runProgram } from './runProgram.ts';

/** A process that outlives the command that starts it. */
export interface Service {
  readonly name: string;
  /** Where it listens, on 127.0.0.1. */
  readonly port: number;
  readonly command: readonly string[];
  readonly folder: string;
  /** The account that runs it, where it is not the caller's. */
  readonly account?: { readonly uid: number; readonly gid: number } | undefined;
  /** The signal that ends it well. */
  readonly end: NodeJS.Signals;
  /** Whether it answers. */
  isReady(): Promise<boolean>;
}

const pidFile = (run: string, name: string) => join(run, `${name}.pid`);
const logFile = (run: string, name: string) => join(run, `${name}.log`);

/** The process of a service, as its file tells; undefined where it does not run, or another has its number by now. */
export async function pidOf(run: string, name: string): Promise<number | undefined> {
  const text = await readFile(pidFile(run, name), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const [pid = '', begun] = text.trim().split('\n');
  const start = await startOf(pid);
  return start !== undefined && start === begun ? Number(pid) : undefined;
}

/** When a process began, in the words of ps, which are the same wherever the machine is by now; undefined where there is none. */
const startOf = (pid: string | number): Promise<string | undefined> =>
  runProgram(['env', 'TZ=UTC', 'LC_ALL=C', 'ps', '-o', 'lstart=', '-p', String(pid)]).then(
    (text) => text.trim(),
    () => undefined,
  );

/** Starts a service; its pid and its log stand in the folder of the cluster. */
export async function startService(run: string, { name, command, folder, account }: Service): Promise<void> {
  await makeFolder(folder);
  const log = await open(logFile(run, name), 'a');
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    ...account,
  });
  child.on('error', () => {});
  child.unref();
  await log.close();
  if (child.pid === undefined) throw new FirnError('failed', `${program} could not be started.`);
  await writeFile(pidFile(run, name), `${child.pid}\n${(await startOf(child.pid)) ?? ''}\n`);
}

/** Waits until services answer. */
export async function waitUntilReady(run: string, services: readonly Service[], seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1000;
  for (const service of services) {
    while (!(await service.isReady())) {
      const what = `${service.name} does not answer`;
      const look = `Its log: ${logFile(run, service.name)}`;
      if (!(await pidOf(run, service.name))) throw new FirnError('failed', `${service.name} ended. ${look}`);
      if (performance.now() > end) throw new FirnError('unavailable', `${what} after ${seconds} s. ${look}`);
      await delay(300);
    }
  }
}

/** Ends a service of this cluster, by force where it does not go. */
export async function stopService(run: string, { name, end }: Pick<Service, 'name' | 'end'>): Promise<boolean> {
  const pid = await pidOf(run, name);
  for (let waits = 0; pid !== undefined && (await pidOf(run, name)) !== undefined; waits++) {
    signal(pid, waits < 40 ? end : 'SIGKILL');
    await delay(250);
  }
  await rm(pidFile(run, name), { force: true });
  return pid !== undefined;
}

/** Sends a signal to a process that may have ended since it was looked for. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
