import { FirnError } from '../../core/firnError.ts';
import { emptyGatheredPage, type GatheredPage } from '../../core/parse/parseRecords.ts';
import { RowSet, recycleRowSets } from '../../core/parse/rowSet.ts';
import type { SnapshotStream } from '../../core/stream/stream.ts';
import type { Batch } from '../../load/commit/batch.ts';
import { createSnapshotStage, type SnapshotStage } from '../../load/commit/snapshotStage.ts';
import { drive } from '../sources/drive.ts';
import { createBatchBuilder } from './committer.ts';
import type { ReadContext } from './partitionContext.ts';
import { createPageReader } from './readPages.ts';

/** How often a list that shrank too much is read to get the same answer twice. */
const mostReads = 3;

/**
 * Reads the whole list and makes it the current one. A read that does not come to its end changes nothing: only a complete
 * one may close rows that are gone, and of several pages only one that is gone twice: while they are read, a row may move to a page that was read
 * before. One that would close more than half of them needs the same answer twice. A record that is there but cannot be read closes nothing.
 *
 * @throws FirnError `contract` when a list that shrank too much reads differently each time; TypeError where nothing was asked
 */
export async function readSnapshot(stream: SnapshotStream, context: ReadContext): Promise<void> {
  const { partition, warehouse } = context;
  const from = await context.saved();
  const stages: SnapshotStage[] = [];
  try {
    for (let reads = 1; reads <= mostReads; reads++) {
      const stage = await createSnapshotStage(warehouse, stream, partition);
      stages.push(stage);
      const batch = await readInto(stage, stream, context);
      if (!batch) return;
      const shrinks = await stage.shrinks();
      const previous = stages.at(-2);
      if (shrinks && !(previous && (await stage.hasKeysOf(previous)))) continue;
      if (!previous && batch.pages > 1 && (await stage.lacks())) continue;
      const to = { readAt: batch.fetchedAt };
      const commit = { stream, partition, runId: context.runId, batch, from, to, requests: context.takeRequests() };
      const held = await stage.held(previous);
      const { rows, childRows } = await stage.apply(commit, previous);
      if (held > 0) context.note?.(heldText(held));
      context.committed({ rows, childRows, quarantined: batch.quarantined.length, bytes: batch.bytes });
      return;
    }
  } finally {
    for (const stage of stages) await stage.drop().catch(() => {});
  }
  throw new FirnError(
    'contract',
    'It lists less than half of what it listed before, and something different each time it is asked. No row was closed; run again later.',
    { retryable: true },
  );
}

const heldText = (held: number) =>
  `${held} ${held === 1 ? 'row that is not listed any more stays' : 'rows that are not listed any more stay'} current: a record cannot be read, nor which row is its own. ` +
  'Rows end again once it can be read, is gone, or is accepted ("firn quarantine" names it).';

/** Reads the list into a stage. Gives the facts for the load row; nothing where the read was stopped. */
async function readInto(
  stage: SnapshotStage,
  stream: SnapshotStream,
  context: ReadContext,
): Promise<Batch | undefined> {
  const { partition, signal } = context;
  const sums = createBatchBuilder();
  const emptySet = new RowSet(stream, partition);
  let gathering: GatheredPage | undefined;
  let records = 0;
  const pages = createPageReader(stream, context, {
    gathering: () => {
      gathering ??= emptyGatheredPage(stream, partition);
      return gathering;
    },
    async add(page, { kept }, from) {
      gathering = undefined;
      await stage.add(page);
      // The rows are in the stage; the batch carries the facts for the load row.
      recycleRowSets(stream, [page.set]);
      sums.add({ ...page, set: emptySet }, kept, from);
      records += kept;
      context.progress(records, null);
    },
  });
  const meanwhile = async () => void (await pages.settle());
  if (!(await drive(stream.pages(partition), { ...pages, meanwhile, signal }))) return undefined;
  await pages.end();
  if (sums.isEmpty())
    throw new TypeError(
      `${stream.id}: "pages" asked for nothing, so no row was closed. Write yield* before tokenPages(…), or yield each request.`,
    );
  return sums.build();
}
