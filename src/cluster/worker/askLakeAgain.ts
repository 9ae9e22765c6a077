import { partitionKey } from '../../core/stream/partition.ts';
import type { Keeps, RangeStream } from '../../core/stream/stream.ts';
import { hasValues, identifier, literal } from '../../core/text/sqlText.ts';
import { askAgain, type Lacking, mostAtOnce, mostRuns } from '../../run/read/askAgain.ts';
import type { ReadContext } from '../../run/read/partitionContext.ts';
import type { Lease } from '../contract.ts';
import type { LeaseContext } from './leaseContext.ts';
import { queryLake } from './queryLake.ts';
import { rowsInLake } from './rowsInLake.ts';

/** Milliseconds between two looks of a worker for what is lacking, each of which reads a column from end to end, and between the requests of all workers. */
const apart = 3_600_000;

/** Positions that are told of at once, the newest: a source that lacks all of them will hardly have those before. */
const mostLacking = 100_000;

/**
 * Asks again for what was read without what the stream keeps, as `askAgain` does on one machine, some positions an hour. Rows of one that came with all
 * of it take the place of those that are there.
 */
export async function askLakeAgain(
  stream: RangeStream,
  context: ReadContext,
  lease: Lease,
  { ledger, lake, replacing, askedAgain }: LeaseContext,
): Promise<void> {
  const { partition, now } = context;
  const next = Number(lease.cursor?.['next']);
  if (!stream.keeps?.again || lease.cursor === null || stream.takesPart?.(partition)) return;
  const place = `${stream.id} ${partitionKey(partition)}`;
  if ((askedAgain.get(place) ?? 0) > now()) return;
  // What is still to be read again may bring it, or less.
  if ((await ledger.standsAt(lease)).partFrom !== null) return;
  // Before it fails: what the source cannot give now it is not asked for at each look.
  askedAgain.set(place, now() + apart);
  replacing.isOn = true;
  const lacking = (keeps: Keeps) => lackingIn(stream, keeps, context, { ledger, lake, lease, next });
  await askAgain(stream, context, { next }, { lacking, rowsAt: rowsInLake(lake), replaces: true });
}

async function lackingIn(
  { position, children }: RangeStream,
  { told, column, is, again = '' }: Keeps,
  { partition: { values } }: ReadContext,
  {
    ledger,
    lake,
    lease,
    next,
  }: Pick<LeaseContext, 'ledger' | 'lake'> & { readonly lease: Lease; readonly next: number },
): Promise<Lacking[]> {
  const at = identifier(position);
  const says = (value: string) => `sum(CASE WHEN ${identifier(column)} = ${literal(value)} THEN 1 ELSE 0 END)`;
  const rows = await queryLake<{ at: bigint; there: bigint }>(
    lake,
    `SELECT ${at} AS "at", CAST(${says(is)} AS BIGINT) AS there FROM ${children[told]?.table.name} WHERE ${hasValues(values)} AND ${at} < ${next}
     GROUP BY ${at} HAVING ${says(again)} > 0 ORDER BY ${at} DESC LIMIT ${mostLacking}`,
    values,
  );
  const there = new Map(rows.map((row) => [String(row.at), row.there]));
  const limits = { most: mostAtOnce, runs: mostRuns, ms: apart };
  const open = rows.length > 0 ? await ledger.toAskAgain(lease, [...there.keys()], limits) : [];
  return open.map(({ key, asked }) => ({ at: BigInt(key), there: there.get(key) ?? 0n, asked }));
}
