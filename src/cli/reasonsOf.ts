import { plural } from '../report/numberText.ts';
import type { RunReport } from '../run/records/runReport.ts';

/** Why a run did not end with 0, a sentence each. */
export function reasonsOf({ problems, partitions, reconciliation, unresolved }: RunReport): string[] {
  const failed = partitions.filter(({ outcome }) => outcome === 'failed');
  return [
    ...problems.map(({ message }) => message),
    ...failed.map(({ stream, partition, message }) => `${stream} (${partition}): ${message}`),
    ...(unresolved?.records ? [`${plural(unresolved.records, 'record')} in quarantine.`] : []),
    ...(reconciliation && reconciliation.differs > 0 ? [`${reconciliation.differs} settled buckets differ.`] : []),
  ];
}
