import { FirnError } from '../../core/firnError.ts';
import type { Request, Response } from '../../core/requests/request.ts';
import { partitionKey, partitionMembers } from '../../core/stream/partition.ts';
import type { LookupStream } from '../../core/stream/stream.ts';
import { keyList } from '../../core/text/sqlText.ts';
import { unconfirmed } from '../../load/commit/batch.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { answer, checked } from '../sources/drive.ts';
import { Committer } from './committer.ts';
import { isOfOne, isOutcome, type Looked, LookupAnswers, type Wanted } from './lookupAnswers.ts';
import type { ReadContext } from './partitionContext.ts';

const defaultBudget = 1000;
/** Keys asked for at once; the source's own limiter may hold them back further. */
const atOnce = 8;

/**
 * Looks up every key that the warehouse names and that was not asked for yet, as far as the budget goes: each once, with its outcome. One that
 * fails is asked for again in the next run, and keeps no other from being asked for, as long as the source answers any beside it.
 *
 * That a key is refused or not there is believed of a source that answers others: behind a wrong URL nothing is there, and all would
 * be noted as gone. Even so it is believed the second time, in another run, and so is that there is nothing about it: of several nodes behind
 * one URL the one that answers may be behind the one that named it, lists come before what they name, and a server may refuse once by mistake.
 * Of a partition that was never answered, only what another one still has is believed not to be there: a transaction that is named for all chains is
 * on one of them.
 */
export async function readLookup(stream: LookupStream, context: ReadContext): Promise<void> {
  const { partition, signal } = context;
  const id = partitionKey(partition);
  const saved = await context.saved();
  const { keys, open } = await openKeys(stream, context, id);
  const doesAnswer = () => answersAgain(stream, context, id);
  const committer = new Committer(stream, context, saved);
  const answers = new LookupAnswers(stream, context, committer);
  try {
    for (let start = 0; start < keys.length && !signal.aborted; start += atOnce) {
      const group = keys.slice(start, start + atOnce);
      const asked = await Promise.allSettled(group.map((key) => answer(lookUp(stream, context, key), context.fetch)));
      const looked = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      // Where a limit ends the read, the answers that came below it are paid for.
      for (const one of looked) await answers.take(one);
      await committer.commitIfFull(saved);
      context.progress(start + looked.length, open);
      const ended = asked.find((one) => one.status === 'rejected');
      if (ended) {
        answers.failed = ended.reason;
        break;
      }
      // Each would wait for its retries, one group after the other.
      if (looked.every(({ error }) => error && !isOutcome(error)) && !(await doesAnswer())) break;
    }
    await answers.end(doesAnswer, (missed) => stillElsewhere(stream, context, missed));
  } finally {
    await committer.finish(saved);
  }
}

/** Whether the source still has what was found there last. */
async function answersAgain(stream: LookupStream, context: ReadContext, id: string): Promise<boolean> {
  const [known] = await context.warehouse.query<{ key: string }>(
    `SELECT "key" FROM firn.lookup WHERE stream = $1 AND "partition" = $2 AND outcome = 'found' ORDER BY load_id DESC LIMIT 1`,
    [stream.id, id],
  );
  return known !== undefined && isThere(stream, context, known);
}

/** Which of some keys another partition has, as the source says once more. */
async function stillElsewhere(
  stream: LookupStream,
  context: ReadContext,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const known = await foundOf(context.warehouse, stream.id, keys);
  const [first] = known;
  if (!first) return new Set();
  const values = Object.fromEntries(partitionMembers(first.partition));
  const there = { ...context, partition: { ...context.partition, values } };
  return new Set((await isThere(stream, there, first)) ? known.map(({ key }) => key) : []);
}

/** Which of some keys a lookup found, and in which partition. */
export const foundOf = ({ query }: Pick<Warehouse, 'query'>, stream: string, keys: readonly string[]) =>
  query<{ key: string; partition: string }>(
    `SELECT "key", "partition" FROM firn.lookup WHERE stream = $1 AND outcome = 'found' AND "key" IN (${keyList(keys)}) ORDER BY ALL`,
    [stream],
  );

/** Whether the source has a key. */
async function isThere(stream: LookupStream, context: ReadContext, wanted: Wanted): Promise<boolean> {
  return !(await answer(lookUp(stream, context, wanted), context.fetch)).error;
}

/** The keys to ask for, and how many are open: later runs ask for those that the budget leaves. */
async function openKeys(
  stream: LookupStream,
  { partition, warehouse }: ReadContext,
  id: string,
): Promise<{ readonly keys: readonly Wanted[]; readonly open: number }> {
  const wanted = stream.keys(partition);
  // DuckDB refuses parameters that a statement does not have. By pattern: the SQL is a stream's own, and `$name` in it is nothing else.
  const named = Object.entries(partition.values).filter(([name]) => new RegExp(`\\$${name}\\b`).test(wanted));
  // What earlier runs asked for goes first: to make every key distinct that was ever named would take longer with each.
  const keys = await warehouse.query<{ key: string; isAgain: boolean; open: bigint }>(
    `WITH asked AS NOT MATERIALIZED (FROM firn.lookup WHERE stream = $firn_stream AND "partition" = $firn_partition),
     wanted AS (
       SELECT DISTINCT "key" FROM (${wanted}) AS named
       WHERE "key" IS NOT NULL AND "key" NOT IN (SELECT "key" FROM asked WHERE outcome <> '${unconfirmed}')
     )
     SELECT wanted."key", again."key" IS NOT NULL AS "isAgain", count(*) OVER () AS open
     FROM wanted LEFT JOIN (FROM asked WHERE outcome = '${unconfirmed}') AS again ON again."key" = wanted."key"
     ORDER BY "isAgain", wanted."key" LIMIT ${Number(partition.budget ?? defaultBudget)}`,
    { ...Object.fromEntries(named), firn_stream: stream.id, firn_partition: id },
  );
  return { keys, open: Number(keys[0]?.open ?? 0) };
}

function* lookUp(
  stream: LookupStream,
  { partition }: ReadContext,
  wanted: Wanted,
): Generator<Request, Looked, Response> {
  const request: Request = { about: wanted.key, ...stream.request(wanted.key, partition) };
  try {
    const response = yield checked(stream, partition, request);
    return { ...wanted, request, response };
  } catch (error) {
    if (isOfOne(error) || (error instanceof FirnError && isOutcome(error)))
      return { ...wanted, request, response: null, error };
    throw error;
  }
}
