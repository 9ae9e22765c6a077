/**
 * Of which kinds a run is that read whole pipelines, by which the newest of each are kept and told of, however many others ended since: of each
 * pipeline, and whether it came to a result.
 */
export const pipelineKinds = (pipelines: readonly string[], hasResult: boolean): readonly string[] =>
  pipelines.flatMap((pipeline) => [`run of ${pipeline}`, ...(hasResult ? [`result of ${pipeline}`] : [])]);
