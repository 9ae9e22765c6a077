import { groupBy } from '../../core/groupBy.ts';
import { literal } from '../../core/text/sqlText.ts';
import type { Warehouse } from '../state/warehouse.ts';

/** What an address is called. */
export interface AddressLabel {
  readonly address: string;
  readonly label: string;
}

/**
 * Makes `firn.address_label` say what the address files say. An address has one row, with all its labels.
 *
 * @throws FirnError as the warehouse does
 */
export async function keepLabels(warehouse: Warehouse, labels: readonly AddressLabel[]): Promise<void> {
  const wanted = [...groupBy(labels, ({ address }) => address)].map(([address, own]) => ({
    address,
    label: [...new Set(own.map(({ label }) => label))].join(', '),
  }));
  const order = (rows: readonly AddressLabel[]) =>
    JSON.stringify(rows.map(({ address, label }) => [address, label]).sort());
  const kept = await warehouse.query<{ address: string; label: string }>(
    'SELECT address, label FROM firn.address_label',
  );
  if (order(kept) === order(wanted)) return;
  const values = wanted.map(({ address, label }) => `(${literal(address)}, ${literal(label)})`).join(', ');
  const insert = values && `INSERT INTO firn.address_label VALUES ${values};`;
  await warehouse.transaction((tx) => tx.run(`DELETE FROM firn.address_label; ${insert}`));
}
