import { Pool } from 'undici';

// What firn is measured against: a process that gets the same answers by undici, as many at once, and parses them with JSON.parse.
// `node limit.js <url> pages <path>...`, `<url> containers <count>`, `<url> blocks <count> [traces]`; prints how many records it saw.
const [url = '', kind, ...rest] = process.argv.slice(2);
const pool = new Pool(url, { connections: 8 });

async function post(path: string, call: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const { body } = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(call) });
  return JSON.parse(await body.text());
}

/** A list to its end: each page names the next. */
async function readList(path: string): Promise<number> {
  let rows = 0;
  let token: string | undefined = '0';
  while (token !== undefined) {
    const { body } = await pool.request({ method: 'GET', path: `${path}?pageSize=100&pageToken=${token}` });
    const page = JSON.parse(await body.text()) as { transactions: unknown[]; nextPageToken?: string };
    rows += page.transactions.length;
    token = page.nextPageToken;
  }
  return rows;
}

/** Ranges of a counted thing, four at once. */
async function readRanges(count: number, size: number, read: (from: number, to: number) => Promise<number>) {
  const starts = Array.from({ length: Math.ceil(count / size) }, (_, i) => i * size).values();
  const lane = async () => {
    let rows = 0;
    for (const from of starts) rows += await read(from, Math.min(count, from + size));
    return rows;
  };
  return sum(await Promise.all(Array.from({ length: 4 }, lane)));
}

async function readContainers(from: number, to: number): Promise<number> {
  const params = { startIndex: from, numToFetch: to - from, encoding: 'hex' };
  const call = { jsonrpc: '2.0', id: 1, method: 'index.getContainerRange', params };
  const answer = (await post('/ext/index/C/block', call)) as { result: { containers: unknown[] } };
  return answer.result.containers.length;
}

async function readBlocks(from: number, to: number): Promise<number> {
  const heights = Array.from({ length: to - from }, (_, i) => `0x${(from + i).toString(16)}`);
  const call = (method: string, params: unknown[], id: number) => ({ jsonrpc: '2.0', id, method, params });
  const path = '/ext/bc/C/rpc';
  const blocks = await post(
    path,
    heights.map((height, i) => call('eth_getBlockByNumber', [height, true], i)),
  );
  const details = heights.flatMap((height, i) => [
    call('eth_getBlockReceipts', [height], 2 * i),
    ...(rest[1] === 'traces' ? [call('debug_traceBlockByNumber', [height, { tracer: 'callTracer' }], 2 * i + 1)] : []),
  ]);
  await post(path, details);
  return (blocks as unknown[]).length;
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
const count = Number(rest[0]);
const rows =
  kind === 'pages'
    ? sum(await Promise.all(rest.map(readList)))
    : kind === 'containers'
      ? await readRanges(count, 1024, readContainers)
      : await readRanges(count, 32, readBlocks);
await pool.close();
console.log(rows);
