import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { mainFile } from '../../src/load/packageFiles.ts';

export const projectRoot = resolve(import.meta.dirname, '..', '..');
const main = mainFile();

/** What a command line wrote and ended with. */
export interface Captured {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface FirnProcess {
  readonly child: ChildProcess;
  /** What was written so far. */
  readonly written: { stdout: string; stderr: string };
  readonly ended: Promise<Captured>;
}

interface ProcessOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Largest file that the process may write, in blocks of 1,024 bytes: a disk that is full. */
  readonly fileBlocks?: number;
  /** How many files it may have open. */
  readonly openFiles?: number;
  /** Started by nohup. */
  readonly nohup?: boolean;
}

/** Starts the built command line in a process of its own. Without a terminal, as cron does. */
export function startFirn(args: readonly string[], options: ProcessOptions = {}): FirnProcess {
  if (!existsSync(main)) throw new Error(`${main} is missing: build first (npm run build).`);
  const command = [process.execPath, main, ...args];
  // Node ignores SIGXFSZ: a write beyond the limit fails with EFBIG, as one on a full disk fails with ENOSPC.
  const { fileBlocks, openFiles } = options;
  const limits = [...(fileBlocks === undefined ? [] : [`-f ${fileBlocks}`]), ...(openFiles ? [`-n ${openFiles}`] : [])];
  const limited = ['bash', '-c', `ulimit ${limits.join(' ')}; exec "$@"`, 'firn', ...command];
  const [program = '', ...rest] = [...(options.nohup ? ['nohup'] : []), ...(limits.length === 0 ? command : limited)];
  const child = spawn(program, rest, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  }
  const ended = new Promise<Captured>((done, failed) => {
    child.once('error', failed);
    child.once('close', (code, signal) => done({ code: code ?? (signal === 'SIGKILL' ? 137 : -1), ...written }));
  });
  return { child, written, ended };
}

/** Runs the built command line to its end. */
export function runFirn(args: readonly string[], options: ProcessOptions = {}): Promise<Captured> {
  return startFirn(args, options).ended;
}
