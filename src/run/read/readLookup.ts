import { FirnError } from '../../core/firnError.ts';
import type { Request, Response } from '../../core/request.ts';
import { type LookupStream, partitionKey } from '../../core/stream.ts';
import { answer, checked } from '../sources/drive.ts';
import { createCommitter } from './committer.ts';
import type { ReadContext } from './partitionContext.ts';
import { createPageReader } from './readPages.ts';

const defaultBudget = 1000;
/** Keys asked for at once; the source's own limiter may hold them back further. */
const atOnce = 8;

/**
 * Looks up every key that the warehouse names and that was not asked for yet, as far as the budget goes: each once, with its outcome. A
 * refusal is an outcome where other keys are answered, since a record with an odd id must not keep them from being asked for.
 */
export async function readLookup(stream: LookupStream, context: ReadContext): Promise<void> {
  const { partition, signal } = context;
  const id = partitionKey(partition);
  const saved = await context.saved();
  const { keys, open } = await openKeys(stream, context, id);
  const committer = createCommitter(stream, context, saved);
  const refused: Looked[] = [];
  let answered = 0;
  const gathering = () => committer.batch.gathering(stream, partition);
  const pages = createPageReader(stream, context, {
    gathering,
    add: (page, { kept }, from) => committer.batch.add(page, kept, from),
  });
  const note = async ({ key, request, response }: Looked, outcome: string) => {
    if (response) pages.give(request, response);
    else committer.batch.add(gathering(), 0, { request, bytes: 0, fetchedAt: 0 });
    await pages.settle();
    committer.batch.noteLookup(key, outcome);
  };
  try {
    for (let start = 0; start < keys.length && !signal.aborted; start += atOnce) {
      const group = keys.slice(start, start + atOnce);
      for (const looked of await Promise.all(group.map((key) => answer(lookUp(stream, context, key), context.fetch)))) {
        if (looked.refused) refused.push(looked);
        else await note(looked, looked.response ? 'found' : 'not_found');
        if (!looked.refused) answered++;
      }
      await committer.commitIfFull(saved);
      context.progress(Math.min(start + atOnce, keys.length), open);
    }
    if (refused[0] && answered === 0) throw refused[0].refused;
    for (const looked of refused) await note(looked, 'refused');
  } finally {
    await committer.finish(saved);
  }
}

/** The keys to ask for, and how many are open: later runs ask for those that the budget leaves. */
async function openKeys(
  stream: LookupStream,
  { partition, warehouse }: ReadContext,
  id: string,
): Promise<{ readonly keys: readonly string[]; readonly open: number }> {
  const wanted = stream.keys(partition);
  // DuckDB refuses parameters that a statement does not have. By pattern: the SQL is a stream's own, and `$name` in it is nothing else.
  const named = Object.entries(partition.values).filter(([name]) => new RegExp(`\\$${name}\\b`).test(wanted));
  const rows = await warehouse.query<{ key: string; open: bigint }>(
    `SELECT wanted."key", count(*) OVER () AS open FROM (SELECT DISTINCT "key" FROM (${wanted})) AS wanted
     WHERE wanted."key" IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM firn.lookup AS done
       WHERE done.stream = $firn_stream AND done."partition" = $firn_partition AND done."key" = wanted."key")
     ORDER BY wanted."key" LIMIT ${Number(partition.budget ?? defaultBudget)}`,
    { ...Object.fromEntries(named), firn_stream: stream.id, firn_partition: id },
  );
  return { keys: rows.map(({ key }) => key), open: Number(rows[0]?.open ?? 0) };
}

interface Looked {
  readonly key: string;
  readonly request: Request;
  readonly response: Response | null;
  readonly refused?: FirnError;
}

function* lookUp(stream: LookupStream, { partition }: ReadContext, key: string): Generator<Request, Looked, Response> {
  const request: Request = { about: key, ...stream.request(key, partition) };
  try {
    const response = yield checked(stream, partition, request);
    return { key, request, response };
  } catch (error) {
    // "Not there" is an outcome; anything else is an error of the partition.
    if (error instanceof FirnError && error.code === 'not_found') return { key, request, response: null };
    if (error instanceof FirnError && error.code === 'refused') return { key, request, response: null, refused: error };
    throw error;
  }
}
