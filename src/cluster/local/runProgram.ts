import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { FirnError } from '../../core/firnError.ts';

/**
 * Runs a program to its end.
 *
 * @param input what it reads
 * @returns what it printed
 * @throws FirnError `failed` with the last it said, where it is missing or fails
 */
export async function runProgram(
  [command = '', ...args]: readonly string[],
  options: SpawnOptions = {},
  input = '',
): Promise<string> {
  const child = spawn(command, args, { ...options, stdio: 'pipe' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (output += data));
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  const [code] = await once(child, 'close').catch((cause) => {
    throw new FirnError('failed', `${command} could not be started: ${cause.message}.`, { cause });
  });
  if (code === 0) return output;
  throw new FirnError(
    'failed',
    `${[command, ...args].join(' ')} failed: ${output.trim().split('\n').slice(-5).join(' ')}`,
  );
}
