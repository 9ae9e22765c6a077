// Reads blocks with transactions, and their receipts with logs, by viem in batches: `node viemBlocks.js <url> <blocks>`. Nothing is stored.
import { createPublicClient, formatTransactionReceipt, http, numberToHex } from 'viem';

const [url, blocks] = process.argv.slice(2);
const client = createPublicClient({
  transport: http(`${url}/ext/bc/C/rpc`, { batch: { batchSize: 64 }, retryCount: 0 }),
});

async function readBlock(blockNumber) {
  const [block, receipts] = await Promise.all([
    client.getBlock({ blockNumber, includeTransactions: true }),
    client.request({ method: 'eth_getBlockReceipts', params: [numberToHex(blockNumber)] }),
  ]);
  const formatted = receipts.map((receipt) => formatTransactionReceipt(receipt));
  return block.transactions.length === formatted.length ? 1 : 0;
}

// Blocks and receipts of 32 heights make a batch; four are on their way at once.
const starts = Array.from({ length: Math.ceil(Number(blocks) / 32) }, (_, i) => i * 32).values();
let rows = 0;
async function lane() {
  for (const from of starts) {
    const heights = Array.from({ length: Math.min(32, Number(blocks) - from) }, (_, i) => BigInt(from + i));
    for (const one of await Promise.all(heights.map(readBlock))) rows += one;
  }
}
await Promise.all(Array.from({ length: 4 }, lane));
console.log(rows);
