/** What tells of a partition how far a run read it. */
interface Outcome {
  readonly outcome?: unknown;
  readonly behind?: unknown;
}

/** Whether a run read something, and all that its sources offer to the end: it tells when that was, however many runs fail after it. */
export const hasReadAll = (partitions: readonly Outcome[]): boolean =>
  partitions.some(({ outcome }) => outcome === 'done') &&
  partitions.every(({ outcome, behind }) => outcome === 'not_offered' || (outcome === 'done' && !behind));
