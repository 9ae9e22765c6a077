import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FirnError } from '../../src/core/firnError.ts';
import type { Case } from './cases.ts';
import { measureProcess, type Usage } from './measureProcess.ts';
import type { ServerMessage } from './servers/serve.ts';
import { type SideName, sides } from './sides.ts';

/** What one side of a case took, round by round. */
export interface Result {
  readonly case: string;
  readonly side: SideName;
  /** Rows of the counted kind that are served, all of which it read. */
  readonly rows: number;
  /** Bytes of answers that were sent to it in a round. */
  readonly bytes: number;
  readonly usages: readonly Usage[];
}

/**
 * Runs the sides of a case in turn, round after round, so that a slow moment of the machine meets all of them. The server is another
 * process, the same for all.
 *
 * @throws FirnError `failed` where a side fails or does not end with the rows that are served
 */
export async function runCase(
  one: Case,
  { rows, rounds, names }: { rows: number; rounds: number; names: readonly SideName[] },
): Promise<Result[]> {
  const server = await startServer(one, rows);
  const { served } = server;
  const [expected = 0] = Object.values(served.stored);
  const results = names.map((side) => ({ case: one.name, side, rows: expected, bytes: 0, usages: [] as Usage[] }));
  try {
    for (let round = 0; round < rounds; round++) {
      for (const result of results) {
        const side = sides[result.side];
        const folder = await mkdtemp(join(tmpdir(), 'firn-bench-'));
        const run = { case: one, rows, served, folder };
        try {
          await side.prepare?.(run);
          await server.bytes();
          const { usage, said } = await measureProcess({ ...side.command(run), folder });
          result.bytes = await server.bytes();
          result.usages.push(usage);
          const read = await (side.count?.(run) ?? Number(said));
          if (read !== expected) {
            throw new FirnError(
              'failed',
              `${one.name}, ${result.side}: ${read} ${one.unit} were read, ${expected} are served.`,
            );
          }
        } finally {
          await rm(folder, { recursive: true, force: true });
        }
      }
    }
    return results;
  } finally {
    server.close();
  }
}

async function startServer({ serving }: Case, rows: number) {
  const file = fileURLToPath(new URL('servers/serve.js', import.meta.url));
  const child = fork(file, [serving, String(rows)]);
  const ended = once(child, 'exit').then(([code]) => {
    throw new FirnError('failed', `The server of ${serving} ended with ${code}.`);
  });
  // An error for whoever waits for an answer; that the server ends when it is closed is none.
  ended.catch(() => {});
  const next = async (): Promise<ServerMessage> => {
    const [message] = await Promise.race([once(child, 'message'), ended]);
    return message as ServerMessage;
  };
  const first = await next();
  if (!('served' in first)) throw new FirnError('failed', `The server of ${serving} does not say where it is.`);
  return {
    served: first.served,
    /** Bytes that it has sent since the last call. */
    async bytes(): Promise<number> {
      child.send('bytes');
      const message = await next();
      return 'bytes' in message ? message.bytes : 0;
    },
    close: () => child.kill(),
  };
}
