import { Pool } from 'undici';
import type { Load } from './loadStream.ts';

/** The same pages by undici and JSON.parse alone: what the pipeline is measured against. One connection, as a paged read has. */
export async function fetchPages(url: string): Promise<Load> {
  const pool = new Pool(url, { connections: 1 });
  const begun = performance.now();
  let rows = 0;
  let requests = 0;
  let token: string | undefined = '0';
  while (token !== undefined) {
    const { body } = await pool.request({
      method: 'GET',
      path: `/v1/chains/43114/transactions?pageSize=100&pageToken=${token}`,
    });
    const page = JSON.parse(await body.text()) as { transactions: unknown[]; nextPageToken?: string };
    rows += page.transactions.length;
    requests++;
    token = page.nextPageToken;
  }
  const seconds = (performance.now() - begun) / 1000;
  await pool.close();
  return { rows, seconds, requests };
}

/** The same ranges of containers by undici and JSON.parse alone, as many in flight as the stream has. */
export async function fetchRanges(url: string, rows: number, ahead: number): Promise<Load> {
  const pool = new Pool(url, { connections: ahead });
  const begun = performance.now();
  const starts = Array.from({ length: Math.ceil(rows / 1024) }, (_, i) => i * 1024);
  let read = 0;
  const lane = async () => {
    for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
      const call = {
        jsonrpc: '2.0',
        id: 1,
        method: 'index.getContainerRange',
        params: { startIndex: start, numToFetch: 1024, encoding: 'hex' },
      };
      const { body } = await pool.request({
        method: 'POST',
        path: '/ext/index/C/block',
        body: JSON.stringify(call),
        headers: { 'content-type': 'application/json' },
      });
      const answer = JSON.parse(await body.text()) as { result: { containers: unknown[] } };
      read += answer.result.containers.length;
    }
  };
  const requests = starts.length;
  await Promise.all(Array.from({ length: ahead }, lane));
  const seconds = (performance.now() - begun) / 1000;
  await pool.close();
  return { rows: read, seconds, requests };
}
