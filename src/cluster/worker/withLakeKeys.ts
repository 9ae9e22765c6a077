import { ownColumn } from '../../core/columns/table.ts';
import { Rows } from '../../core/rows/rows.ts';
import type { LookupStream } from '../../core/stream/stream.ts';
import { literal } from '../../core/text/sqlText.ts';
import type { ReadContext } from '../../run/read/partitionContext.ts';
import type { Lease, Ledger, Note } from '../contract.ts';
import { insertJson } from '../insertJson.ts';
import { type AppliedLake, queryLake } from './queryLake.ts';

/** Keys that the ledger is asked about at once. */
const atOnce = 10_000;
/** Keys that the lake is asked for at once: of years there are more than this machine can hold. */
const keysAtOnce = 200_000;
const columns = [ownColumn('key', 'varchar')];

/**
 * Puts into the scratch database the keys that the lake names and nobody has asked for yet, even more than the budget allows: what it leaves is
 * told. It also puts there which of them other partitions found.
 *
 * @param most keys that the lake is asked for at once
 * @returns the lookup with the query that gives them there
 */
export async function withLakeKeys(
  stream: LookupStream,
  { partition, warehouse }: ReadContext,
  {
    lake,
    ledger,
    lease,
  }: { readonly lake: AppliedLake; readonly ledger: Pick<Ledger, 'unasked' | 'foundElsewhere'>; readonly lease: Lease },
  most = keysAtOnce,
): Promise<LookupStream> {
  const wanted = `SELECT DISTINCT "key" FROM (${stream.keys(partition)}) AS wanted WHERE "key" IS NOT NULL`;
  const rows = new Rows(columns);
  const elsewhere: Note[] = [];
  let keys: string[] = [];
  do {
    const behind = keys.length > 0 ? ` AND "key" > ${literal(keys.at(-1) as string)}` : '';
    const next = `${wanted}${behind} ORDER BY "key" LIMIT ${most}`;
    keys = (await queryLake<{ key: string }>(lake, next, partition.values)).map(({ key }) => key);
    for (let at = 0; at < keys.length; at += atOnce) {
      const open = await ledger.unasked(lease, keys.slice(at, at + atOnce));
      for (const key of open) rows.append({ key });
      elsewhere.push(...(await ledger.foundElsewhere(lease, open)));
    }
  } while (keys.length === most);
  await warehouse.transaction(async (tx) => {
    await tx.offer(columns, [rows], (from) => tx.run(`CREATE OR REPLACE TEMP TABLE firn_key AS SELECT * FROM ${from}`));
    await insertJson(tx, 'firn.lookup', JSON.stringify(elsewhere));
  });
  return { ...stream, keys: () => 'SELECT "key" FROM temp.firn_key' };
}
