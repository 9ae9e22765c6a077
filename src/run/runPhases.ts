import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { exitCode, worstExit } from '../core/exitCode.ts';
import { FirnError } from '../core/firnError.ts';
import { problemOf } from '../core/problemOf.ts';
import type { ActionStream, Stream } from '../core/stream.ts';
import type { HttpStats, Log } from '../extract/http.ts';
import { type Outside, realOutside } from '../extract/outside.ts';
import { describeTables } from '../load/ensureTables.ts';
import { keepLabels } from '../load/keepLabels.ts';
import { sqlFolder } from '../load/sqlFolder.ts';
import type { Unresolved } from '../load/unresolved.ts';
import type { Warehouse } from '../load/warehouse.ts';
import type { Dropped } from '../publish/dropPartitions.ts';
import { isWhole, readersText } from '../publish/isWhole.ts';
import { type PublishResult, publish } from '../publish/publish.ts';
import { loadReferences } from '../publish/references/loadReferences.ts';
import { type BrokenModel, type BuiltModel, buildModels } from '../transform/buildModels.ts';
import { type HeldBack, holdBack, readHeldBack } from '../transform/heldBack.ts';
import { type ReconcileResult, reconcile, verdictRules } from '../transform/reconcile.ts';
import { type AuditResult, hasFailed, runAudits } from '../transform/runAudits.ts';
import { compactState } from './compactState.ts';
import { dropHistory } from './dropHistory.ts';
import { noteUnresolved } from './noteUnresolved.ts';
import { type OpenRunRecord, openRunRecord } from './openRunRecord.ts';
import { openWhenFree } from './openWhenFree.ts';
import { type PlannedStream, planStreams, type Selection } from './planStreams.ts';
import type { LimitName, Limits } from './readLimits.ts';
import { openRunState } from './runState.ts';
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
  /** The network and the clock, where they are not the machine's own. */
  readonly outside?: Outside;
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
  readonly command: string;
  readonly phases: readonly Phase[];
  /** Pipelines of which something was read. */
  readonly pipelines: readonly string[];
  /** Whether it was all that is new of these pipelines: nothing selected, nothing read anew. */
  readonly isWhole: boolean;
  /** Whether these pipelines were all that are configured: what it did not read nobody wants any more. */
  readonly isEverything: boolean;
  readonly startedAt: string;
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
  /** Records in quarantine and relations held back, as the run left them; null where it came to no end. */
  readonly unresolved: Unresolved | null;
  /** What went wrong outside of single partitions. */
  readonly problems: readonly { readonly code: string; readonly message: string }[];
}

/**
 * Runs phases of the pipeline in their order: what `sync`, `build`, `reconcile`, `publish` do alone and `run` does in one.
 * Differences are published; what an audit that blocks protects is held back, and all else is published. After a signal the read is
 * drained and committed, and nothing further begins. What became of it is kept beside the state too (see `runRecords.ts`), also where
 * nothing could begin.
 *
 * @throws FirnError where nothing could begin: configuration, lock, another network
 */
export async function runPhases(options: RunOptions): Promise<RunReport> {
  const { settings, selection, outside: { clock } = realOutside } = options;
  const isWhole = !selection?.select?.length && !options.read;
  const run = {
    runId: randomUUID(),
    command: options.phases.length === phases.length ? 'run' : options.phases.join('+'),
    phases: options.phases,
    isWhole,
    isEverything: isWhole && options.phases.includes('sync') && !selection?.pipelines?.length,
    startedAt: new Date(clock.now()).toISOString(),
  };
  let record: OpenRunRecord | undefined;
  try {
    const planned = options.phases.includes('sync') ? planStreams(settings, options.catalogue, selection) : [];
    const known: Run = { ...run, pipelines: [...new Set(planned.map(({ pipeline }) => pipeline))] };
    record = await openRunRecord(settings.warehouse, known, clock);
    const report = await runPlanned(options, known, planned);
    await record.end(report.exitCode, report);
    return report;
  } catch (error) {
    // A mistyped option is nobody's trouble; a configuration that came to be wrong stops every run.
    const isConfig = error instanceof FirnError && error.code === 'config' && existsSync(settings.warehouse);
    if (isConfig) record ??= await openRunRecord(settings.warehouse, { ...run, pipelines: [] }, clock);
    await record?.end(exitCode(error), { problems: [problemOf(error)] });
    throw error;
  }
}

/** What is known of a run before it begins. */
type Run = Pick<RunReport, 'runId' | 'command' | 'phases' | 'pipelines' | 'isWhole' | 'isEverything' | 'startedAt'>;

async function runPlanned(options: RunOptions, run: Run, planned: readonly PlannedStream[]): Promise<RunReport> {
  const { settings, catalogue, signal, outside = realOutside } = options;
  const { runId, command } = run;
  const begun = performance.now();
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
  const state = await openRunState(settings.warehouse, run);
  // A phase that is asked for alone does its work, whatever came of it before.
  const isWholeRun = options.phases.length === phases.length;
  const codes: number[] = [];
  const problems: { code: string; message: string }[] = [];
  const secondsByPhase: Partial<Record<Phase, number>> = {};
  let partitions: PartitionResult[] = [];
  let requests: Partial<Record<string, HttpStats>> = {};
  let stoppedBy: LimitName | null = null;
  let models: BuiltModel[] = [];
  let audits: AuditResult[] = [];
  let reconciliation: ReconcileResult | null = null;
  let isDescribed = false;
  let heldBack: HeldBack[] = [];
  let dropped: readonly Dropped[] = [];
  let published: PublishResult | null = null;
  let unresolved: Unresolved | null = null;

  const report = (): RunReport => ({
    ...run,
    exitCode: worstExit([
      ...codes,
      ...(unresolved?.records ? [exitCode(new FirnError('quarantined', ''))] : []),
      ...(heldBack.length > 0 ? [3] : []),
    ]),
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
    unresolved,
    problems,
  });
  const tell = (error: FirnError) => {
    codes.push(exitCode(error));
    problems.push({ code: error.code, message: error.message });
  };

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
      const { log, limits, read } = options;
      const listener = joinListeners(state.listener, options.listener ?? {});
      await keepLabels(warehouse, settings.labels ?? []);
      const done = await syncPhase({
        settings,
        warehouse,
        planned,
        configured: planStreams(settings, catalogue),
        runId,
        outside,
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
      const state = `${await stateText(warehouse)} ${await folderHash(sqlFolder('audits'))}`;
      const isAll = broken.length === 0;
      const passed = isWholeRun && isAll ? await doneBefore<AuditResult[]>(warehouse, 'audits', state) : undefined;
      if (passed) {
        audits = passed;
        return;
      }
      const leftOut = new Set(broken.flatMap((model) => [...model.leftOut]));
      audits = await runAudits(warehouse, { runId, leftOut });
      heldBack = await holdBack(warehouse, broken, audits);
      if (isAll && !audits.some(hasFailed)) await remember(warehouse, 'audits', state, audits);
      for (const { error } of broken) tell(error);
      for (const { problem } of audits) if (problem !== null) tell(new FirnError('failed', problem));
      if (audits.some(({ failedRows }) => failedRows > 0)) codes.push(3);
    },
    async reconcile() {
      // What is compared is held back, and so is what would come of it.
      if (heldBack.some(({ relation }) => relation === 'mart.reconciliation')) return;
      const state = `${await stateText(warehouse)} ${verdictRules}`;
      const before = isWholeRun ? await doneBefore<ReconcileResult>(warehouse, 'reconcile', state) : undefined;
      reconciliation = before ?? (await reconcile(warehouse, { runId }));
      if (!before) await remember(warehouse, 'reconcile', state, reconciliation);
      if (reconciliation.differs > 0) codes.push(3);
    },
    async publish() {
      // What is not built yet, or not well, must not go.
      if (settings.keep !== undefined && options.phases.includes('build') && heldBack.length === 0)
        ({ dropped } = await dropHistory(warehouse, { keep: { days: Number.parseInt(settings.keep, 10) } }));
      for (const { message } of await loadReferences(warehouse)) tell(new FirnError('contract', message));
      const { keepVersions, root } = settings.publish;
      const held = heldBack.map(({ relation, audit }) => `${relation} ${audit}`).join();
      const state = `${await stateText(warehouse)} ${await stepsText(warehouse)} ${keepVersions} ${held}`;
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
    unresolved = await noteUnresolved(warehouse);
    heldBack = await readHeldBack(warehouse);
    for (const phase of options.phases) {
      if (signal.aborted || codes.includes(73)) break;
      if (phase !== 'sync' && readNothing(partitions)) {
        problems.push(nothingRead(partitions));
        break;
      }
      options.listener?.phase?.(phase);
      await state.phase(phase);
      const from = performance.now();
      // The other phases sort and group whole histories; the sync streams.
      if (phase !== 'sync') {
        await warehouse.run(`SET memory_limit = '${settings.memoryLimit ?? halfOfMemory()}'; RESET threads`);
        if (!isDescribed) await describeTables(warehouse, tables);
        isDescribed = true;
      }
      try {
        await work[phase]();
      } finally {
        secondsByPhase[phase] = (performance.now() - from) / 1000;
      }
      if (!codes.includes(73)) unresolved = await noteUnresolved(warehouse);
    }
  } catch (error) {
    codes.push(exitCode(error));
    problems.push(problemOf(error));
    // Refusals are the caller's to tell; anything else is part of the report.
    if (exitCode(error) === 2) throw error;
    options.log.debug({ err: error }, 'phase failed');
  } finally {
    if (signal.aborted) codes.push(exitCode(new FirnError('interrupted', '', { context: { signal: signal.reason } })));
    // A dead instance (disk full) cannot note its end; the next run still finds a begun one.
    await finishRun(warehouse, report()).catch(() => {});
    if (published && !signal.aborted) await compact(warehouse, options.log);
    await state.close();
    warehouse.close();
  }
  return report();
}

/** Gives the disk back what the run no longer needs. Where that fails, everything stays as it is, and the next run tries again. */
async function compact(warehouse: Warehouse, log: Log): Promise<void> {
  try {
    const compacted = await compactState(warehouse);
    if (compacted) log.debug({ ...compacted }, 'the state was written anew without its free blocks');
  } catch (err) {
    log.warn({ err }, 'the state could not be written anew without its free blocks; it is as it was');
  }
}

/** Half of what the machine, or the container, has: beside DuckDB there are readers, and the system's cache of its files. */
function halfOfMemory(): string {
  // Without a limit the container's is 0, or more than there is.
  const bytes = Math.min(totalmem(), process.constrainedMemory() || totalmem());
  return `${Math.floor(bytes / 2 ** 21)}MiB`;
}

function partitionExit(result: PartitionResult): number {
  return result.code && result.outcome === 'failed' ? exitCode(new FirnError(result.code, '')) : 0;
}

/** Whether every partition that the sources offer failed before a row of it came. */
function readNothing(partitions: readonly PartitionResult[]): boolean {
  const offered = partitions.filter(({ outcome }) => outcome !== 'not_offered');
  return offered.length > 0 && offered.every(({ outcome, bytes }) => outcome === 'failed' && bytes === 0);
}

/** The sentence of a run that could read nothing; what follows it is the first reason. */
export const nothing =
  'Nothing could be read, so nothing was built or published: readers see what was published before.';

function nothingRead(partitions: readonly PartitionResult[]) {
  const {
    stream,
    partition,
    code = 'failed',
    message = '',
  } = partitions.find(({ outcome }) => outcome === 'failed') ?? {};
  return {
    code,
    message: `${nothing} ${stream} (${partition}): ${message}`,
  };
}

/** Tells both listeners. */
function joinListeners(one: SyncListener, other: SyncListener): SyncListener {
  return {
    planned(...told) {
      one.planned?.(...told);
      other.planned?.(...told);
    },
    started(...told) {
      one.started?.(...told);
      other.started?.(...told);
    },
    progress(...told) {
      one.progress?.(...told);
      other.progress?.(...told);
    },
    finished(result) {
      one.finished?.(result);
      other.finished?.(result);
    },
  };
}

function beginRun(warehouse: Warehouse, runId: string, command: string): Promise<unknown> {
  return warehouse.run('INSERT INTO firn.run VALUES ($1, $2, now()::TIMESTAMP, NULL, NULL, NULL)', [runId, command]);
}

function finishRun(warehouse: Warehouse, report: RunReport): Promise<unknown> {
  return warehouse.run(
    'UPDATE firn.run SET finished_at = now()::TIMESTAMP, exit_code = $1, summary = $2 WHERE run_id = $3',
    [
      report.exitCode,
      JSON.stringify(
        { ...report, models: report.models.length, heldBack: report.heldBack.length, unresolved: undefined },
        (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value),
      ),
      report.runId,
    ],
  );
}
