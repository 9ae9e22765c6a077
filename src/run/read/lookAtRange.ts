import type { Row } from '../../core/columns/columnType.ts';
import { FirnError } from '../../core/firnError.ts';
import { type Partition, type Position, partitionKey } from '../../core/stream/partition.ts';
import type { RangeStream } from '../../core/stream/stream.ts';
import { shellWord } from '../../core/text/shellWord.ts';
import { hasValues } from '../../core/text/sqlText.ts';
import { answer } from '../sources/drive.ts';
import type { LookContext } from './partitionContext.ts';
import type { RangeLook, RangePosition } from './rangePosition.ts';

/** Gives the row of a partition at a position; where there is none there, the newest one before it. */
export type LastRow = (stream: RangeStream, context: LookContext, position: number) => Promise<Row | undefined>;

/**
 * Asks for the head and, where there is something to read, whether the source still holds what was read last. Nothing is written.
 *
 * @param rowAt gives rows that were read, where the warehouse does not hold them
 * @throws FirnError `unavailable` where the head lies below the checkpoint and what stands there is what was read; `source_shrank` where it is
 *   not, or the source lost what was read last
 */
export async function lookAtRange(
  stream: RangeStream,
  context: LookContext,
  position: Position | null,
  rowAt: LastRow = lastRow,
): Promise<RangeLook> {
  const { partition, fetch } = context;
  const saved = position as RangePosition | null;
  const head = await answer(stream.head(partition), fetch);
  if (saved === null) return { saved, head, previous: undefined };
  if (head === null || head < saved.next - 1) throw await endsBefore(stream, context, head, saved.next - 1, rowAt);
  const previous = saved.next > head ? undefined : await assertHolds(stream, context, saved.next - 1, rowAt);
  return { saved, head, previous };
}

/** The error of a source whose head lies below what was read last: it is late, or it is not what was read. */
async function endsBefore(
  stream: RangeStream,
  context: LookContext,
  head: number | null,
  last: number,
  rowAt: LastRow,
): Promise<FirnError> {
  const { partition, fetch, state } = context;
  const what = `${stream.id} (${partitionKey(partition)}): the source ends at ${head ?? 'nothing'}, but ${last} was read from it before`;
  const row = await rowAt(stream, context, head ?? last);
  const holds = async () => row && stream.holds && answer(stream.holds(partition, row, state), fetch);
  // A node that has nothing at all has an error for whatever it is asked; another one behind its URL may answer.
  const isSame = await holds().catch((error: unknown) => {
    if (head === null && error instanceof FirnError && error.code !== 'interrupted') return false;
    throw error;
  });
  if (isSame)
    return new FirnError(
      'unavailable',
      `${what}. As far as it goes it is the same, so the node that answers is behind: one of several behind one URL, or one that is catching up. ` +
        'Nothing was changed. Run again later; if this persists, let the URL of the source name one node that is in step.',
      { retryable: true, context: { reason: 'behind' } },
    );
  return new FirnError(
    'source_shrank',
    `${what}, and what it has is not known to be the same. It was wiped, or another node answers. ` +
      `Nothing was changed: wait until the node has caught up, point the source back, or ${dropped(stream, partition)}.`,
  );
}

/**
 * Makes sure that the source still holds what was read from it last: an index that was wiped and has grown again, or
 * another node behind the same URL, counts its positions anew: reading on would mix the two.
 *
 * @param position the last one that was read
 * @returns the row that was read last, where there is one
 * @throws FirnError `source_shrank`
 */
export async function assertHolds(
  stream: RangeStream,
  context: LookContext,
  position: number,
  rowAt: LastRow = lastRow,
): Promise<Row | undefined> {
  const { partition, fetch, state } = context;
  const last = await rowAt(stream, context, position);
  if (last === undefined || !stream.holds || (await answer(stream.holds(partition, last, state), fetch))) return last;
  throw new FirnError(
    'source_shrank',
    `${stream.id} (${partitionKey(partition)}): the source no longer holds what was read from it as ${stream.position} ${last[stream.position]}. ` +
      'Its index was wiped and rebuilt (after a state sync it counts from another block), or another node answers. ' +
      `Nothing was changed: point the source back, or ${dropped(stream, partition)}.`,
  );
}

const dropped = ({ id }: RangeStream, partition: Partition) =>
  `drop what was read, so that it is read from this node, with "firn state drop ${id} ${shellWord(partitionKey(partition))}"`;

/** The row at a position, with bytes as hex. Where its record is in quarantine, the newest one before it: another chain would differ there, too. */
export async function lastRow(
  { table, position: name }: RangeStream,
  { warehouse, partition: { values } }: LookContext,
  position: number,
): Promise<Row | undefined> {
  const columns = table.columns.map(({ name, type }) =>
    type === 'blob' ? `hex("${name}") AS "${name}"` : `"${name}"`,
  );
  const own = `SELECT ${columns.join(', ')} FROM ${table.name} WHERE ${hasValues(values)}`;
  // Nearly always it is there: a search for the newest one looks at the column from end to end.
  for (const where of [`"${name}" = ${position}`, `"${name}" < ${position} ORDER BY "${name}" DESC`]) {
    const [row] = await warehouse.query<Row>(`${own} AND ${where} LIMIT 1`, values);
    if (row) return row;
  }
  return undefined;
}
