import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { clusterFolder } from '../../../src/cluster/local/localCluster.ts';
import { placesIn } from '../../../src/cluster/local/places.ts';
import { temporary } from '../../temporaryFolders.ts';
import { freePort } from '../postgres.ts';

const inPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'versitygw'));

/** The store that `firn cluster up` fetches; undefined where neither it nor another one is installed. */
export const store = [join(placesIn(clusterFolder()).programs, 'gateway', 'versitygw'), ...inPath].find(existsSync);

/** A store of this process, and a way to it on which every request is looked at first. */
export interface Bucket {
  readonly folder: string;
  readonly settings: { uri: string; endpoint: string; accessKey: string; secretKey: string };
  /** What is done with the next requests: true where it was answered, and the store is not to hear of it. */
  meddle: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;
  /** What is done once the store has answered, such as to lose it. */
  lose: (request: IncomingMessage) => boolean;
  close(): void;
}

export async function startBucket(): Promise<Bucket> {
  const folder = await temporary();
  await mkdir(join(folder, 'bucket'));
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
  const self = { meddle: () => false, lose: () => false } as Pick<Bucket, 'meddle' | 'lose'>;
  const proxy: Server = createServer(async (asked, answer) => {
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
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return Object.assign(self, {
    folder,
    settings: { uri: 's3://bucket/a prefix', endpoint, accessKey: 'firn', secretKey: 'firnsecret' },
    close() {
      proxy.closeAllConnections();
      proxy.close();
      child.kill();
    },
  });
}
