import { cachedCb58 } from './cachedCb58.ts';
import { encodeCb58 } from './cb58.ts';
import { toHex } from './hex.ts';
import { addressesOf, type OwnerMembers } from './ownerMembers.ts';
import type { PTx } from './pTransactions.ts';
import type { BlockPlace } from './utxoRowBuilder.ts';

/** Something that happens to a subnet. */
export interface SubnetRow {
  readonly position: number;
  /** cb58. */
  readonly tx_id: string;
  readonly block_height: number | null;
  readonly block_timestamp: number | null;
  /** cb58; of a new subnet the transaction's id. */
  readonly subnet_id: string;
  /** `created`, `transferred` (new owner), `transformed` (permissionless), `converted` (to an L1). */
  readonly event: string;
  /** bech32; of created and transferred. */
  readonly owner_addresses: readonly string[] | null;
  readonly owner_threshold: number | null;
  readonly owner_locktime: bigint | null;
  /** cb58; the asset staked in a transformed subnet. */
  readonly asset_id: string | null;
  /** cb58; the chain with the validator manager of an L1. */
  readonly manager_chain_id: string | null;
  /** `0x` hex; the validator manager's address. */
  readonly manager_address: string | null;
}

/** What a transaction does to a subnet, or null if it does nothing to one. */
export function subnetRow(tx: PTx, place: BlockPlace): Omit<SubnetRow, 'position'> | null {
  const unsigned = tx.unsignedTx;
  const row = (subnetId: Uint8Array, event: string, owner: OwnerMembers | null) => ({
    tx_id: encodeCb58(tx.id),
    block_height: place.height,
    block_timestamp: place.timestamp,
    subnet_id: cachedCb58(subnetId),
    event,
    owner_addresses: owner && addressesOf(owner, place.hrp),
    owner_threshold: owner?.threshold ?? null,
    owner_locktime: owner?.locktime ?? null,
    asset_id: null,
    manager_chain_id: null,
    manager_address: null,
  });
  switch (unsigned.type) {
    case 'CreateSubnetTx':
      return row(tx.id, 'created', unsigned.owner);
    case 'TransferSubnetOwnershipTx':
      return row(unsigned.subnetID, 'transferred', unsigned.newOwner);
    case 'TransformSubnetTx':
      return { ...row(unsigned.subnetID, 'transformed', null), asset_id: cachedCb58(unsigned.assetID) };
    case 'ConvertSubnetToL1Tx':
      return {
        ...row(unsigned.subnetID, 'converted', null),
        manager_chain_id: cachedCb58(unsigned.chainID),
        manager_address: toHex(unsigned.address),
      };
    default:
      return null;
  }
}
