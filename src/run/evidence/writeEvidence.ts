import { type Column, ownColumn } from '../../core/columns/table.ts';
import { Rows } from '../../core/rows/rows.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { type BlockEvidence, links } from './evidenceLinks.ts';

/** The columns of `firn.evidence`, in order, but for the time. */
const columns: readonly Column[] = [
  ownColumn('chain_id', 'varchar'),
  ownColumn('number', 'bigint'),
  ownColumn('block_hash', 'varchar'),
  ...links.map((link) => ownColumn(link, 'varchar')),
  ownColumn('broken', 'varchar', true),
];

/** Replaces what was proven of the heights `from`..`to` before, in one transaction. */
export async function writeEvidence(
  warehouse: Warehouse,
  chainId: string,
  from: number,
  to: number,
  blocks: readonly BlockEvidence[],
): Promise<void> {
  const rows = new Rows(columns);
  for (const { number, hash, links: verdicts, broken } of blocks)
    rows.append({ chain_id: chainId, number, block_hash: hash, ...verdicts, broken });
  await warehouse.transaction(async (tx) => {
    const range = [chainId, BigInt(from), BigInt(to)];
    await tx.run('DELETE FROM firn.evidence WHERE chain_id = $1 AND "number" BETWEEN $2 AND $3', range);
    await tx.insert([{ table: { name: 'firn.evidence', columns }, parts: [rows] }], { proven_at: 'now()::TIMESTAMP' });
  });
}
