import type { Warehouse } from '../../load/warehouse.ts';
import { type BlockEvidence, links } from './evidenceLinks.ts';

/** Rows of one INSERT: each has 15 parameters. */
const atOnce = 500;

/** Puts what was proven of the heights `from`..`to` in the place of what was proven before, in one transaction. */
export function writeEvidence(
  warehouse: Warehouse,
  chainId: string,
  from: number,
  to: number,
  blocks: readonly BlockEvidence[],
): Promise<void> {
  return warehouse.exclusive(async () => {
    await warehouse.run('BEGIN TRANSACTION');
    try {
      await warehouse.run('DELETE FROM firn.evidence WHERE chain_id = $1 AND "number" BETWEEN $2 AND $3', [
        chainId,
        BigInt(from),
        BigInt(to),
      ]);
      for (let start = 0; start < blocks.length; start += atOnce) {
        const part = blocks.slice(start, start + atOnce);
        const rows = part.map((block) => [
          chainId,
          BigInt(block.number),
          block.hash,
          ...links.map((link) => block.links[link]),
          block.broken,
        ]);
        const width = links.length + 4;
        const places = rows.map((_, row) => {
          const cells = Array.from({ length: width }, (__, cell) => `$${row * width + cell + 1}`);
          return `(${cells.join(', ')}, now()::TIMESTAMP)`;
        });
        await warehouse.run(`INSERT INTO firn.evidence VALUES ${places.join(', ')}`, rows.flat());
      }
      await warehouse.run('COMMIT');
    } catch (error) {
      await warehouse.run('ROLLBACK').catch(() => {});
      throw error;
    }
  });
}
