import { type BlockchainRow, blockchainRow } from './blockchainRow.ts';
import { type L1ValidatorRow, l1ValidatorRows } from './l1ValidatorRows.ts';
import type { PTx } from './pTransactions.ts';
import { type StakingRow, stakingRow } from './stakingRow.ts';
import { type SubnetRow, subnetRow } from './subnetRow.ts';
import type { BlockPlace } from './utxoRowBuilder.ts';

/** The rows of one P-Chain block that belong to single kinds of transactions. */
export interface PDetailRows {
  readonly stakings: readonly StakingRow[];
  readonly l1Validators: readonly L1ValidatorRow[];
  readonly subnets: readonly SubnetRow[];
  readonly blockchains: readonly BlockchainRow[];
}

export function pDetailRows(txs: readonly PTx[], place: BlockPlace): PDetailRows {
  const stakings: StakingRow[] = [];
  const l1Validators: L1ValidatorRow[] = [];
  const subnets: SubnetRow[] = [];
  const blockchains: BlockchainRow[] = [];
  for (const tx of txs) {
    const { type } = tx.unsignedTx;
    if (type === 'BaseTx' || type === 'ImportTx' || type === 'ExportTx') continue;
    push(stakings, stakingRow(tx, place));
    push(subnets, subnetRow(tx, place));
    push(blockchains, blockchainRow(tx, place));
    for (const row of l1ValidatorRows(tx, place)) push(l1Validators, row);
  }
  return { stakings, l1Validators, subnets, blockchains };
}

function push<Row>(rows: Row[], row: Omit<Row, 'position'> | null): void {
  if (row) rows.push({ position: rows.length, ...row } as Row);
}
