import type { ClusterProgress } from '../../cluster/ledger/readProgress.ts';
import { withoutName } from '../../core/text/partitionText.ts';
import { printableLine } from '../../core/text/printable.ts';
import { textTable } from './textTable.ts';

/** How long a sentence of a problem may be on a line of its own. */
const longestSentence = 200;

/** How far workers and appliers are, for a terminal. */
export function clusterText({ partitions, waiting, tasks }: ClusterProgress): string {
  const problems = partitions.flatMap((one) => {
    if (one.problem === null) return [];
    return [`${one.stream} (${one.partition}): ${printableLine(withoutName(one.problem, [one]), longestSentence)}`];
  });
  const read = partitions.map(({ stream, partition, position, partFrom, readAt, stretches, held, owners }) => [
    stream,
    printableLine(partition, 40),
    printableLine(position ?? (readAt ? `read at ${readAt}` : 'not read yet'), 40) +
      (partFrom === null ? '' : `, in part from ${partFrom}`),
    stretches,
    held === 0 ? '' : `${held}: ${printableLine(owners.join(', '), 60)}`,
  ]);
  return [
    textTable(['read by workers', 'partition', 'position', 'stretches left', 'held by'], read) ||
      'No worker has read anything yet.',
    textTable(
      ['waits to be applied', 'files', 'rows', 'bytes', 'since'],
      waiting.map(({ table, files, rows, bytes, since }) => [table, files, rows, bytes, since]),
    ) || 'Everything that was read is applied.',
    ...tasks.flatMap(taskLine),
    ...problems,
  ].join('\n\n');
}

const doing: Readonly<Record<string, string>> = {
  build: 'builds or publishes',
  migrate: 'takes a warehouse over',
};

/** What applies and sweeps passes in seconds. */
function taskLine({ name, owner, since }: ClusterProgress['tasks'][number]): string[] {
  const what = doing[name];
  if (what === undefined) return [];
  return [`${printableLine(owner ?? 'A process of an earlier firn', 60)} ${what}${since ? ` since ${since}` : ''}.`];
}
