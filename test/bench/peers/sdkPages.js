// Iterates the latest transactions of chains with the official SDK: `node sdkPages.js <url> <path>...`. Nothing is stored.
import { Avalanche } from '@avalanche-sdk/chainkit';

const [url, ...paths] = process.argv.slice(2);
const sdk = new Avalanche({
  serverURL: url,
  enableTelemetry: false,
  avacloud: false,
  retryConfig: { strategy: 'none' },
});

async function readList(path) {
  const chainId = path.split('/')[3];
  let rows = 0;
  const pages = await sdk.data.evm.transactions.listLatest({ chainId, pageSize: 100 }, { serverURL: url });
  for await (const page of pages) rows += page.result.transactions.length;
  return rows;
}

const read = await Promise.all(paths.map(readList));
console.log(read.reduce((sum, rows) => sum + rows, 0));
