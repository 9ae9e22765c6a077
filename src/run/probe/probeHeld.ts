import type { NetworkFacts } from '../../core/network.ts';
import { emptyPage, type GatheredPage } from '../../core/parseRecords.ts';
import { recycleRowSets } from '../../core/rowSet.ts';
import { type PagedStream, type Position, partitionKey, type Stream } from '../../core/stream.ts';
import { readCheckpoint } from '../../load/checkpoints.ts';
import { createPageReader } from '../read/readPages.ts';
import { type LookContext, lookAtRange } from '../read/readRange.ts';
import { createSameChain } from '../read/sameChain.ts';
import { drive } from '../sources/drive.ts';

/**
 * Looks whether a source still has what was read of a partition, as a sync does before it takes anything.
 *
 * @throws FirnError as `lookAtRange` and `createSameChain` say
 */
export async function probeHeld(stream: Stream, context: LookContext, network: NetworkFacts): Promise<void> {
  const saved = await readCheckpoint(context.warehouse, stream.id, partitionKey(context.partition));
  if (saved === null) return;
  if (stream.way === 'range') await lookAtRange(stream, context, saved);
  else if ('chainOfRows' in stream) await lookAtList(stream, context, network, saved);
}

/** Reads the first page that a sync would read, and judges by its rows. */
async function lookAtList(stream: PagedStream, context: LookContext, network: NetworkFacts, position: Position) {
  const { partition, fetch } = context;
  const sameChain = createSameChain();
  const first = new AbortController();
  const page: GatheredPage = { ...emptyPage(stream, partition), marks: [] };
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
    await drive(stream.pages(partition, { position, now: Date.now() }, stream.state?.()), {
      ...pages,
      signal: first.signal,
    });
    await pages.end();
    await sameChain.assert(stream, context, [page.set]);
  } finally {
    recycleRowSets(stream, [page.set]);
  }
}
