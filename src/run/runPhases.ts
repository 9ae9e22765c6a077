import { randomUUID } from 'node:crypto';
import { totalmem } from 'node:os';
import { exitCode, worstExit } from '../core/exitCode.ts';
import { FirnError } from '../core/firnError.ts';
import type { ActionStream, Stream } from '../core/stream.ts';
import type { HttpStats, Log } from '../extract/http.ts';
import { keepLabels } from '../load/keepLabels.ts';
import { sqlFolder } from '../load/sqlFolder.ts';
import type { Warehouse } from '../load/warehouse.ts';
import type { Dropped } from '../publish/dropPartitions.ts';
import { isWhole, readersText } from '../publish/isWhole.ts';
import { type PublishResult, publish } from '../publish/publish.ts';
import { loadReferences } from '../publish/references/loadReferences.ts';
import { type BuiltModel, buildModels } from '../transform/buildModels.ts';
import { type ReconcileResult, reconcile, verdictRules } from '../transform/reconcile.ts';
import { type AuditResult, runAudits } from '../transform/runAudits.ts';
import { dropHistory } from './dropHistory.ts';
import { openWhenFree } from './openWhenFree.ts';
import { planStreams, type Selection } from './planStreams.ts';
import type { LimitName, Limits } from './readLimits.ts';
import { clearRunState, writeRunState } from './runState.ts';
import type { Settings } from './settings.ts';
import { doneBefore, folderHash, remember, stateText, stepsText } from './steps.ts';
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

interface KeptPublish {
  readonly published: PublishResult;
  readonly readers: string;
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
  /** Raw rows that went because of their age (`keep`). */
  readonly dropped: readonly Dropped[];
  readonly published: PublishResult | null;
  /** What went wrong outside of single partitions. */
  readonly problems: readonly { readonly code: string; readonly message: string }[];
}

/**
 * Runs phases of the pipeline in their order: what `sync`, `build`, `reconcile`, `publish` do alone and `run` does in one.
 * Differences are published; a failed audit is not. After a signal the read is drained and committed, and nothing further begins.
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
  // A phase that is asked for alone does its work, whatever came of it before.
  const isWholeRun = options.phases.length === phases.length;
  const command = isWholeRun ? 'run' : options.phases.join('+');
  const codes: number[] = [];
  const problems: { code: string; message: string }[] = [];
  const secondsByPhase: Partial<Record<Phase, number>> = {};
  let partitions: PartitionResult[] = [];
  let requests: Partial<Record<string, HttpStats>> = {};
  let stoppedBy: LimitName | null = null;
  let models: BuiltModel[] = [];
  let audits: AuditResult[] = [];
  let reconciliation: ReconcileResult | null = null;
  let dropped: readonly Dropped[] = [];
  let published: PublishResult | null = null;

  const report = (): RunReport => ({
    runId,
    phases: options.phases,
    exitCode: worstExit(codes),
    seconds: (performance.now() - begun) / 1000,
    secondsByPhase,
    partitions,
    requests,
    stoppedBy,
    models,
    audits,
    reconciliation,
    dropped,
    published,
    problems,
  });

  /** The version that shows this very state, where it and what readers open are as they were made. */
  const stillPublished = async (state: string): Promise<PublishResult | undefined> => {
    const kept = await doneBefore<KeptPublish>(warehouse, 'publish', state);
    if (kept?.readers !== (await readersText(settings.warehouse, settings.publish.root))) return undefined;
    if (!(await isWhole(settings.warehouse, kept.published.version))) return undefined;
    return {
      ...kept.published,
      isNew: false,
      written: 0,
      reused: kept.published.reused + kept.published.written,
      removed: 0,
    };
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
      models = await buildModels(warehouse, { runId });
      const state = `${await stateText(warehouse)} ${await folderHash(sqlFolder('audits'))}`;
      const passed = isWholeRun ? await doneBefore<AuditResult[]>(warehouse, 'audits', state) : undefined;
      audits = passed ?? (await runAudits(warehouse, { runId }));
      if (!passed && audits.every(({ failedRows }) => failedRows === 0))
        await remember(warehouse, 'audits', state, audits);
      if (audits.some(({ failedRows }) => failedRows > 0)) codes.push(3);
    },
    async reconcile() {
      const state = `${await stateText(warehouse)} ${verdictRules}`;
      const before = isWholeRun ? await doneBefore<ReconcileResult>(warehouse, 'reconcile', state) : undefined;
      reconciliation = before ?? (await reconcile(warehouse, { runId }));
      if (!before) await remember(warehouse, 'reconcile', state, reconciliation);
      if (reconciliation.differs > 0) codes.push(3);
    },
    async publish() {
      const failed = audits.filter(({ failedRows }) => failedRows > 0);
      if (failed.length > 0) {
        problems.push({
          code: 'mismatch',
          message: `Not published: ${failed.map(({ name }) => name).join(', ')} must return no rows. See firn.audit.`,
        });
        return;
      }
      // What is not built yet must not go; where the build failed, nothing is published either.
      if (settings.keep !== undefined && options.phases.includes('build'))
        ({ dropped } = await dropHistory(warehouse, { keep: { days: Number.parseInt(settings.keep, 10) } }));
      for (const { message } of await loadReferences(warehouse)) {
        problems.push({ code: 'contract', message });
        codes.push(exitCode(new FirnError('contract', '')));
      }
      const { keepVersions, root } = settings.publish;
      const state = `${await stateText(warehouse)} ${await stepsText(warehouse)} ${keepVersions}`;
      const still = isWholeRun && !options.rehash ? await stillPublished(state) : undefined;
      if (still) {
        published = still;
        return;
      }
      await finishRun(warehouse, report());
      published = await publish(warehouse, {
        runId,
        keepVersions,
        ...(root && { root }),
        ...(options.rehash && { rehash: true }),
        signal,
      });
      const kept: KeptPublish = { published, readers: await readersText(settings.warehouse, root) };
      await remember(warehouse, 'publish', state, kept);
    },
  };

  try {
    await beginRun(warehouse, runId, command);
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
      JSON.stringify({ ...report, models: report.models.length }, (_, value: unknown) =>
        typeof value === 'bigint' ? Number(value) : value,
      ),
      report.runId,
    ],
  );
}
