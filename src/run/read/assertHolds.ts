import type { Row } from '../../core/columnType.ts';
import { FirnError } from '../../core/firnError.ts';
import { partitionKey, type RangeStream } from '../../core/stream.ts';
import { answer } from '../sources/drive.ts';
import type { ReadContext } from './partitionContext.ts';

/**
 * Makes sure that the source still holds what was read from it last: an index that was wiped and has grown again, or
 * another node behind the same URL, counts its positions anew, and reading on would mix the two.
 *
 * @returns the row that was read last, where there is one
 * @throws FirnError `source_shrank`
 */
export async function assertHolds(
  stream: RangeStream,
  context: ReadContext,
  position: number,
): Promise<Row | undefined> {
  const { warehouse, partition, fetch } = context;
  const values = Object.entries(partition.values);
  const where = [...values.map(([name]) => name), stream.position].map((name, i) => `"${name}" = $${i + 1}`);
  const [last] = await warehouse.query<Row>(`SELECT * FROM ${stream.table.name} WHERE ${where.join(' AND ')} LIMIT 1`, [
    ...values.map(([, value]) => value),
    BigInt(position),
  ]);
  // A record in quarantine left no row to compare with.
  if (last === undefined || !stream.holds || (await answer(stream.holds(partition, last), fetch))) return last;
  throw new FirnError(
    'source_shrank',
    `${stream.id} (${partitionKey(partition)}): the source no longer holds what was read from it as ${stream.position} ${position}. ` +
      'Its index was wiped and rebuilt, or another node answers. Nothing was changed: point the source back, or begin a new warehouse.',
  );
}
