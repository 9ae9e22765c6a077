import { randomUUID } from 'node:crypto';
import { totalmem } from 'node:os';
import { exitCode, worstExit } from '../core/exitCode.ts';
import { FirnError } from '../core/firnError.ts';
import type { ActionStream, Stream } from '../core/stream.ts';
import type { HttpStats, Log } from '../extract/http.ts';
import { keepLabels } from '../load/keepLabels.ts';
import type { Warehouse } from '../load/warehouse.ts';
import type { Dropped } from '../publish/dropPartitions.ts';
import { type PublishResult, publish } from '../publish/publish.ts';
import { loadReferences } from '../publish/references/loadReferences.ts';
import { type BrokenModel, type BuiltModel, buildModels } from '../transform/buildModels.ts';
import { type HeldBack, holdBack, readHeldBack } from '../transform/heldBack.ts';
import { type ReconcileResult, reconcile } from '../transform/reconcile.ts';
import { type AuditResult, runAudits } from '../transform/runAudits.ts';
import { dropHistory } from './dropHistory.ts';
import { openWhenFree } from './openWhenFree.ts';
import { planStreams, type Selection } from './planStreams.ts';
import type { LimitName, Limits } from './readLimits.ts';
import { clearRunState, writeRunState } from './runState.ts';
import type { Settings } from './settings.ts';
import { type SyncPhaseOptions, syncPhase } from './syncPhase.ts';
import { syncResources } from './syncResources.ts';
import type { PartitionResult, SyncListener } from './syncStreams.ts';
import { tablesOf } from './tablesOf.ts';

export const phases = ['sync', 'build', 'reconcile', 'publish'] as const;
export type Phase = (typeof phases)[number];

export interface RunOptions {
  readonly settings: Settings;
  readonly catalogue: readonly Stream[];
  readonly phases: readonly Phase[];
  readonly selection?: Selection;
  /** Whether publish hashes the files that stay, and writes harmed ones again. */
  readonly rehash?: boolean;
  /** What the reading may take; the other phases come after it all the same. */
  readonly limits?: Limits;
  /** How long to wait for another run to let go of the warehouse, in milliseconds. Default: not at all. */
  readonly waitMs?: number;
  /** Tables beside those of the catalogue. */
  readonly actions?: readonly ActionStream[];
  /** Reads something else of the partitions than what is new. */
  readonly read?: SyncPhaseOptions['read'];
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly listener?: SyncListener & { phase?(phase: Phase): void; waiting?(sentence: string): void };
}

/** What a run did, for the summary, `firn.run` and `--json`. */
export interface RunReport {
  readonly runId: string;
  readonly phases: readonly Phase[];
  readonly exitCode: number;
  readonly seconds: number;
  readonly secondsByPhase: Readonly<Partial<Record<Phase, number>>>;
  readonly partitions: readonly PartitionResult[];
  readonly requests: Readonly<Partial<Record<string, HttpStats>>>;
  /** The user's limit that ended the reading before it was done. */
  readonly stoppedBy: LimitName | null;
  readonly models: readonly BuiltModel[];
  readonly audits: readonly AuditResult[];
  readonly reconciliation: ReconcileResult | null;
  /** Relations that readers see in their last good version, and why: of this run, or of one before it. */
  readonly heldBack: readonly HeldBack[];
  /** Raw rows that went because of their age (`keep`). */
  readonly dropped: readonly Dropped[];
  readonly published: PublishResult | null;
  /** What went wrong outside of single partitions. */
  readonly problems: readonly { readonly code: string; readonly message: string }[];
}

/**
 * Runs phases of the pipeline in their order: what `sync`, `build`, `reconcile`, `publish` do alone and `run` does in one.
 * Differences are published; what an audit that blocks protects is held back, and all else is published. After a signal the read is
 * drained and committed, and nothing further begins.
 *
 * @throws FirnError where nothing could begin: configuration, lock, another network
 */
export async function runPhases(options: RunOptions): Promise<RunReport> {
  const { settings, catalogue, signal } = options;
  const begun = performance.now();
  const runId = randomUUID();
  const planned = options.phases.includes('sync') ? planStreams(settings, catalogue, options.selection) : [];
  const tables = tablesOf([...catalogue, ...(options.actions ?? [])]);
  const warehouse = await openWhenFree(
    {
      folder: settings.warehouse,
      tables,
      ...syncResources,
      onBackup: (path) => options.log.warn({ path }, 'this firn changes the schema of the state; its copy is kept'),
    },
    { waitMs: options.waitMs ?? 0, signal, onWait: options.listener?.waiting },
  );
  const command = options.phases.length === phases.length ? 'run' : options.phases.join('+');
  const codes: number[] = [];
  const problems: { code: string; message: string }[] = [];
  const secondsByPhase: Partial<Record<Phase, number>> = {};
  let partitions: PartitionResult[] = [];
  let requests: Partial<Record<string, HttpStats>> = {};
  let stoppedBy: LimitName | null = null;
  let models: BuiltModel[] = [];
  let audits: AuditResult[] = [];
  let reconciliation: ReconcileResult | null = null;
  let heldBack: HeldBack[] = [];
  let dropped: readonly Dropped[] = [];
  let published: PublishResult | null = null;

  const report = (): RunReport => ({
    runId,
    phases: options.phases,
    exitCode: worstExit(heldBack.length > 0 ? [...codes, 3] : codes),
    seconds: (performance.now() - begun) / 1000,
    secondsByPhase,
    partitions,
    requests,
    stoppedBy,
    models,
    audits,
    reconciliation,
    heldBack,
    dropped,
    published,
    problems,
  });
  const tell = (error: FirnError) => {
    codes.push(exitCode(error));
    problems.push({ code: error.code, message: error.message });
  };

  const work: Record<Phase, () => Promise<void>> = {
    async sync() {
      const { log, limits, listener, read } = options;
      await keepLabels(warehouse, settings.labels ?? []);
      const done = await syncPhase({
        settings,
        warehouse,
        planned,
        configured: planStreams(settings, catalogue),
        runId,
        signal,
        log,
        limits,
        listener,
        read,
      });
      ({ partitions, requests, stoppedBy } = done);
      codes.push(...partitions.map(partitionExit));
    },
    async build() {
      const broken: BrokenModel[] = [];
      models = await buildModels(warehouse, { runId, onBroken: (model) => broken.push(model) });
      const leftOut = new Set(broken.flatMap((model) => [...model.leftOut]));
      audits = await runAudits(warehouse, { runId, leftOut });
      heldBack = await holdBack(warehouse, broken, audits);
      for (const { error } of broken) tell(error);
      for (const { problem } of audits) if (problem !== null) tell(new FirnError('failed', problem));
      if (audits.some(({ failedRows }) => failedRows > 0)) codes.push(3);
    },
    async reconcile() {
      // What is compared is held back, and so is what would come of it.
      if (heldBack.some(({ relation }) => relation === 'mart.reconciliation')) return;
      reconciliation = await reconcile(warehouse, { runId });
      if (reconciliation.differs > 0) codes.push(3);
    },
    async publish() {
      // What is not built yet, or not well, must not go.
      if (settings.keep !== undefined && options.phases.includes('build') && heldBack.length === 0)
        ({ dropped } = await dropHistory(warehouse, { keep: { days: Number.parseInt(settings.keep, 10) } }));
      for (const { message } of await loadReferences(warehouse)) tell(new FirnError('contract', message));
      await finishRun(warehouse, report());
      published = await publish(warehouse, {
        runId,
        keepVersions: settings.publish.keepVersions,
        ...(settings.publish.root && { root: settings.publish.root }),
        ...(options.rehash && { rehash: true }),
        signal,
      });
    },
  };

  try {
    await beginRun(warehouse, runId, command);
    heldBack = await readHeldBack(warehouse);
    for (const phase of options.phases) {
      if (signal.aborted || codes.includes(73)) break;
      options.listener?.phase?.(phase);
      await writeRunState(settings.warehouse, { runId, command, phase });
      const from = performance.now();
      // The other phases sort and group whole histories; the sync streams.
      if (phase !== 'sync') {
        await warehouse.run(`SET memory_limit = '${settings.memoryLimit ?? halfOfMemory()}'; RESET threads`);
      }
      try {
        await work[phase]();
      } finally {
        secondsByPhase[phase] = (performance.now() - from) / 1000;
      }
    }
  } catch (error) {
    // Refusals (2) are the caller's; anything else is part of the report.
    if (exitCode(error) === 2) throw error;
    codes.push(exitCode(error));
    problems.push({
      code: error instanceof FirnError ? error.code : 'failed',
      message: error instanceof Error ? error.message : String(error),
    });
    options.log.debug({ err: error }, 'phase failed');
  } finally {
    if (signal.aborted) codes.push(exitCode(new FirnError('interrupted', '', { context: { signal: signal.reason } })));
    // A dead instance (disk full) cannot note its end; the next run still finds a begun one.
    await finishRun(warehouse, report()).catch(() => {});
    await clearRunState(settings.warehouse);
    warehouse.close();
  }
  return report();
}

/** Half of what the machine, or the container, has: beside DuckDB there are readers, and the system's cache of its files. */
function halfOfMemory(): string {
  // Without a limit the container's is 0, or more than there is.
  const bytes = Math.min(totalmem(), process.constrainedMemory() || totalmem());
  return `${Math.floor(bytes / 2 ** 21)}MiB`;
}

function partitionExit(result: PartitionResult): number {
  if (result.code && result.outcome === 'failed') return exitCode(new FirnError(result.code, ''));
  return result.quarantined > 0 ? 4 : 0;
}

function beginRun(warehouse: Warehouse, runId: string, command: string): Promise<void> {
  return warehouse.run('INSERT INTO firn.run VALUES ($1, $2, now()::TIMESTAMP, NULL, NULL, NULL)', [runId, command]);
}

function finishRun(warehouse: Warehouse, report: RunReport): Promise<void> {
  return warehouse.run(
    'UPDATE firn.run SET finished_at = now()::TIMESTAMP, exit_code = $1, summary = $2 WHERE run_id = $3',
    [
      report.exitCode,
      JSON.stringify(
        { ...report, models: report.models.length, heldBack: report.heldBack.length },
        (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value),
      ),
      report.runId,
    ],
  );
}
