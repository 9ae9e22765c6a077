/**
 * Of which kinds a run is that read whole pipelines, by which the newest of each are kept and told of, however many others ended since: of each
 * pipeline, and whether it came to a result, or to no end: a long one that is killed may have locked out many that are newer.
 *
 * @param exitCode null for one that goes on, or was killed
 */
export const pipelineKinds = (
  pipelines: readonly string[],
  exitCode: number | null,
  hasResult: boolean,
): readonly string[] =>
  pipelines.flatMap((pipeline) => [
    `run of ${pipeline}`,
    ...(hasResult ? [`result of ${pipeline}`] : []),
    ...(exitCode === null ? [`no end of ${pipeline}`] : []),
  ]);
