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
  /** Rows of the counted kind that it read: as many as are served. */
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
  const usages = names.map((): Usage[] => []);
  const last = names.map(() => ({ rows: 0, bytes: 0 }));
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [i, name] of names.entries()) {
        const folder = await mkdtemp(join(tmpdir(), 'firn-bench-'));
        const run = { case: one, rows, served: server.served, folder };
        const side = sides[name];
        try {
          await side.prepare?.(run);
          await server.bytes();
          const { usage, said } = await measureProcess({ ...side.command(run), folder });
          const bytes = await server.bytes();
          last[i] = { rows: await (side.count?.(run) ?? Number(said)), bytes };
          usages[i]?.push(usage);
        } finally {
          await rm(folder, { recursive: true, force: true });
        }
      }
    }
  } finally {
    server.close();
  }
  return names.map((side, i) => {
    const { rows: read, bytes } = last[i] as (typeof last)[number];
    const [served = 0] = Object.values(server.served.stored);
    if (read !== 0 && read !== served) {
      throw new FirnError('failed', `${one.name}, ${side}: ${read} ${one.unit} were read, ${served} are served.`);
    }
    return { case: one.name, side, rows: read, bytes, usages: usages[i] ?? [] };
  });
}

async function startServer({ serving }: Case, rows: number) {
  const file = fileURLToPath(new URL('servers/serve.js', import.meta.url));
  const child = fork(file, [serving, String(rows)]);
  const next = async (): Promise<ServerMessage> => {
    const [message] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => {
        throw new FirnError('failed', `The server of ${serving} ended with ${code}.`);
      }),
    ]);
    return message as ServerMessage;
  };
  const first = await next();
  if (!('served' in first)) throw new FirnError('failed', `The server of ${serving} does not say where it is.`);
  return {
    served: first.served,
    /** Bytes that it has sent since this was asked last. */
    async bytes(): Promise<number> {
      child.send('bytes');
      const message = await next();
      return 'bytes' in message ? message.bytes : 0;
    },
    close: () => child.kill(),
  };
}
