import type { ConfigOptions } from '../cli/config/config.ts';
import { readConfigured } from '../cli/config/configured.ts';
import { refuseCluster } from '../cli/open/withProject.ts';
import { FirnError } from '../core/firnError.ts';
import { meant } from '../core/input/meant.ts';
import type { Log } from '../core/log.ts';
import { plugAndPlay } from '../core/text/plugAndPlay.ts';
import { runPhases } from '../run/phases/runPhases.ts';
import type { SyncListener } from '../run/read/syncOptions.ts';
import { type Phase, phases, type RunReport } from '../run/records/runReport.ts';

export type { RunReport };

/** What a program may say of a run; all of it is optional. */
export interface RunOptions extends ConfigOptions {
  /** One, or several. Default: sync, build, reconcile, publish. */
  readonly phases?: Phase | readonly Phase[];
  /** Stream names and globs (`node/*`), one or several; all if omitted. */
  readonly select?: string | readonly string[];
  readonly pipelines?: string | readonly string[];
  /** How long to wait for another run to let go of the warehouse, in milliseconds. Default: not at all. */
  readonly waitMs?: number;
  /** Ends the run cleanly: what was read is committed. */
  readonly signal?: AbortSignal;
  readonly listener?: SyncListener;
  /** Hears retries and waits; pino's loggers fit. */
  readonly log?: Log;
}

/**
 * Runs a pipeline, as `firn run` does: reads what is new, builds, reconciles and publishes. What goes wrong after the beginning is part
 * of the report, whose `exitCode` is that of `firn run`.
 *
 * @throws FirnError where nothing could begin: a wrong configuration or option, a warehouse that is in use, another network, a cluster
 */
export async function run(options: RunOptions = {}): Promise<RunReport> {
  const unfit = plugAndPlay(process.versions);
  if (unfit !== null) throw new FirnError('failed', unfit);
  const { settings, registry } = await readConfigured(options);
  refuseCluster(settings, 'run()');
  const { select = [], pipelines = [], waitMs, listener } = options;
  const wanted = [options.phases ?? phases].flat();
  const unknown = wanted.find((phase) => !phases.includes(phase));
  if (unknown !== undefined) throw new FirnError('usage', `There is no phase "${unknown}". ${meant(unknown, phases)}`);
  return runPhases({
    settings,
    ...registry,
    phases: wanted,
    selection: { select: [select].flat(), pipelines: [pipelines].flat() },
    signal: options.signal ?? new AbortController().signal,
    log: options.log ?? { debug() {}, warn() {} },
    waitMs,
    listener,
  });
}
