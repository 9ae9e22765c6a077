/** What tells of a partition how far a run read it. */
interface Outcome {
  readonly outcome?: unknown;
  readonly behind?: unknown;
}

/**
 * Of which kinds a run is that read whole pipelines, by which the newest of each are kept and told of, however many others ended since: of each
 * pipeline, whether it came to a result, and whether it read all that the sources offer to the end.
 */
export function pipelineKinds(
  pipelines: readonly string[],
  hasResult: boolean,
  partitions: readonly Outcome[],
): readonly string[] {
  const kinds = ['run of', ...(hasResult ? ['result of'] : []), ...(hasReadAll(partitions) ? ['all of'] : [])];
  return pipelines.flatMap((pipeline) => kinds.map((kind) => `${kind} ${pipeline}`));
}

/** Whether a run read something, and all of it to the end: it tells when that was, however many runs fail after it. */
const hasReadAll = (partitions: readonly Outcome[]): boolean =>
  partitions.some(({ outcome }) => outcome === 'done') &&
  partitions.every(({ outcome, behind }) => outcome === 'not_offered' || (outcome === 'done' && !behind));
