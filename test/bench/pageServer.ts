import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/**
 * A server in a thread of its own. It makes its pages when they are asked for, as services do: about 11 us of its thread a container,
 * 5 us a transaction.
 */
export interface PageServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves `rows` native transactions in pages of 100, newest first, and as many containers in ranges. */
export async function startPageServer(rows: number): Promise<PageServer> {
  const worker = new Worker(new URL(import.meta.url), { workerData: rows });
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return { url: `http://127.0.0.1:${port}`, close: async () => void (await worker.terminate()) };
}

const pageSize = 100;
const digits = (n: number, width: number, fill: string) => n.toString(16).padStart(width, fill);

/** A native transaction as the data service gives it: 23 columns once flattened. Joined by hand: the server must not be the slow part. */
const transaction = (n: number) =>
  `{"blockNumber":"${n}","blockTimestamp":${1_700_000_000 + n},"blockHash":"0x${digits(n * 7, 64, '0')}","chainId":"43114",` +
  `"blockIndex":${n % 40},"txHash":"0x${digits(n, 64, '0')}","txStatus":"1","txType":2,"gasLimit":"120000","gasUsed":"84321",` +
  `"gasPrice":"25000000000","nonce":"${n % 1000}","from":{"name":"Token","symbol":"TOK","decimals":18,"address":"0x${digits(n % 5000, 40, 'a')}"},` +
  `"to":{"address":"0x${digits((n * 3) % 5000, 40, 'b')}"},"method":{"callType":"CONTRACT_CALL","methodHash":"0xa9059cbb",` +
  `"methodName":"transfer(address,uint256)"},"value":"${n}000000000000000"}`;

function transactionPage(rows: number, number: number): string {
  const from = rows - 1 - number * pageSize;
  const list = Array.from({ length: Math.min(pageSize, from + 1) }, (_, i) => transaction(from - i)).join(',');
  const token = (number + 1) * pageSize < rows ? `,"nextPageToken":"${number + 1}"` : '';
  return `{"transactions":[${list}]${token}}`;
}

/** About the size of a C-Chain container: 1.4 kB of bytes. The checksum is right, the bytes mean nothing. */
function containerOf(): { id: string; bytes: string } {
  const payload = Buffer.alloc(1400, 7);
  const checksum = createHash('sha256').update(payload).digest().subarray(-4);
  return {
    id: '2dLSqBzAKkdC1Mc9AfnTfqBqw3rHeY6wRPr3Bd1tgvVKSjFy82',
    bytes: `0x${Buffer.concat([payload, checksum]).toString('hex')}`,
  };
}

function rpcAnswer(
  rows: number,
  { method, params, id }: { method: string; params: { startIndex: number; numToFetch: number }; id: number },
) {
  const { id: container, bytes } = containerOf();
  const record = (index: number) =>
    `{"id":"${container}","bytes":"${bytes}","timestamp":"2026-01-20T00:01:12.121451852Z","encoding":"hex","index":"${index}"}`;
  if (method === 'index.getLastAccepted') return `{"jsonrpc":"2.0","result":${record(rows - 1)},"id":${id}}`;
  const to = Math.min(rows, params.startIndex + params.numToFetch);
  const list = Array.from({ length: to - params.startIndex }, (_, i) => record(params.startIndex + i)).join(',');
  return `{"jsonrpc":"2.0","result":{"containers":[${list}]},"id":${id}}`;
}

if (!isMainThread) {
  const rows = workerData as number;
  const server = createServer((request, response) => {
    const answer = (text: string) => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
        .end(text);
    };
    if (request.method === 'GET') {
      const token = new URL(request.url ?? '/', 'http://localhost').searchParams.get('pageToken');
      answer(transactionPage(rows, Number(token ?? 0)));
      return;
    }
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => answer(rpcAnswer(rows, JSON.parse(body))));
  });
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port));
}
