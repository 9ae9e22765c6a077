import type { Row } from '../../core/columns/columnType.ts';
import { FirnError } from '../../core/firnError.ts';
import { hasValues, identifier } from '../../core/text/sqlText.ts';
import type { LastRow } from '../../run/read/lookAtRange.ts';
import type { Lease } from '../contract.ts';
import { isNaming, tipOf } from './exportBatch.ts';
import type { LeaseContext } from './leaseContext.ts';
import { queryLake } from './queryLake.ts';

/** The row that was read last is in the ledger, those before it are in the lake. */
export const rowInCluster =
  (
    lease: Pick<Lease, 'partition' | 'cursor' | 'tip'>,
    { ledger, lake }: Pick<LeaseContext, 'ledger' | 'lake'>,
  ): LastRow =>
  async ({ id, table, position: name }, { partition }, position) => {
    if (position === Number(lease.cursor?.['next']) - 1) return (lease.tip as Row | null) ?? undefined;
    const columns = table.columns.filter(isNaming).map((column) => identifier(column.name));
    // Nearly always it is there: a search for the newest one looks at the column from end to end.
    for (const where of [`= ${position}`, `< ${position} ORDER BY ${identifier(name)} DESC`]) {
      const sql = `SELECT ${columns.join(', ')} FROM ${table.name} WHERE ${hasValues(partition.values)} AND ${identifier(name)} ${where} LIMIT 1`;
      const [row] = await queryLake<Row>(lake, sql, partition.values);
      if (row) return tipOf(table, row) as Row;
    }
    if (!(await ledger.pendingTables()).includes(table.name)) return undefined;
    throw new FirnError(
      'unavailable',
      `${id} (${lease.partition}): the source ends before what was read from it, and what was read there is not applied yet, so it is not known whether ` +
        'the two are the same. Nothing was changed: let firn worker apply, and look again.',
      { retryable: true, context: { reason: 'behind' } },
    );
  };
