import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../cli/firnProcess.ts';
import { temporary } from '../temporaryFolders.ts';
import { hostileAnswers } from './hostileAnswers.ts';
import type { Reading } from './readingProcess.ts';

/** Above a process that has read an honest answer, MiB. */
const most = 256;

test('no answer takes more than 256 MiB', async () => {
  const names = Object.keys(hostileAnswers).filter((n) => new RegExp(process.env['ONLY'] ?? '').test(n));
  const [idle, ...readings] = await read(names);
  console.log(
    readings
      .map(
        (r) =>
          `${r.name}: ${r.code} q${r.quarantined} ${r.seconds.toFixed(2)}s +${(r.peak - (idle?.peak ?? 0)).toFixed(0)} ${r.message}`,
      )
      .join('\n'),
  );
  expect(readings.map(({ name }) => name)).toEqual(names);
});

async function read(names: readonly string[]): Promise<Reading[]> {
  const url = await serve();
  const script = await bundled();
  const child = spawn(process.execPath, ['--expose-gc', script, url, await temporary(), ...names], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (part: Buffer) => {
    printed += part.toString();
  });
  await once(child, 'close');
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Reading);
}

/** One file of the reading process and all it imports but packages: it lies where these are found. */
async function bundled(): Promise<string> {
  const dir = join(projectRoot, 'node_modules', '.cache', 'firn-hostile');
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'readingProcess.ts'),
    platform: 'node',
    external: /^[^./]/,
  });
  await bundle.write({ dir, format: 'esm' });
  await bundle.close();
  return join(dir, 'readingProcess.js');
}

async function serve(): Promise<string> {
  const made = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    const [, name = ''] = /^\/([^/]+)/.exec(request.url ?? '') ?? [];
    const answer = hostileAnswers[decodeURIComponent(name)];
    let asked = '';
    for await (const chunk of request) asked += chunk;
    const id = asked === '' ? 0 : JSON.parse(asked).id;
    if (/getLastAccepted/.test(asked))
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { index: '2000' } }));
    const headers = {
      'content-type': 'application/json',
      ...(answer?.encoding && { 'content-encoding': answer.encoding }),
    };
    response.writeHead(200, headers);
    if (answer && !made.has(name)) made.set(name, answer.body());
    response.end(answer ? withId(made.get(name) as Buffer, id) : '{"transactions":[]}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function withId(body: Buffer, id: number): Buffer {
  const at = body.indexOf('"ID"');
  return at < 0 ? body : Buffer.concat([body.subarray(0, at), Buffer.from(String(id)), body.subarray(at + 4)]);
}
