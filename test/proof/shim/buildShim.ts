import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../../src/load/packageFiles.ts';

const run = promisify(execFile);

/** A library that stands between a process and the system calls on a folder; what it can do stands at the top of `shim.c`. */
export interface Shim {
  /** The environment of a process that it is to stand before. */
  env(folder: string, asked: Readonly<Record<string, string>>): Record<string, string>;
}

/**
 * Builds it with the system's C compiler.
 *
 * @param folder that it is built in
 * @returns why it cannot be had here, in a sentence
 */
export async function buildShim(folder: string): Promise<Shim | string> {
  if (process.platform !== 'linux') return 'Needs Linux: a library is put before the system calls by LD_PRELOAD.';
  const library = join(folder, 'shim.so');
  const source = join(packageRoot(), 'test', 'proof', 'shim', 'shim.c');
  try {
    await run('cc', ['-shared', '-fPIC', '-O2', '-Wall', '-Werror', '-o', library, source, '-ldl', '-lpthread']);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing)
      return 'Needs a C compiler (cc): the library that stands before the system calls is built when it is used.';
    throw error;
  }
  return { env: (watched, asked) => ({ LD_PRELOAD: library, SHIM_FOLDER: watched, UV_USE_IO_URING: '0', ...asked }) };
}
