import { FirnError, hasCode } from '../../core/firnError.ts';
import { findHeight } from '../../core/heights/findHeight.ts';
import type { RangeStream, Stream } from '../../core/stream/stream.ts';
import { hasValues } from '../../core/text/sqlText.ts';
import type { ReadContext } from '../../run/read/partitionContext.ts';
import { answer } from '../../run/sources/drive.ts';
import { assertWasRead, type BackfillPlace, type DaysAgain, firstRead } from '../../run/upkeep/backfillFloor.ts';
import { backfillPartition, boundOf, daysOf, noteOf, positionsOf } from '../../run/upkeep/backfillPartition.ts';
import type { Lease, Ledger } from '../contract.ts';
import { assertOk } from './assertOk.ts';
import type { LeaseContext } from './leaseContext.ts';
import { type AppliedLake, queryLake } from './queryLake.ts';
import { rowInCluster } from './rowInCluster.ts';

/**
 * Reads what a backfill asks for of a partition: pages here, positions by handing out stretches that any worker reads. It is over once the
 * ledger says so; killed before, it goes on from its own cursor.
 *
 * @throws FirnError `usage` as `backfillPartition` says · `unavailable` where the one before is not over · `locked` where another process took it over
 */
export async function readBeside(
  stream: Stream,
  context: ReadContext,
  reading: LeaseContext & { readonly lease: Lease },
): Promise<void> {
  try {
    await read(stream, context, reading);
  } catch (error) {
    // A backfill that was refused is not resumed, nor one of positions, which has no cursor of its own.
    if (hasCode(error, 'usage') || stream.way === 'range')
      await reading.ledger.endBeside(reading.lease, (position) => position);
    throw error;
  }
}

async function read(
  stream: Stream,
  context: ReadContext,
  { lease, ledger, lake, stretches, request }: Parameters<typeof readBeside>[2],
): Promise<void> {
  if (!request) throw new TypeError(`${stream.id} is read beside with a request`);
  // No filter parts rows by position.
  const ofOwn = stream.way === 'range' ? undefined : await ownRows(stream, context, { lease, ledger, lake });
  const place: BackfillPlace = {
    reads: 'firn worker',
    ...(ofOwn !== undefined && { ofOwn }),
    wasRead: () => ledger.wasRead(lease),
    query: (sql, values) => queryLake(lake, sql, values),
    begun: async () => lease.begun ?? undefined,
    async end({ own, from }) {
      const before = lease.cursor?.['asked'] as string | undefined;
      assertOk(await ledger.endBeside(lease, own, from), lease);
      if (before === undefined || !('from' in request) || before === request.from) return;
      throw new FirnError(
        'unavailable',
        `The backfill that was under way, from ${before} on, is over. Run again for ${request.from}.`,
        { retryable: true },
      );
    },
  };
  if (stream.way !== 'range') return backfillPartition(stream, context, request, place);
  const size = stream.size * stretches;
  const end = async (from?: string) => assertOk(await ledger.endBeside(lease, (position) => position, from), lease);
  const head = await answer(stream.head(context.partition), context.fetch);
  // Of an index that holds nothing yet nothing was read.
  if (head === null) return end();
  // Before the lake is asked: what workers read meanwhile they were given at or above this position.
  const { lowest, open } = await ledger.handedOut(lease);
  if (open > 0) throw underWay(`${open} stretches are not read`);
  if ('again' in request) {
    const days = await positionsAgain({ stream, context, place }, request.again, { lease, ledger, lake });
    if (days.first <= days.last) await ledger.handOut(lease, { ...days, size }, 'days');
    return end();
  }
  if ((await ledger.pendingTables()).includes(stream.table.name)) throw underWay('staged files wait');
  const at = { stream, context, place, main: null };
  const below = await positionsBelow(at, request.from, head, lowest);
  if (below) await ledger.handOut(lease, { ...below, size });
  await end(await noteOf(at, request.from, below !== undefined));
}

type Asked = Pick<Parameters<typeof firstRead>[0], 'context' | 'place'> & { readonly stream: RangeStream };

/** The positions of days that were read; the last one lies before the first where there are none. @throws FirnError `usage` where none was read */
async function positionsAgain(
  asked: Asked,
  days: DaysAgain,
  { lease, ...held }: { readonly lease: Lease; readonly ledger: Ledger; readonly lake: AppliedLake },
): Promise<{ first: number; last: number }> {
  const stands = await held.ledger.standsAt(lease);
  const at = { ...asked, main: stands.cursor };
  if (stands.cursor === null || !(await firstRead(at))) throw notThere();
  await assertWasRead(at, days, `${days.first}..${days.last}`);
  return positionsOf(at, daysOf(days), true, rowInCluster({ partition: lease.partition, ...stands }, held));
}

/** The condition on rows that the partition itself brought; undefined where another one, with filters, brought none with the same values. */
async function ownRows(
  { table }: Stream,
  { partition }: ReadContext,
  { lease, ledger, lake }: { readonly lease: Lease; readonly ledger: Ledger; readonly lake: AppliedLake },
): Promise<string | undefined> {
  const sql = `SELECT DISTINCT _load_id AS id FROM ${table.name} WHERE ${hasValues(partition.values)}`;
  const all = (await queryLake<{ id: bigint }>(lake, sql, partition.values)).map(({ id }) => Number(id));
  const own = await ledger.loadsOf(lease, all);
  if (own.length === all.length) return undefined;
  return own.length === 0 ? 'false' : `_load_id IN (${own.join(', ')})`;
}

/**
 * The positions between a bound and the first one that was read, or is to be: that of the lake's first row, or a lower one that was handed out; undefined
 * where there are none.
 *
 * @throws FirnError `usage` where there is no row
 */
async function positionsBelow(
  at: Asked & { readonly main: null },
  from: string,
  head: number,
  handedOut: number | null,
): Promise<{ first: number; last: number } | undefined> {
  const {
    stream: { timeAt },
    context: { partition, fetch, brackets },
  } = at;
  const floor = await firstRead(at);
  if (!floor || !('height' in floor) || !timeAt) throw notThere();
  const first = await answer(
    findHeight(boundOf(from), head, (height) => timeAt(partition, height), { brackets }),
    fetch,
  );
  const end = Math.min(floor.height, handedOut ?? floor.height);
  return first < end ? { first, last: end - 1 } : undefined;
}

const notThere = () =>
  new FirnError(
    'usage',
    'It has no row in the lake yet. Let firn worker read and apply first: a backfill joins what it reads.',
  );

const underWay = (what: string) =>
  new FirnError(
    'unavailable',
    `An earlier backfill of it is not over: ${what}. Let firn worker read and apply, and run again.`,
    { retryable: true },
  );
