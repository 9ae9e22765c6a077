import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { sharedLimiter } from '../../../src/cluster/quota/sharedLimiter.ts';
import { createHttp } from '../../../src/extract/http.ts';
import { freshDatabase } from '../postgres.ts';

/** Shares of what a server announced: spent by the workers, and refused. */
export interface QuotaRound {
  readonly used: number;
  readonly refused: number;
}

const limit = 60;
const windowMs = 3_000;

/** Workers, each with connections of its own, ask a server with an announced quota for so many windows as fast as they are let. */
export async function quotaRound(workers: number, windows: number): Promise<QuotaRound> {
  const database = await freshDatabase();
  const controls = await Promise.all(Array.from({ length: workers }, () => openControl(database)));
  const count = { served: 0, refused: 0 };
  const begun = performance.now();
  let window = -1;
  let spent = 0;
  const server = createServer((_, response) => {
    const elapsed = performance.now() - begun;
    const now = Math.floor(elapsed / windowMs);
    if (now !== window) {
      window = now;
      spent = 0;
    }
    const isRefused = spent >= limit;
    if (!isRefused) spent++;
    if (now < windows) count[isRefused ? 'refused' : 'served']++;
    const reset = (windowMs - (elapsed % windowMs)) / 1000;
    response.writeHead(isRefused ? 429 : 200, {
      'content-type': 'application/json',
      'ratelimit-limit': `${limit};w=${windowMs / 1000}`,
      'ratelimit-remaining': limit - spent,
      'ratelimit-reset': reset.toFixed(3),
    });
    response.end('{}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const over = new AbortController();
  const asking = controls.map(async (control) => {
    const http = createHttp({
      origin: { url },
      signal: over.signal,
      limiter: (options) => sharedLimiter(control, options, 'key'),
    });
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        while (performance.now() - begun < windows * windowMs) await http.get('/').catch(() => {});
      }),
    );
    await http.close();
    await control.close();
  });
  setTimeout(() => over.abort(), windows * windowMs - (performance.now() - begun));
  await Promise.all(asking);
  server.closeAllConnections();
  server.close();
  return { used: count.served / (limit * windows), refused: count.refused / (count.served + count.refused) };
}
