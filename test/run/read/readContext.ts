import { createDateBracket } from '../../../src/core/heights/dateBracket.ts';
import { type Partition, partitionKey } from '../../../src/core/stream/partition.ts';
import type { Stream } from '../../../src/core/stream/stream.ts';
import { readCheckpoint } from '../../../src/load/commit/checkpoints.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import type { ReadContext, ReadResult } from '../../../src/run/read/partitionContext.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';

const network = { networkId: 12345, network: 'fuji', hrp: 'local', chains: [] };

/** What a sync hands to the read of a partition, with answers out of a function; `done` are its commits. */
export function readContext(
  warehouse: Warehouse,
  stream: Stream,
  partition: Partition,
  fetch: Fetch,
  more: Partial<ReadContext> = {},
): ReadContext & { readonly done: readonly ReadResult[] } {
  const done: ReadResult[] = [];
  return {
    warehouse,
    partition,
    network,
    fetch,
    now: Date.now,
    state: stream.state?.(),
    brackets: (date) => createDateBracket(date),
    seen() {},
    takeRequests: () => 0,
    runId: 'test',
    saved: () => readCheckpoint(warehouse, stream.id, partitionKey(partition)),
    enrich: async () => {},
    signal: new AbortController().signal,
    committed: (read) => done.push(read),
    progress() {},
    done,
    ...more,
  };
}
