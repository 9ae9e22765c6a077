import type { PartitionResult } from '../read/syncStreams.ts';
import type { RunReport } from '../records/runReport.ts';

/** The sentence of a run that could read nothing; what follows it is the first reason. */
export const nothing =
  'Nothing could be read, so nothing was built or published: readers see what was published before.';

/** What there is to tell where every partition that the sources offer failed before a row of it came. */
export function nothingRead(partitions: readonly PartitionResult[]): RunReport['problems'][number] | undefined {
  const offered = partitions.filter(({ outcome }) => outcome !== 'not_offered');
  const [first] = offered;
  if (!first || !offered.every(({ outcome, bytes }) => outcome === 'failed' && bytes === 0)) return undefined;
  const { stream, partition, code = 'failed', message = '' } = first;
  return { code, message: `${nothing} ${stream} (${partition}): ${message}` };
}
