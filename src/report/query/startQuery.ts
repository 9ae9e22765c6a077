import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { FirnError } from '../../core/firnError.ts';
import { builtFile } from '../builtFile.ts';
import type { QueryRequest, QueryRows } from './queryRequest.ts';

/** A query that runs in a process of its own. */
export interface RunningQuery {
  readonly output: Readable;
  /**
   * Resolves when it has succeeded.
   *
   * @throws FirnError `refused` with what the query's process said; `failed` where it ended without a word
   */
  readonly ended: Promise<void>;
  /** Ends it at once. */
  kill(): void;
}

/** Starts a process for one query, without this one's environment and in the root folder, where no relative path leads anywhere. */
export function startQuery(request: QueryRequest): RunningQuery {
  const child: ChildProcess = spawn(process.execPath, [builtFile('queryProcess.js')], {
    cwd: '/',
    env: {},
    stdio: 'pipe',
  });
  // Where the system gives no more files there are no streams either: the end says why.
  const [output, said] = [child.stdout, child.stderr].map((stream) => stream ?? Readable.from([])) as [
    Readable,
    Readable,
  ];
  // A process that ended before it read everything says why on stderr.
  child.stdin?.on('error', () => {});
  child.stdin?.end(JSON.stringify(request));
  return { output, ended: endOf(child, text(said)), kill: () => void child.kill('SIGKILL') };
}

/** The page of rows that a query of `rows` answers. */
export async function rowsFrom(output: Readable, ended: Promise<void>): Promise<QueryRows> {
  const [body] = await Promise.all([text(output), ended]);
  return JSON.parse(body) as QueryRows;
}

async function endOf(child: ChildProcess, said: Promise<string>): Promise<void> {
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code === 0) return;
  const message = (await said).trim();
  if (message !== '') throw new FirnError('refused', message);
  throw new FirnError('failed', `The query's process was ended by ${signal ?? `code ${code}`}.`);
}
