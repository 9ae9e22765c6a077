import type { Request } from '../../core/request.ts';
import type { PagedStream, Partition, SnapshotStream, Window } from '../../core/stream.ts';
import { checked } from '../read/checked.ts';

/** The first request that a read would send; undefined where it would send none. */
export function firstRequest(
  stream: PagedStream | SnapshotStream,
  partition: Partition,
  window: Window,
): Request | undefined {
  const pages = stream.pages(partition, window, stream.state?.());
  let step = pages.next();
  // Where a read begins may be known without a look.
  while (!step.done && step.value.kind === 'advance') step = pages.next(undefined as never);
  return step.done || step.value.kind === 'advance' || step.value.kind === 'read'
    ? undefined
    : checked(stream, partition, step.value);
}
