import { RawValue } from '../../core/json/rawValue.ts';
import { emptyPage, parseRecords } from '../../core/parse/parseRecords.ts';
import type { Request } from '../../core/requests/request.ts';
import { numberEqual } from '../../core/rows/numberEqual.ts';
import type { Rows } from '../../core/rows/rows.ts';
import type { NetworkFacts } from '../../core/stream/network.ts';
import { type Partition, partitionKey } from '../../core/stream/partition.ts';
import { rowTables, type Stream } from '../../core/stream/stream.ts';
import { hasValues, literal, sameRow } from '../../core/text/sqlText.ts';
import { createEnricher, type Enricher } from '../../decode/senders/enricher.ts';
import { readCheckpoint } from '../../load/commit/checkpoints.ts';
import { prepareBatch, writeBatch } from '../../load/commit/commit.ts';
import { givenKeyOf, givenKeySql } from '../../load/commit/recordKey.ts';
import type { Statements } from '../../load/database/transaction.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { listPartitions, type PlannedStream } from '../planStreams.ts';
import { createBatchBuilder } from '../read/committer.ts';
import { isAmended } from '../read/isAmended.ts';

/** What a replay did with the records of one stream and partition. */
export interface Replayed {
  readonly stream: string;
  readonly partition: string;
  readonly tried: number;
  readonly readable: number;
}

interface ReplayContext {
  readonly warehouse: Warehouse;
  readonly network: NetworkFacts;
  readonly runId: string;
  readonly enrich: Enricher['enrich'];
  readonly now: () => number;
}

/** Records of one commit: linear in their number, and in memory at once. */
const recordsAtOnce = 2000;

/**
 * Tries quarantined records again with the schemas of this version. Those that can be read now enter their tables; the
 * others stay where they are. Accepted records are tried, too: a newer version may read them.
 */
export function replayQuarantine(
  warehouse: Warehouse,
  planned: readonly PlannedStream[],
  network: NetworkFacts,
  runId: string,
): Promise<Replayed[]> {
  return replayEach(planned, network, { runId, now: Date.now }, (_, replay) => replay(warehouse));
}

/** Tries the records of one partition again, which a warehouse holds. */
type Replay = (warehouse: Warehouse) => Promise<Pick<Replayed, 'tried' | 'readable'>>;

/**
 * The same for records that lie elsewhere.
 *
 * @param within opens a warehouse for a partition and replays it there; undefined where none of its records wait
 */
export async function replayEach(
  planned: readonly PlannedStream[],
  network: NetworkFacts,
  { runId, now }: Pick<ReplayContext, 'runId' | 'now'>,
  within: (
    of: { readonly stream: Stream; readonly partition: Partition },
    replay: Replay,
  ) => Promise<Pick<Replayed, 'tried' | 'readable'> | undefined>,
): Promise<Replayed[]> {
  const results: Replayed[] = [];
  const { enrich, close } = createEnricher();
  try {
    for (const one of planned) {
      const { stream } = one;
      for (const { partition } of listPartitions(one, { network })) {
        // Of a chain that is not known nothing was read.
        if (!partition) continue;
        const done = await within({ stream, partition }, (warehouse) =>
          replayPartition({ warehouse, network, runId, enrich, now }, stream, partition),
        );
        if (done && done.tried > 0) results.push({ stream: stream.id, partition: partitionKey(partition), ...done });
      }
    }
  } finally {
    await close();
  }
  return results;
}

interface Held {
  readonly id: bigint;
  readonly record: string;
  /** Microseconds since the epoch: when it came first, and last where the list was read since without it. */
  readonly from: bigint;
  readonly until: bigint | null;
}

async function replayPartition(
  context: ReplayContext,
  stream: Stream,
  partition: Partition,
): Promise<Pick<Replayed, 'tried' | 'readable'>> {
  let [tried, readable, last] = [0, 0, 0n];
  for (;;) {
    const held = await context.warehouse.query<Held>(
      `WITH newest AS (
         SELECT max(load_id) AS load_id FROM firn.load
         WHERE stream = $1 AND "partition" = $2 AND position_to IS DISTINCT FROM position_from
       )
       SELECT id, record, epoch_us(quarantined_at) AS "from", CASE WHEN last_load_id < load.load_id THEN epoch_us(last_seen_at) END AS until
       FROM firn.quarantine CROSS JOIN newest AS load
       WHERE stream = $1 AND "partition" = $2 AND replayed_at IS NULL AND id > $3 ORDER BY id LIMIT ${recordsAtOnce}`,
      [stream.id, partitionKey(partition), last],
    );
    if (held.length === 0) return { tried, readable };
    tried += held.length;
    last = held.at(-1)?.id ?? last;
    readable += await replayRecords(context, stream, partition, held);
  }
}

/** Reads records again and commits those that can be read, in one load; returns how many they are. */
async function replayRecords(
  context: ReplayContext,
  stream: Stream,
  partition: Partition,
  held: readonly Held[],
): Promise<number> {
  const { warehouse, runId, enrich, now } = context;
  let { page, replayed, bytes } = readAgain(context, stream, partition, held);
  if (stream.table.key.includes('position')) {
    const alike = await likeHeldRows(warehouse, stream, partition, page.set.own);
    const left = replayed.filter((_, row) => alike.has(row));
    await warehouse.transaction((tx) => noteAlike(tx, stream, left));
    ({ page, replayed, bytes } = readAgain(
      context,
      stream,
      partition,
      held.filter(({ id }) => !left.includes(id)),
    ));
    numberEqual(page.set.own, stream.table.key);
  }
  const [first] = replayed;
  if (first === undefined) return 0;
  if (stream.enrichment) await enrich(stream.enrichment, page);
  const builder = createBatchBuilder();
  builder.add(page, replayed.length, { request: replayOf(first), bytes, fetchedAt: now() });
  const position = await readCheckpoint(warehouse, stream.id, partitionKey(partition));
  const batch = prepareBatch(stream, partition, { ...builder.build(), replayed });
  await warehouse.transaction(async (tx) => {
    const { loadId } = await writeBatch(tx, { stream, partition, runId, batch, from: position, to: position });
    if (stream.way === 'snapshot') await endBefore(tx, stream, partition, loadId);
  });
  return replayed.length;
}

/** The records that can be read now: one row each. */
function readAgain({ network }: ReplayContext, stream: Stream, partition: Partition, held: readonly Held[]) {
  const page = emptyPage(stream, partition);
  const replayed: bigint[] = [];
  const state = stream.state?.();
  let bytes = 0;
  for (const { id, record, from, until } of held) {
    const mark = page.set.mark();
    parseRecords(stream, partition, network, [new RawValue(Buffer.from(record))], page);
    if (page.quarantined.splice(0).length > 0 || !isAmended(stream, page, state, mark)) {
      page.set.takeBack(mark);
      continue;
    }
    if (stream.way === 'snapshot') page.set.stamp(mark, { _valid_from: from, _valid_to: until });
    bytes += record.length;
    replayed.push(id);
  }
  return { page, replayed, bytes };
}

/** Numbers of rows of which others are held that are alike in all of the key that the source gives: only a whole block tells how many there are. */
async function likeHeldRows(
  warehouse: Warehouse,
  { table }: Stream,
  partition: Partition,
  rows: Rows,
): Promise<ReadonlySet<number>> {
  if (rows.length === 0) return new Set();
  const keys = Array.from({ length: rows.length }, (_, row) => givenKeyOf(table, partition, rows, row));
  const key = givenKeySql(table, partition);
  const found = await warehouse.query<{ key: string }>(
    `SELECT DISTINCT ${key} AS "key" FROM ${table.name} WHERE ${hasValues(partition.values)} AND ${key} IN (${keys.map(literal).join(', ')})`,
    partition.values,
  );
  const held = new Set(found.map((row) => row.key));
  return new Set(keys.flatMap((text, row) => (held.has(text) ? [row] : [])));
}

/** Ends the version before of each record of a snapshot that is current now: it stayed as long as the record could not be read. */
async function endBefore(tx: Statements, stream: Stream, partition: Partition, loadId: number): Promise<void> {
  const { name, key } = stream.table;
  for (const table of rowTables(stream))
    await tx.run(
      `UPDATE ${table.name} AS old SET _valid_to = greatest(new._valid_from, old._valid_from)
       FROM ${name} AS new WHERE ${sameRow('new', 'old', key)} AND new._load_id = ${loadId} AND new._valid_to IS NULL
         AND old._valid_to IS NULL AND old._load_id IN (
           SELECT load_id FROM firn.load WHERE stream = $1 AND "partition" = $2 AND load_id <> ${loadId}
         )`,
      [stream.id, partitionKey(partition)],
    );
}

/** Says of records why they stay, though they can be read. */
async function noteAlike(tx: Statements, { id }: Stream, left: readonly bigint[]): Promise<void> {
  if (left.length === 0) return;
  const reason = `It can be read now, but rows that are like it are there already, and nothing in it tells whether it is one of them. Read its day again (firn backfill ${id} --again), then accept it (firn quarantine accept).`;
  await tx.run(`UPDATE firn.quarantine SET reason = $1 WHERE id IN (${left.join(', ')})`, [reason]);
}

/** What the load row shows in place of a request. */
const replayOf = (id: bigint): Request => ({ kind: 'get', path: `replay of quarantine entry ${id}`, weight: 0 });
