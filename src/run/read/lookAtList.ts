import { emptyGatheredPage } from '../../core/parse/parseRecords.ts';
import { recycleRowSets } from '../../core/parse/rowSet.ts';
import type { NetworkFacts } from '../../core/stream/network.ts';
import type { Position } from '../../core/stream/partition.ts';
import type { PagedStream } from '../../core/stream/stream.ts';
import { drive } from '../sources/drive.ts';
import type { HeldQuery, ListContext, ReadContext } from './partitionContext.ts';
import { createPageReader } from './readPages.ts';
import { createSameChain } from './sameChain.ts';

/**
 * Reads the first page that a sync would read, and judges by its rows whether the source lists the chain of which rows are held.
 *
 * @param elsewhere as `createSameChain` says
 * @throws FirnError as `createSameChain` says
 */
export async function lookAtList(
  stream: PagedStream,
  context: ListContext & Pick<ReadContext, 'now'>,
  network: NetworkFacts,
  position: Position,
  elsewhere?: readonly HeldQuery[],
) {
  const { partition, fetch, now } = context;
  const sameChain = createSameChain(elsewhere);
  const first = new AbortController();
  const page = emptyGatheredPage(stream, partition);
  const pages = createPageReader(
    stream,
    {
      partition,
      network,
      fetch: (request) => fetch(request).finally(() => first.abort()),
    },
    {
      gathering: () => page,
      passed: (rows, from) => sameChain.passed(stream, partition, rows, from),
      add() {},
    },
  );
  try {
    await drive(stream.pages(partition, { position, now: now() }, stream.state?.()), {
      ...pages,
      signal: first.signal,
    });
    await pages.end();
    await sameChain.assert(stream, context, [page.set]);
  } finally {
    recycleRowSets(stream, [page.set]);
  }
}
