import { emptyPage, type GatheredPage } from '../../../src/core/parse/parseRecords.ts';
import type { Partition, Position } from '../../../src/core/stream/partition.ts';
import type { PagedStream, Pages } from '../../../src/core/stream/stream.ts';
import { createPageReader } from '../../../src/run/read/readPages.ts';
import { drive, type Fetch } from '../../../src/run/sources/drive.ts';

/** What pages bring: rows and records of all of them, and the last position. */
interface Driven {
  readonly page: GatheredPage;
  readonly records: number;
  readonly position: Position | null;
}

const network = { networkId: 5, network: 'fuji', hrp: 'fuji', chains: [] };

/** Drives pages as a sync does, with answers out of a function in place of a server and nothing committed. */
export async function drivePages(
  stream: PagedStream,
  partition: Partition,
  pages: Pages,
  fetch: Fetch,
  signal?: AbortSignal,
): Promise<Driven> {
  const page = { ...emptyPage(stream, partition), marks: [] };
  let records = 0;
  let position: Position | null = null;
  const reader = createPageReader(
    stream,
    { partition, network, fetch },
    {
      gathering: () => page,
      add(_, { kept }) {
        records += kept;
      },
    },
  );
  await drive(pages, {
    ...reader,
    advance(to) {
      position = to;
    },
    meanwhile: async () => void (await reader.settle()),
    ...(signal && { signal }),
  });
  await reader.end();
  return { page, records, position };
}
