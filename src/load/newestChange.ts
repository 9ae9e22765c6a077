import type { Warehouse } from './warehouse.ts';

/** The newest load that brought something: a row that is new or different, one that went into quarantine, or a partition that was never read before. */
export async function newestChange(warehouse: Pick<Warehouse, 'query'>): Promise<bigint> {
  const [row] = await warehouse.query<{ load_id: bigint }>(
    `SELECT coalesce(max(load_id), 0) AS load_id FROM (
       SELECT max(load_id) AS load_id FROM firn.load WHERE rows_written > 0 OR rows_quarantined > 0
       UNION ALL SELECT max(load_id) FROM (SELECT min(load_id) AS load_id FROM firn.load GROUP BY stream, "partition")
     )`,
  );
  return row?.load_id ?? 0n;
}
