import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { packageRoot } from '../../src/load/packageFiles.ts';
import { hostileServer } from './hostileServer.ts';
import type { Reading } from './readingProcess.ts';

/** Reads attacks one after the other in one process, which does nothing else. */
export async function readAlone(...attacks: readonly string[]): Promise<Reading[]> {
  const script = join(packageRoot(), 'dist', 'test', 'hostile', 'readingProcess.js');
  if (!existsSync(script)) throw new Error(`${script} is missing: build first (npm run build).`);
  const server = await hostileServer();
  const folder = await mkdtemp(join(tmpdir(), 'firn-hostile-'));
  try {
    const child = spawn(process.execPath, [script, server.url, folder, ...attacks], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed] = await Promise.all([text(child.stdout), once(child, 'close')]);
    const lines = printed.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Reading);
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}
