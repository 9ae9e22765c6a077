import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { mainFile } from '../../../src/load/packageFiles.ts';
import { cpuOfChildren } from '../../bench/measureProcess.ts';
import type { Served, ServerMessage } from '../../bench/servers/serve.ts';
import { listening } from '../../listening.ts';
import { freshDatabase } from '../postgres.ts';
import type { QuotaRound } from './quota.ts';

/** What so many workers took to read a chain from a source that refuses nothing. */
export interface ReadRound {
  readonly rows: number;
  /** What the chain has. */
  readonly expected: number;
  readonly seconds: number;
  /** Of processors, all workers together from start to end. */
  readonly cpu: number;
}

/** `firn worker` as so many processes that read one chain into a folder. */
export async function readRound(workers: number, blocks: number): Promise<ReadRound> {
  return withChain(blocks, async ({ configuration, stored }) => {
    const cluster = await clusterOf(configuration);
    const cpu = cpuOfChildren();
    const begun = performance.now();
    const ends = cluster.start(workers).map((child) => once(child, 'exit'));
    const codes = (await Promise.all(ends)).map(([code]) => code);
    const seconds = (performance.now() - begun) / 1000;
    if (codes.some((code) => code !== 0)) throw new Error(`workers ended with ${codes.join(', ')}`);
    const rows = await cluster.rows(Object.keys(stored));
    await cluster.close();
    const expected = Object.values(stored).reduce((sum, count) => sum + count, 0);
    return { rows, expected, seconds, cpu: cpuOfChildren() - cpu };
  });
}

/** Calls in a window; those of a batch count one by one, as services count them. */
const limit = 2_000;
const windowMs = 20_000;

/** `firn worker` as so many processes, and a source that offers so many calls in each of its windows and says so. */
export async function announcedRound(workers: number, windows: number): Promise<QuotaRound> {
  return withChain(1_000_000, async ({ url, configuration }) => {
    const offered = new Map<number, { served: number; refused: number }>();
    const server = createServer(async (asked, answer) => {
      const body = await text(asked);
      const calls: unknown = JSON.parse(body);
      const count = Array.isArray(calls) ? calls.length : 1;
      const now = Date.now();
      const number = Math.floor(now / windowMs);
      const window = offered.get(number) ?? { served: 0, refused: 0 };
      offered.set(number, window);
      const isRefused = window.served + count > limit;
      window[isRefused ? 'refused' : 'served'] += count;
      const headers = {
        'content-type': 'application/json',
        'ratelimit-limit': `${limit};w=${windowMs / 1000}`,
        'ratelimit-remaining': String(limit - window.served),
        'ratelimit-reset': ((windowMs - (now % windowMs)) / 1000).toFixed(3),
      };
      if (isRefused) return void answer.writeHead(429, headers).end();
      // Each on a connection of its own: one that is kept may be closed just as it is used again.
      request(`${url}${asked.url}`, { method: 'POST', agent: false }, (said) => {
        said.pipe(answer.writeHead(said.statusCode ?? 500, headers));
      }).end(body);
    });
    const limited = await listening(server);
    const cluster = await clusterOf(configuration.replace(url, limited.url));
    const running = cluster.start(workers);
    // The windows in which they start and learn of the quota are not counted, nor is the last one.
    while (offered.size < windows + 3) await sleep(100);
    for (const child of running) child.kill('SIGKILL');
    await cluster.close();
    await limited.close();
    const numbers = [...offered.keys()].sort((a, b) => a - b).slice(2, 2 + windows);
    const whole = numbers.map((number) => offered.get(number) ?? { served: 0, refused: 0 });
    const sum = (of: 'served' | 'refused') => whole.reduce((all, window) => all + window[of], 0);
    const asked = (numbers.at(-1) ?? 0) - (numbers[0] ?? 0) + 1;
    return { used: sum('served') / (limit * asked), refused: sum('refused') / (sum('served') + sum('refused')) };
  });
}

/** Runs work beside a process that serves a chain of so many blocks. */
async function withChain<T>(blocks: number, work: (served: Served) => Promise<T>): Promise<T> {
  const serve = join(import.meta.dirname, '..', '..', 'bench', 'servers', 'serve.js');
  const source = fork(serve, ['evmBlocks', String(blocks)]);
  try {
    const [{ served }] = (await once(source, 'message')) as [Extract<ServerMessage, { served: Served }>];
    return await work(served);
  } finally {
    source.kill();
  }
}

/** A control database and a stage of their own, and workers for them. @param configuration JSON, of one machine */
async function clusterOf(configuration: string) {
  const folder = await mkdtemp(join(tmpdir(), 'firn-workers-'));
  const control = await freshDatabase();
  const config = join(folder, 'firn.yaml');
  const settings = {
    ...JSON.parse(configuration),
    control,
    stage: join(folder, 'stage'),
    engine: { trino: 'http://127.0.0.1:1', catalog: 'lake' },
  };
  await writeFile(config, JSON.stringify(settings));
  const args = [mainFile(), '--config', config, '--quiet', 'worker', '--until-idle', '--no-apply'];
  return {
    start: (workers: number): ChildProcess[] =>
      Array.from({ length: workers }, () => spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })),
    async rows(tables: readonly string[]): Promise<number> {
      const sql = await openControl(control, { connections: 1, migrates: false });
      const [row] = await sql.query<{ rows: string }>(
        `SELECT coalesce(sum(rows), 0) AS rows FROM firn.batch_file WHERE substr(table_name, 5) = ANY($1)`,
        [tables],
      );
      await sql.close();
      return Number(row?.rows);
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
