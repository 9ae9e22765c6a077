import { z } from 'zod';
import { hex, int64, optional, text, texts, uint64 } from '../../core/columns/columns.ts';
import type { Rows } from '../../core/rows/rows.ts';
import { type DecodedRow, rowAppender } from '../../core/rows/rowWriter.ts';
import type { PTx } from '../avalanche/pTransactions.ts';
import { addressesOf, type OwnerMembers } from '../bytes/address.ts';
import { cachedCb58 } from '../bytes/cb58.ts';
import { toHex } from '../bytes/hex.ts';
import { type BlockPlace, pPlace } from '../utxos/utxoPlace.ts';

/** Something that happens to a subnet. */
export const subnet = z.object({
  ...pPlace,
  subnet_id: text('Subnet (cb58); of a new one the transaction id.'),
  event: text('created, transferred, transformed, converted.'),
  owner_addresses: optional(texts('New owner, in bech32.')),
  owner_threshold: optional(int64('How many of these must sign.')),
  owner_locktime: optional(uint64('Unix seconds before which the owner cannot act.')),
  asset_id: optional(text('Asset staked in a transformed subnet (cb58).')),
  manager_chain_id: optional(text("Chain of an L1's validator manager (cb58).")),
  manager_address: optional(hex('Address of the validator manager.')),
});

const append = rowAppender(subnet);

/** Adds what a transaction does to a subnet. */
export function addSubnet(tx: PTx, txId: string, place: BlockPlace, rows: Rows): void {
  const row = subnetRow(tx, txId, place);
  if (row) append(rows, row);
}

function subnetRow(tx: PTx, txId: string, place: BlockPlace): DecodedRow<typeof subnet> | null {
  const unsigned = tx.unsignedTx;
  const row = (subnetId: Uint8Array, event: string, owner: OwnerMembers | null) => ({
    tx_id: txId,
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
