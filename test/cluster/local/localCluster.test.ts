import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fetchPrograms } from '../../../src/cluster/local/fetchPrograms.ts';
import { startCluster } from '../../../src/cluster/local/localCluster.ts';
import { firstPort, placesIn, portsFrom } from '../../../src/cluster/local/places.ts';
import {
  pidOf,
  type Service,
  startService,
  stopService,
  waitUntilReady,
} from '../../../src/cluster/local/processes.ts';
import { type Program, programs } from '../../../src/cluster/local/programs.ts';
import { trinoFiles, trinoNodes } from '../../../src/cluster/local/trinoFiles.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firn-cluster-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('fetching', () => {
  const program = (fetch: Program['fetch'], command = 'node'): Record<string, Program> => ({
    tool: { name: 'Tool 1', needs: { command, advice: 'Install it.' }, size: 3, seconds: 2, fetch, proof: 'tool' },
  });
  const lines: string[] = [];
  const fetching = (one: Record<string, Program>) => fetchPrograms(folder, one, (line) => lines.push(line));

  test('says what it costs before it begins, and fetches once', async () => {
    lines.length = 0;
    const tool = program([['node', '-e', 'require("fs").writeFileSync("tool", "")']]);
    await fetching(tool);
    expect(lines.slice(0, 2)).toEqual([`To fetch into ${folder}, once:`, '  Tool 1: 3 MB, about 2 s']);
    expect(existsSync(join(folder, 'tool', 'tool'))).toBe(true);
    lines.length = 0;
    await fetching(tool);
    expect(lines).toEqual([]);
  });

  test('a program that is missing is a sentence', async () => {
    await expect(fetching(program([], 'no-such-program'))).rejects.toThrow('no-such-program is not here. Install it.');
  });

  test('one that fails leaves nothing that looks whole', async () => {
    await expect(fetching(program([['node', '-e', 'process.exit(3)']]))).rejects.toThrow('failed');
    await expect(fetching(program([['node', '-e', '0']]))).rejects.toThrow('Tool 1 was fetched, but holds no tool.');
    expect(existsSync(join(folder, 'tool'))).toBe(false);
  });

  test('every program says its size and what to install without its client', () => {
    for (const { size, seconds, needs } of Object.values(programs)) {
      expect(Math.min(size, seconds)).toBeGreaterThan(0);
      expect(needs.advice).toMatch(/\.$/);
    }
  });
});

describe('a service', () => {
  const service = (script: string, isReady: () => Promise<boolean>): Service => ({
    name: 'one',
    port: 1,
    command: ['node', '-e', script],
    folder: join(folder, 'one'),
    end: 'SIGTERM',
    isReady,
  });
  const lasting = 'require("fs").writeFileSync("ready", ""); setInterval(() => {}, 1000)';

  test('runs until it is stopped, and is known by its file', { tags: 'long' }, async () => {
    const one = service(lasting, async () => existsSync(join(folder, 'one', 'ready')));
    await startService(folder, one);
    await waitUntilReady(folder, [one], 60);
    const pid = await pidOf(folder, 'one');
    expect(pid).toBe(Number((await readFile(join(folder, 'one.pid'), 'utf8')).split('\n')[0]));
    expect(await stopService(folder, one)).toBe(true);
    expect(await pidOf(folder, 'one')).toBeUndefined();
    expect(await stopService(folder, one)).toBe(false);
  });

  test('is known in another time zone', async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    const one = service(lasting, async () => true);
    await startService(folder, one);
    vi.stubEnv('TZ', 'America/New_York');
    const isKnown = (await pidOf(folder, 'one')) !== undefined;
    vi.unstubAllEnvs();
    expect(await stopService(folder, one)).toBe(true);
    expect(isKnown).toBe(true);
  });

  test('that ends while it is told to end has ended', { tags: 'long' }, async () => {
    const one = service(lasting, async () => existsSync(join(folder, 'one', 'ready')));
    await startService(folder, one);
    await waitUntilReady(folder, [one], 60);
    const { kill } = process;
    // It is gone in the moment between the look at it and the signal.
    const killing = vi.spyOn(process, 'kill').mockImplementationOnce((pid) => {
      kill.call(process, pid, 'SIGKILL');
      throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
    });
    expect(await stopService(folder, one)).toBe(true);
    expect(killing).toHaveBeenCalled();
    killing.mockRestore();
    expect(await pidOf(folder, 'one')).toBeUndefined();
  });

  test('that ends by itself is told with its log', async () => {
    const one = service('process.exit(1)', async () => false);
    await startService(folder, one);
    await expect(waitUntilReady(folder, [one], 60)).rejects.toThrow(`one ended. Its log: ${join(folder, 'one.log')}`);
  });

  test('that ended before it could be looked at has ended', async () => {
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    await writeFile(join(folder, 'one.pid'), `${gone}\n\n`);
    expect(await pidOf(folder, 'one')).toBeUndefined();
  });

  test('is not another process that has its number by now', async () => {
    const one = service(lasting, async () => true);
    await startService(folder, one);
    const text = await readFile(join(folder, 'one.pid'), 'utf8');
    await writeFile(join(folder, 'one.pid'), text.replace(/\n.+\n/, '\nThu Jan  1 00:00:00 1970\n'));
    expect(await stopService(folder, one)).toBe(false);
    await writeFile(join(folder, 'one.pid'), text);
    expect(await stopService(folder, one)).toBe(true);
  });
});

test('Trino listens on this machine alone, each node at a port of its own', () => {
  const ports = portsFrom(18080);
  const nodes = trinoNodes(ports);
  expect(nodes.map(({ port }) => port)).toEqual([18080, 18081, 18082]);
  for (const node of nodes) {
    const config = trinoFiles(node, ports, '/exchange')['etc/config.properties'];
    expect(config).toContain('node.bind-ip=127.0.0.1\n');
    expect(config).toContain(`http-server.http.port=${node.port}\n`);
    expect(config).toContain(`coordinator=${node.isCoordinator}\n`);
  }
});

test('the ports of the last start are known by what it wrote', async () => {
  const places = placesIn(folder);
  expect(await firstPort(places)).toBe(18080);
  const [coordinator] = trinoNodes(portsFrom(41000));
  const file = join(places.run, 'coordinator', 'etc', 'config.properties');
  await mkdir(dirname(file), { recursive: true });
  const files = trinoFiles(coordinator as NonNullable<typeof coordinator>, portsFrom(41000), '/exchange');
  await writeFile(file, files['etc/config.properties'] ?? '');
  expect(await firstPort(places)).toBe(41000);
});

test('a cluster that runs is not started again elsewhere', async () => {
  const run = join(folder, 'run');
  const one: Service = {
    name: 'bucket',
    port: 1,
    command: ['node', '-e', 'setInterval(() => {}, 1000)'],
    folder: join(folder, 'one'),
    end: 'SIGTERM',
    isReady: async () => true,
  };
  await mkdir(run);
  await startService(run, one);
  await expect(startCluster({ folder, port: 41000, print: () => {} })).rejects.toThrow('at ports from 18080 on');
  await stopService(run, one);
});

test('a port of somebody else is refused before anything is fetched or started', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const starting = startCluster({ folder, port, print: () => {} });
  await expect(starting).rejects.toThrow(`Port ${port} is taken by a process that this cluster did not start`);
  server.close();
});
