import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../cli/firnProcess.ts';
import { localServer } from '../extract/localServer.ts';
import { temporary } from '../temporaryFolders.ts';
import { type HostileAnswer, hostileAnswers } from './hostileAnswers.ts';
import type { Reading } from './readingProcess.ts';

// FIRN_HOSTILE (npm run proof) reads each answer in a process of its own, and all of them.
const isLong = process.env['FIRN_HOSTILE'] !== undefined;
const { 'an honest page': _, ...hostile } = hostileAnswers;
const chosen = Object.entries(hostile).filter(([, { isShort }]) => isShort || isLong);
const names = (isTaken: boolean) =>
  chosen.filter(([, answer]) => (answer.isTaken ?? false) === isTaken).map(([name]) => name);
const groups = isLong ? chosen.map(([name]) => [name]) : [names(false), ...names(true).map((name) => [name])];

/** MiB above a process that has read an honest page. */
const most = 256;

test.each(groups.map((group) => [group.join(', '), group] as const))(
  'no more than 256 MiB for %s',
  async (_, group) => {
    const [idle, ...readings] = await read(['an honest page', ...group]);
    expect(idle).toMatchObject({ code: null, rows: 100 });
    expect(readings.map(({ name }) => name)).toEqual(group);
    for (const { name, code, peak } of readings) {
      expect(code, name).toBe(hostileAnswers[name]?.isTaken ? null : 'contract');
      if (process.env['SHOW']) console.log(name, code, Math.round(peak - (idle?.peak ?? 0)));
      expect(peak - (idle?.peak ?? 0), name).toBeLessThan(most);
    }
  },
);

/** Reads answers one after the other in one process. */
async function read(answers: readonly string[]): Promise<Reading[]> {
  const script = join(projectRoot, 'dist', 'test', 'hostile', 'readingProcess.js');
  if (!existsSync(script)) throw new Error(`${script} is missing: build first (npm run build).`);
  const { url } = await hostileServer();
  const child = spawn(process.execPath, [script, url, await temporary(), ...answers], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (part: Buffer) => {
    printed += part.toString();
  });
  await once(child, 'close');
  return printed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Reading);
}

/** Serves each answer below its own name; indexes of containers say that they hold enough. */
function hostileServer() {
  const made = new Map<string, Buffer>();
  return localServer((response, _, { url, body: asked }) => {
    const name = decodeURIComponent(url.split('/')[1] ?? '');
    const { body, encoding } = hostileAnswers[name] as HostileAnswer;
    const { id, method } = (asked === '' ? {} : JSON.parse(asked)) as { id?: number; method?: string };
    response.writeHead(200, { 'content-type': 'application/json', ...(encoding && { 'content-encoding': encoding }) });
    if (method === 'index.getLastAccepted')
      return response.end(`{"jsonrpc":"2.0","id":${id},"result":{"index":"2000"}}`);
    const answer = made.get(name) ?? body();
    made.set(name, answer);
    const place = answer.indexOf('"id":0');
    if (place < 0 || id === undefined) return response.end(answer);
    response.write(answer.subarray(0, place));
    response.write(`"id":${id}`);
    return response.end(answer.subarray(place + 6));
  });
}
