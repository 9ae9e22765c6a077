import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { FirnError } from '../../src/core/firnError.ts';

/** A command line, and the folder in which it works. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly folder: string;
}

/** What a whole process took, from its start to its end. */
export interface Usage {
  /** Seconds by the clock. */
  readonly wall: number;
  /** Seconds of all its threads and of the processes that it waited for, user and system. */
  readonly cpu: number;
  /** Highest resident memory of the process, MiB. */
  readonly peak: number;
}

/** Clock ticks a second in what the kernel shows: the same on every Linux. */
const ticks = 100;
/** Milliseconds between two looks at the peak, which the kernel itself keeps: only what grows after the last look is missed. */
const lookEvery = 20;

/**
 * Runs a process to its end and measures it from outside, as the kernel counts it (`/proc`: Linux only).
 *
 * @returns what it took, and its last line on stdout
 * @throws FirnError `failed` with what it wrote to stderr, where it does not end with 0
 */
export async function measureProcess({ file, args, folder }: Command): Promise<{ usage: Usage; said: string }> {
  const cpuBefore = cpuOfChildren();
  const begun = performance.now();
  const child = spawn(file, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.on('data', (part: Buffer) => {
    out += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => {
    err += part.toString();
  });
  let peak = highWater(child.pid);
  const look = setInterval(() => {
    peak = Math.max(peak, highWater(child.pid));
  }, lookEvery);
  const [code] = await once(child, 'close').finally(() => clearInterval(look));
  const wall = (performance.now() - begun) / 1000;
  if (code !== 0) {
    throw new FirnError('failed', `${file} ${args.join(' ')} ended with ${code}: ${(err || out).trim().slice(-2000)}`);
  }
  const usage = { wall, cpu: cpuOfChildren() - cpuBefore, peak };
  return { usage, said: out.trimEnd().split('\n').at(-1) ?? '' };
}

/** CPU seconds of the processes that this one has started and that have ended, with theirs. */
export function cpuOfChildren(): number {
  // The name of the program, in brackets, may hold spaces: the fields are counted behind it.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / ticks;
}

function highWater(pid: number | undefined): number {
  try {
    return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    // It ended just now.
    return 0;
  }
}
