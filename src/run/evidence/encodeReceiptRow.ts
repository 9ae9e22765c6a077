import type { Buffer } from 'node:buffer';
import { groupBy } from '../../core/groupBy.ts';
import { encodeReceipt } from '../../decode/evm/encodeReceipt.ts';
import { logsBloom } from '../../decode/evm/logsBloom.ts';
import type { BlockRows, EvidenceRow } from './evidenceRows.ts';
import { integer, list, text, textOrNull } from './evmRows.ts';

interface ReceiptLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** The bytes of a receipt as the receipts trie holds them, made from its row and those of its logs. */
export function encodeReceiptRow(receipt: EvidenceRow, logs: readonly ReceiptLog[], bloom = logsBloom(logs)): Buffer {
  const status = integer(receipt, 'status');
  return encodeReceipt({
    type: Number(receipt['type']),
    status: status === null ? null : Number(status),
    root: textOrNull(receipt, 'root'),
    cumulativeGasUsed: integer(receipt, 'cumulative_gas_used') ?? 0n,
    bloom,
    logs,
  });
}

/** A block's log rows by the place of their transaction. */
export const logsByTransaction = ({ logs }: BlockRows): Map<number, ReceiptLog[]> =>
  new Map([...groupBy(logs, (row) => Number(row['tx_index']))].map(([place, own]) => [place, own.map(logOf)]));

const logOf = (row: EvidenceRow): ReceiptLog => ({
  address: text(row, 'address'),
  topics: list(row, 'topics'),
  data: text(row, 'data'),
});
