import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { loadStream } from './loadStream.ts';
import { startPageServer } from './pageServer.ts';

/**
 * Peak resident memory of a process that loads `rows` transactions; the server is another process.
 *
 * @returns MiB
 */
export async function peakMemory(rows: number): Promise<number> {
  const server = await startPageServer(rows);
  try {
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), server.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.on('data', (part: Buffer) => {
      printed += part.toString();
    });
    await once(child, 'exit');
    return Number(printed) / 1024;
  } finally {
    await server.close();
  }
}

const [script, url] = process.argv.slice(1);
if (script === fileURLToPath(import.meta.url) && url) {
  process.env['UV_THREADPOOL_SIZE'] = '16';
  await loadStream(url, 'data/latest_transactions', { chainIds: ['43114'], from: '0' });
  console.log(process.resourceUsage().maxRSS);
}
