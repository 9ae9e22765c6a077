import type { EvmBlockRecord, EvmChain, Ledger } from './types.ts';

interface Frame {
  value?: string;
  readonly calls?: readonly Frame[];
}

interface Transaction {
  value: string;
  gasPrice: string;
  maxFeePerGas?: string;
}

const hex = (value: bigint) => `0x${value.toString(16)}`;

/**
 * The ledger with L1s on which a native minter made more coins than 38 digits can count. In every third block with transactions the first one
 * moves nearly 2^256, in every ninth the frames inside it do so too, and in every 27th it pays such a price. Sizes and hashes stay as recorded.
 */
export const withWideAmounts = (ledger: Ledger): Ledger => ({ ...ledger, l1s: ledger.l1s.map(wideChain) });

function wideChain(chain: EvmChain): EvmChain {
  let busy = 0;
  const blocks = chain.blocks.map((record): EvmBlockRecord => {
    const block = JSON.parse(record.block) as { transactions: Transaction[] };
    const [first] = block.transactions;
    if (first === undefined || busy++ % 3 !== 0) return record;
    const receipts = JSON.parse(record.receipts) as { effectiveGasPrice?: string }[];
    const traces = JSON.parse(record.traces ?? '[]') as { result?: Frame }[];
    const amount = hex(2n ** 256n - 1n - BigInt(record.number));
    first.value = amount;
    const [root] = traces;
    if (root?.result) widen(root.result, amount, busy % 9 === 1);
    const [receipt] = receipts;
    if (receipt && busy % 27 === 1) {
      const price = hex(2n ** 200n + BigInt(record.number));
      first.gasPrice = price;
      if (first.maxFeePerGas !== undefined) first.maxFeePerGas = price;
      receipt.effectiveGasPrice = price;
    }
    return {
      ...record,
      block: JSON.stringify(block),
      receipts: JSON.stringify(receipts),
      traces: record.traces && JSON.stringify(traces),
    };
  });
  return { ...chain, blocks };
}

function widen(frame: Frame, amount: string, isDeep: boolean): void {
  frame.value = amount;
  if (!isDeep) return;
  for (const call of frame.calls ?? []) if (call.value !== undefined) widen(call, amount, true);
}
