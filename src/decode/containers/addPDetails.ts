import type { PTx } from '../avalanche/pTransactions.ts';
import type { BlockPlace } from '../utxos/utxoPlace.ts';
import { addBlockchain } from './blockchainRow.ts';
import type { ContainerTables } from './containerTables.ts';
import { addL1Validators } from './l1ValidatorRows.ts';
import { addStaking } from './stakingRow.ts';
import { addSubnet } from './subnetRow.ts';

/** Adds the rows of a P-Chain transaction that belong to single kinds of transactions. */
export function addPDetails(tx: PTx, txId: string, place: BlockPlace, into: ContainerTables): void {
  const { type } = tx.unsignedTx;
  if (type === 'BaseTx' || type === 'ImportTx' || type === 'ExportTx') return;
  addStaking(tx, txId, place, into.containers_p_staking);
  addSubnet(tx, txId, place, into.containers_p_subnets);
  addBlockchain(tx, txId, place, into.containers_p_blockchains);
  addL1Validators(tx, txId, place, into.containers_p_l1_validators);
}
