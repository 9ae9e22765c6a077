import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { delimiter, join } from 'node:path';
import { clusterFolder } from '../../../src/cluster/local/localCluster.ts';
import { placesIn } from '../../../src/cluster/local/places.ts';
import { listening } from '../../listening.ts';
import { temporary } from '../../temporaryFolders.ts';
import { freePort } from '../postgres.ts';

const inPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'versitygw'));

/** The store that `firn cluster up` fetches; undefined where neither it nor another one is installed. */
export const store = [join(placesIn(clusterFolder()).programs, 'gateway', 'versitygw'), ...inPath].find(existsSync);

/** A way to a store on which every request is looked at first. */
export interface Proxy {
  readonly url: string;
  /** What is done with the next requests: true where it was answered, and the store is not to hear of it. */
  meddle: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;
  /** What is done once the store has answered, such as to lose it. */
  lose: (request: IncomingMessage) => boolean;
  close(): void;
}

/** A store of this process, and the way to it. */
export interface Bucket extends Proxy {
  readonly folder: string;
  readonly settings: { uri: string; endpoint: string; accessKey: string; secretKey: string };
}

export async function startBucket(): Promise<Bucket> {
  const folder = await temporary();
  await mkdir(join(folder, 'bucket'));
  const { port, child } = await serveFolder(folder);
  const proxy = await startProxy(port);
  const closeProxy = proxy.close;
  return Object.assign(proxy, {
    folder,
    settings: { uri: 's3://bucket/a prefix', endpoint: proxy.url, accessKey: 'firn', secretKey: 'firnsecret' },
    close() {
      closeProxy();
      child.kill();
    },
  });
}

/** A store over a folder, whose folders are its buckets. */
export async function serveFolder(folder: string) {
  const port = await freePort();
  const child = spawn(
    store as string,
    ['--port', `127.0.0.1:${port}`, '--health', '/healthz', '--quiet', 'posix', folder],
    {
      env: { ...process.env, ROOT_ACCESS_KEY: 'firn', ROOT_SECRET_KEY: 'firnsecret' },
      stdio: 'ignore',
    },
  );
  child.unref();
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/healthz`)
      .then((said) => said.ok)
      .catch(() => false);
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`${store} ended with ${child.exitCode}`);
    await new Promise((wait) => setTimeout(wait, 20));
  }
  return { port, child };
}

/** @param at where it listens; default: at any port */
export async function startProxy(port: number, at = 0): Promise<Proxy> {
  const self = { meddle: () => false, lose: () => false } as Pick<Proxy, 'meddle' | 'lose'>;
  const proxy = createServer(async (asked, answer) => {
    if (await self.meddle(asked, answer)) return void asked.resume();
    const { method, url, headers } = asked;
    const passed = request({ port, host: '127.0.0.1', method, path: url, headers }, (said) => {
      if (self.lose(asked)) return void said.resume().on('end', () => answer.destroy());
      answer.writeHead(said.statusCode ?? 500, said.headers);
      said.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  return Object.assign(self, await listening(proxy, at));
}
