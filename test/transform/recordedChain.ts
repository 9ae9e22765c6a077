import { readFile } from 'node:fs/promises';
import type { EvmBlockRecord, EvmChain } from 'firn-devnet';
import { compressors } from 'hyparquet-compressors';

const folder = new URL('../fixtures/evm-l1-251-blocks/', import.meta.url);

type Hex = string;

/** What the recording holds of a transaction and its receipt, as far as the tests count it themselves. */
export interface RecordedBlock {
  readonly block: {
    readonly number: Hex;
    readonly hash: Hex;
    readonly parentHash: Hex;
    readonly timestamp: Hex;
    readonly gasUsed: Hex;
    readonly transactions: readonly { readonly from: Hex; readonly to: Hex | null; readonly blockNumber: Hex }[];
  };
  readonly receipts: readonly {
    readonly blockNumber: Hex;
    readonly gasUsed: Hex;
    readonly effectiveGasPrice: Hex;
    readonly logs: readonly { readonly blockNumber: Hex; readonly topics: readonly Hex[] }[];
  }[];
  readonly traces: readonly unknown[];
}

/** The 251 recorded blocks as they are: every 400th of their chain. */
export async function recordedBlocks(): Promise<RecordedBlock[]> {
  const packed = await readFile(new URL('gunzilla_raw_blocks_receipts_traces_251.jsonl.zst', folder));
  const lines = new TextDecoder().decode(compressors.ZSTD?.(packed, 0)).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as RecordedBlock);
}

/**
 * The same blocks as if they were all that their chain has: heights from 1 on, each naming the one before as its parent, behind a genesis
 * of the second of the first block. Times, hashes and all else stay.
 */
export function consecutive(recorded: readonly RecordedBlock[], chainId: number): EvmChain {
  const [first] = recorded;
  if (!first) throw new Error('no block was recorded');
  const genesis = {
    ...first,
    block: { ...first.block, hash: first.block.parentHash, gasUsed: '0x0', transactions: [] },
  };
  const blocks = [{ ...genesis, receipts: [] }, ...recorded].map(
    ({ block, receipts, traces }, number): EvmBlockRecord => {
      const blockNumber = `0x${number.toString(16)}`;
      const parent =
        number === 0 ? `0x${'0'.repeat(64)}` : number === 1 ? genesis.block.hash : recorded[number - 2]?.block.hash;
      const transactions = block.transactions.map((tx) => ({ ...tx, blockNumber }));
      const renumbered = receipts.map((receipt) => ({
        ...receipt,
        blockNumber,
        logs: receipt.logs.map((log) => ({ ...log, blockNumber })),
      }));
      const timestamp = Number(block.timestamp);
      return {
        number,
        visibleAt: timestamp * 1000,
        timestamp,
        hash: block.hash,
        container: null,
        block: JSON.stringify({ ...block, number: blockNumber, parentHash: parent, transactions }),
        receipts: JSON.stringify(renumbered),
        traces: number === 0 ? null : JSON.stringify(traces),
      };
    },
  );
  return { name: 'recorded', blockchainId: '', subnetId: null, evmChainId: chainId, blocks };
}
