import { exitCode } from '../../core/exitCode.ts';
import { FirnError, problemOf } from '../../core/firnError.ts';
import type { PhaseOptions } from '../../run/phases/phaseOptions.ts';
import { runName } from '../../run/phases/runPhases.ts';
import type { Phase } from '../../run/records/runReport.ts';
import { readConfigured } from '../config/configured.ts';
import { runDocument } from '../json/runDocument.ts';
import { refuseCluster } from '../open/withProject.ts';
import type { CliContext } from '../registerCommand.ts';
import { brokenLine, runLine } from '../text/runLine.ts';
import { runSummary } from '../text/runSummary.ts';
import { runAndTell } from './runAndTell.ts';
import { syncProgress } from './syncProgress.ts';

/** Which parts of the configuration are run. */
export interface Chosen {
  readonly select?: string[];
  readonly pipeline?: string[];
  readonly repair?: boolean;
  readonly fullRefresh?: boolean;
  /** Milliseconds. */
  readonly maxTime?: number;
  readonly maxUnits?: number;
  /** Milliseconds; true for as long as it takes. */
  readonly wait?: number | true;
}

/** Runs phases of the configured pipelines with progress and summary; returns the exit code. A log has a line of a run that broke off, too. */
export async function runChosen(...asked: Parameters<typeof runReported>): Promise<number> {
  const [{ global, console }, chosen, , read] = asked;
  try {
    return await runReported(...asked);
  } catch (error) {
    const { message } = problemOf(error);
    if (global.quiet) console.print(brokenLine(runName(chosen, read !== undefined), exitCode(error), message));
    throw error;
  }
}

async function runReported(
  context: CliContext,
  chosen: readonly Phase[],
  options: Chosen,
  read?: PhaseOptions['read'],
): Promise<number> {
  const { global, console } = context;
  const { wait = 0 } = options;
  const configured = await readConfigured(global);
  if (configured.settings.engine) {
    const isLimited = options.maxTime !== undefined || options.maxUnits !== undefined;
    const reads = chosen.length === 1 || read || options.select || options.pipeline || isLimited;
    if (chosen.includes('sync') && reads) throw readByWorkers;
    if (options.repair) refuseCluster(configured.settings, 'firn publish --repair');
    if (options.fullRefresh) refuseCluster(configured.settings, 'firn build --full-refresh');
  }
  const report = await runAndTell(context, configured, {
    phases: chosen,
    limits: { maxMs: options.maxTime, maxUnits: options.maxUnits },
    waitMs: wait === true ? Number.POSITIVE_INFINITY : wait,
    read,
    selection: { select: options.select, pipelines: options.pipeline },
    rehash: options.repair,
    rebuild: options.fullRefresh,
    listener: syncProgress(console),
  });
  console.bar.clear();
  console.data(runDocument, report);
  console.print(global.quiet ? runLine(report) : runSummary(report));
  return report.exitCode;
}

const readByWorkers = new FirnError(
  'usage',
  'This configuration names a cluster: its sources are read by firn worker, and firn run applies, builds, reconciles and publishes all that was read. Say in firn.yaml, by sources.*.quota, what all workers may spend together. To read into a warehouse of this machine, leave control, stage and engine out.',
);
