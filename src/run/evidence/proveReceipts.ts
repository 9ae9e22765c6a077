import type { Buffer } from 'node:buffer';
import { toHex } from '../../decode/bytes/hex.ts';
import { createdAddress } from '../../decode/evm/createdAddress.ts';
import type { EvmHeader } from '../../decode/evm/evmHeader.ts';
import { listRoot } from '../../decode/evm/listRoot.ts';
import { logsBloom } from '../../decode/evm/logsBloom.ts';
import { encodeReceiptRow, logsByTransaction } from './encodeReceiptRow.ts';
import type { EvidenceBuilder, Link } from './evidenceLinks.ts';
import type { BlockRows, EvidenceRow } from './evidenceRows.ts';
import { integer, text, textOrNull } from './evmRows.ts';
import type { Settlement } from './settlements.ts';

const about: readonly Link[] = ['receipts', 'prices', 'gas', 'bloom'];

/**
 * Whose receipts root and bloom say what receipts are: the block's own header, or that of a later block that settles it, null where that one is
 * not held yet; then the block's header has the most that gas and base fee may be.
 */
type SettledBy = 'own' | Settlement | null;

/** The links of receipts and logs. */
export function proveReceipts(
  evidence: EvidenceBuilder,
  rows: BlockRows,
  header: EvmHeader,
  settlement: SettledBy,
): void {
  const { transactions, dropped } = rows;
  const isHeld = rows.source !== 'containers' || transactions.length === 0;
  if (isHeld && !dropped.has('transactions') && !dropped.has('receipts')) proveHeld(evidence, rows, header, settlement);
  for (const link of about) evidence.leave(link, 'not_covered');
}

function proveHeld(evidence: EvidenceBuilder, rows: BlockRows, header: EvmHeader, settlement: SettledBy): void {
  const { transactions, receipts, dropped } = rows;
  const isOwn = settlement === 'own';
  // What no header says can be contradicted, and is not proven where it is not. The base fee that was paid stands in none but the block's own.
  const check: EvidenceBuilder['check'] = (link, holds, what) => {
    if (dropped.has('logs') && (link === 'receipts' || link === 'bloom')) return;
    if (isOwn || (settlement !== null && link !== 'prices') || !holds) evidence.check(link, holds, what);
  };
  const count = transactions.length;
  check('receipts', receipts.length === count, () => `${receipts.length} receipts of ${count} transactions`);
  rows.logs.forEach((row, i) => {
    check('receipts', Number(row['log_index']) === i, () => `log ${i} of the block is missing`);
  });
  const logs = logsByTransaction(rows);
  const arePriced = transactions.every(namesPrice);
  let gas = 0n;
  const encoded: Buffer[] = [];
  receipts.forEach((receipt, i) => {
    const own = logs.get(i) ?? [];
    const bloom = logsBloom(own);
    const cumulativeGasUsed = integer(receipt, 'cumulative_gas_used') ?? 0n;
    gas += integer(receipt, 'gas_used') ?? 0n;
    const sum = gas;
    check(
      'gas',
      sum === cumulativeGasUsed,
      () => `of receipts 0 to ${i} adds up to ${sum}, cumulative gas is ${cumulativeGasUsed}`,
    );
    const held = textOrNull(receipt, 'logs_bloom');
    const same = held === null || held === toHex(bloom);
    check('bloom', same, () => `of the ${own.length} log rows of transaction ${i} is not that of its receipt`);
    if (arePriced) provePrices(check, receipt, transactions[i], header, { isOwn, i });
    // A settled block's stand in the settlement.
    if (isOwn) encoded.push(encodeReceiptRow(receipt, own, bloom));
  });
  if (isOwn) {
    const root = toHex(listRoot(encoded));
    const bloom = toHex(logsBloom([...logs.values()].flat()));
    check('gas', gas === header.gasUsed, () => `of all receipts is ${gas}, the header says ${header.gasUsed}`);
    check('bloom', bloom === header.logsBloom, () => `of the ${rows.logs.length} log rows is not the header's`);
    check(
      'receipts',
      root === header.receiptsRoot,
      () => `root of the rows is ${root}, the header says ${header.receiptsRoot}`,
    );
  } else {
    const most = header.gasUsed;
    check('gas', gas <= most, () => `of all receipts is ${gas}, the header allows ${most}`);
    if (settlement) proveSettlement(check, settlement);
  }
  if (count === 0) evidence.leave('prices', 'not_applicable');
}

function proveSettlement(check: EvidenceBuilder['check'], { by, receiptsRoot, logsBloom }: Settlement): void {
  const blocks = `blocks ${by.first} to ${by.last}`;
  check(
    'bloom',
    logsBloom === by.logsBloom,
    () => `of the log rows of ${blocks} is not that of block ${by.number}, which settles them`,
  );
  check(
    'receipts',
    receiptsRoot === by.receiptsRoot,
    () =>
      `root of the rows of ${blocks} is ${receiptsRoot}, block ${by.number}, which settles them, says ${by.receiptsRoot}`,
  );
}

/** What the node computes beside the receipt: the price that was paid and the address of a new contract. */
function provePrices(
  check: EvidenceBuilder['check'],
  receipt: EvidenceRow,
  transaction: EvidenceRow | undefined,
  { baseFeePerGas }: EvmHeader,
  { isOwn, i }: { readonly isOwn: boolean; readonly i: number },
): void {
  if (!transaction) return;
  const held = integer(receipt, 'effective_gas_price');
  const price = paidPrice(transaction, baseFeePerGas ?? 0n);
  // A header that names no highest base fee bounds nothing.
  const isBound = isOwn || Boolean(baseFeePerGas);
  check(
    'prices',
    held === null || !isBound || (isOwn ? held === price : held <= price),
    () => `effective gas price of transaction ${i} is ${price}${isOwn ? '' : ' at most'}, the receipt says ${held}`,
  );
  const creates = textOrNull(transaction, 'to_address') === null;
  const created = creates
    ? createdAddress(text(transaction, 'from_address'), integer(transaction, 'nonce') ?? 0n)
    : null;
  const said = textOrNull(receipt, 'contract_address');
  check('prices', created === said, () => `transaction ${i} creates ${created}, the receipt says ${said}`);
}

/** Whether it is known what a transaction pays: of a type that is not known it is not, unless it names a maximum. */
const namesPrice = (transaction: EvidenceRow) =>
  Number(transaction['type']) < 2 || integer(transaction, 'max_fee_per_gas') !== null;

function paidPrice(transaction: EvidenceRow, baseFee: bigint): bigint {
  if (Number(transaction['type']) < 2) return integer(transaction, 'gas_price') ?? 0n;
  const most = integer(transaction, 'max_fee_per_gas') ?? 0n;
  const offered = baseFee + (integer(transaction, 'max_priority_fee_per_gas') ?? 0n);
  return most < offered ? most : offered;
}
