import { createdAddress } from '../../decode/createdAddress.ts';
import { encodeReceipt } from '../../decode/encodeReceipt.ts';
import type { EvmHeader } from '../../decode/evmHeader.ts';
import { toHex } from '../../decode/hex.ts';
import { listRoot } from '../../decode/listRoot.ts';
import { logsBloom } from '../../decode/logsBloom.ts';
import type { EvidenceBuilder, Link } from './evidenceLinks.ts';
import type { BlockRows, EvidenceRow } from './evidenceRows.ts';
import { integer, list, text, textOrNull } from './evmRows.ts';

const about: readonly Link[] = ['receipts', 'prices', 'gas', 'bloom'];

interface LogRow {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/**
 * The links of receipts and logs.
 *
 * @param isSettledLater whether the header's receipts root and bloom are those of earlier blocks, its gas and base fee the most that they may be
 */
export function proveReceipts(
  evidence: EvidenceBuilder,
  rows: BlockRows,
  header: EvmHeader,
  isSettledLater: boolean,
): void {
  const { transactions, receipts } = rows;
  if (rows.source === 'containers' && transactions.length > 0) {
    for (const link of about) evidence.leave(link, 'not_covered');
    return;
  }
  const count = transactions.length;
  evidence.check('receipts', receipts.length === count, () => `${receipts.length} receipts of ${count} transactions`);
  // What is of an earlier block can match by chance, and proves nothing where it does not.
  const settled = (link: Link, holds: boolean, what: () => string) => {
    if (isSettledLater && !holds) evidence.leave(link, 'not_applicable');
    else evidence.check(link, holds, what);
  };
  const logs = logsOf(evidence, rows);
  let gas = 0n;
  const encoded = receipts.map((receipt, i) => {
    const own = logs.get(i) ?? [];
    const bloom = logsBloom(own);
    const cumulativeGasUsed = integer(receipt, 'cumulative_gas_used') ?? 0n;
    gas += integer(receipt, 'gas_used') ?? 0n;
    const sum = gas;
    evidence.check(
      'gas',
      sum === cumulativeGasUsed,
      () => `of receipts 0 to ${i} adds up to ${sum}, cumulative gas is ${cumulativeGasUsed}`,
    );
    const held = textOrNull(receipt, 'logs_bloom');
    const same = held === null || held === toHex(bloom);
    evidence.check('bloom', same, () => `of the ${own.length} log rows of transaction ${i} is not that of its receipt`);
    provePrices({ evidence, settled }, receipt, transactions[i], header, i);
    const status = integer(receipt, 'status');
    return encodeReceipt({
      type: Number(receipt['type']),
      status: status === null ? null : Number(status),
      root: textOrNull(receipt, 'root'),
      cumulativeGasUsed,
      bloom,
      logs: own,
    });
  });
  const root = toHex(listRoot(encoded));
  const bloom = toHex(logsBloom([...logs.values()].flat()));
  settled('gas', gas === header.gasUsed, () => `of all receipts is ${gas}, the header says ${header.gasUsed}`);
  settled('bloom', bloom === header.logsBloom, () => `of the ${rows.logs.length} log rows is not the header's`);
  settled(
    'receipts',
    root === header.receiptsRoot,
    () => `root of the rows is ${root}, the header says ${header.receiptsRoot}`,
  );
  if (count === 0) evidence.leave('prices', 'not_applicable');
}

/** Log rows by transaction; their numbers in the block follow each other. */
function logsOf(evidence: EvidenceBuilder, { logs }: BlockRows): Map<number, LogRow[]> {
  const byTransaction = new Map<number, LogRow[]>();
  logs.forEach((row, i) => {
    evidence.check('receipts', Number(row['log_index']) === i, () => `log ${i} of the block is missing`);
    const place = Number(row['tx_index']);
    const own = byTransaction.get(place) ?? [];
    own.push({ address: text(row, 'address'), topics: list(row, 'topics'), data: text(row, 'data') });
    byTransaction.set(place, own);
  });
  return byTransaction;
}

/** What the node computes beside the receipt: the price that was paid and the address of a new contract. */
function provePrices(
  { evidence, settled }: { evidence: EvidenceBuilder; settled: EvidenceBuilder['check'] },
  receipt: EvidenceRow,
  transaction: EvidenceRow | undefined,
  { baseFeePerGas }: EvmHeader,
  i: number,
): void {
  if (!transaction) return;
  const held = integer(receipt, 'effective_gas_price');
  const price = paidPrice(transaction, baseFeePerGas ?? 0n);
  settled(
    'prices',
    held === null || held === price,
    () => `effective gas price of transaction ${i} is ${price}, the receipt says ${held}`,
  );
  const creates = textOrNull(transaction, 'to_address') === null;
  const created = creates
    ? createdAddress(text(transaction, 'from_address'), integer(transaction, 'nonce') ?? 0n)
    : null;
  const said = textOrNull(receipt, 'contract_address');
  evidence.check('prices', created === said, () => `transaction ${i} creates ${created}, the receipt says ${said}`);
}

function paidPrice(transaction: EvidenceRow, baseFee: bigint): bigint {
  if (Number(transaction['type']) < 2) return integer(transaction, 'gas_price') ?? 0n;
  const most = integer(transaction, 'max_fee_per_gas') ?? 0n;
  const offered = baseFee + (integer(transaction, 'max_priority_fee_per_gas') ?? 0n);
  return most < offered ? most : offered;
}
