import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compressors } from 'hyparquet-compressors';
import { packageRoot } from '../../../src/load/packageFiles.ts';
import { answerRpc, type CreateServer, type Server } from './server.ts';

type Frame = { readonly calls?: readonly Frame[] };

interface Recorded {
  readonly block: Record<string, string> & { readonly transactions: readonly { readonly hash: string }[] };
  readonly receipts: readonly { readonly logs: readonly unknown[] }[];
  readonly traces: readonly { readonly result: Frame }[];
}

/** JSON of a recorded block, cut at the values that make it another block. */
interface Template {
  readonly header: readonly string[];
  readonly block: readonly string[];
  readonly receipts: readonly string[];
  readonly logs: readonly string[];
  readonly traces: readonly string[];
  readonly counts: { readonly transactions: number; readonly logs: number; readonly frames: number };
}

const places = ['number', 'hash', 'parentHash', 'timestamp', 'transaction'] as const;
const marked = (place: (typeof places)[number]) => `<${places.indexOf(place)}>`;

/** The recorded blocks of an EVM L1, over and over: heights from 0, each with hashes of its own and naming the one before it. */
const create = async (rows: number, traces: boolean): Promise<Server> => {
  const templates = await recordedTemplates(rows);
  const templateOf = (n: number) => templates[n % templates.length] as Template;
  const sum = (count: (counts: Template['counts']) => number) => {
    const ofAll = templates.map(({ counts }) => count(counts));
    const add = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
    return Math.floor(rows / ofAll.length) * add(ofAll) + add(ofAll.slice(0, rows % ofAll.length));
  };
  const transactions = sum((counts) => counts.transactions);
  const rendered = (part: keyof Omit<Template, 'counts'>, height: unknown) => {
    const n = height === 'latest' ? rows - 1 : Number(height);
    return n < rows ? render(templateOf(n)[part], n) : 'null';
  };
  return {
    stored: {
      node_evm_blocks: rows,
      node_evm_transactions: transactions,
      node_evm_receipts: transactions,
      node_evm_logs: sum(({ logs }) => logs),
      node_evm_traces: traces ? sum(({ frames }) => frames) : 0,
    },
    source: 'node',
    streams: { 'node/evm_blocks': { blockchainIds: ['C'], traces } },
    answer: (_, body) =>
      answerRpc(body, (method, params) => {
        const [first, second] = Array.isArray(params) ? params : [];
        switch (method) {
          case 'eth_chainId':
            return '"0xa99b"';
          case 'eth_blockNumber':
            return `"0x${(rows - 1).toString(16)}"`;
          case 'eth_getBlockByNumber':
            return rendered(second ? 'block' : 'header', first);
          case 'eth_getBlockReceipts':
            return rendered('receipts', first);
          case 'debug_traceBlockByNumber':
            return rendered('traces', first);
          case 'eth_getLogs':
            return logsBetween(first as { fromBlock: string; toBlock: string }, (n) => rendered('logs', n));
          default:
            return undefined;
        }
      }),
  };
};

export const evmBlocks: CreateServer = (rows) => create(rows, false);
export const tracedBlocks: CreateServer = (rows) => create(rows, true);

function logsBetween({ fromBlock, toBlock }: { fromBlock: string; toBlock: string }, logs: (n: number) => string) {
  const lists: string[] = [];
  for (let n = Number(fromBlock); n <= Number(toBlock); n++) lists.push(logs(n).slice(1, -1));
  return `[${lists.filter((list) => list !== '').join(',')}]`;
}

/** @param most no more of them are needed */
async function recordedTemplates(most: number): Promise<Template[]> {
  const file = join(packageRoot(), 'test/fixtures/evm-l1-251-blocks/gunzilla_raw_blocks_receipts_traces_251.jsonl.zst');
  const lines = new TextDecoder()
    .decode(compressors.ZSTD?.(await readFile(file), 0))
    .trimEnd()
    .split('\n');
  return lines.slice(0, most).map((line) => templateFrom(JSON.parse(line)));
}

function templateFrom({ block: { totalDifficulty: _, ...block }, receipts, traces }: Recorded): Template {
  const hashes = block.transactions.map((transaction) => transaction.hash);
  const marks = new Map([
    [block['number'], marked('number')],
    [block['hash'], marked('hash')],
    [block['parentHash'], marked('parentHash')],
    [block['timestamp'], marked('timestamp')],
    // Transactions keep the first digits of their hashes, the height is put behind them.
    ...hashes.map((hash) => [hash, hash.slice(0, -8) + marked('transaction')] as const),
  ]);
  const cut = (value: unknown) =>
    JSON.stringify(value, (_, member) => (typeof member === 'string' ? (marks.get(member) ?? member) : member)).split(
      /<(\d)>/,
    );
  const framesOf = ({ calls = [] }: Frame): number => calls.reduce((sum, call) => sum + framesOf(call), 1);
  const logs = receipts.flatMap((receipt) => receipt.logs);
  return {
    header: cut({ ...block, transactions: hashes }),
    block: cut(block),
    receipts: cut(receipts),
    logs: cut(logs),
    traces: cut(traces),
    counts: {
      transactions: hashes.length,
      logs: logs.length,
      frames: traces.reduce((sum, { result }) => sum + framesOf(result), 0),
    },
  };
}

const hashOf = (n: number) => `0x${hash('sha256', `block ${n}`)}`;

/** @param parts text and, at every second place, the number of what belongs between */
function render(parts: readonly string[], n: number): string {
  const values = [
    `0x${n.toString(16)}`,
    hashOf(n),
    hashOf(n - 1),
    `0x${(1_700_000_000 + n * 2).toString(16)}`,
    n.toString(16).padStart(8, '0'),
  ];
  let text = '';
  for (let i = 0; i < parts.length; i++) text += i % 2 === 0 ? parts[i] : values[Number(parts[i])];
  return text;
}
