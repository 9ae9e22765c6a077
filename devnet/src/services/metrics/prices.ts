import type { EvmTransaction } from '../evm/evmHistory.ts';
import { type Ratio, ratio, whole } from './ratio.ts';

/** Mean of the effective gas prices, each transaction counting once (or weighted by the gas it used). */
export function averageGasPrice(transactions: readonly EvmTransaction[], variant: 'gas_weighted' | null): Ratio | null {
  let sum = 0n;
  let weights = 0n;
  for (const { gasPrice, gasUsed } of transactions) {
    const weight = variant === 'gas_weighted' ? gasUsed : 1n;
    sum += gasPrice * weight;
    weights += weight;
  }
  return ratio(sum, weights);
}

/** Greatest effective gas price; none without a transaction. */
export function maximumGasPrice(transactions: readonly EvmTransaction[]): Ratio | null {
  let greatest: bigint | null = null;
  for (const { gasPrice } of transactions) if (greatest === null || gasPrice > greatest) greatest = gasPrice;
  return greatest === null ? null : whole(greatest);
}

/** Wei paid for gas, failed transactions included (or what the senders allowed instead of what they paid). */
export function feesPaid(transactions: readonly EvmTransaction[], variant: 'tx_gas_price' | null): Ratio {
  const price = ({ gasPrice, maxFeePerGas }: EvmTransaction): bigint =>
    variant === 'tx_gas_price' ? (maxFeePerGas ?? gasPrice) : gasPrice;
  return whole(transactions.reduce((sum, transaction) => sum + transaction.gasUsed * price(transaction), 0n));
}
