import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { exitCode } from '../../core/exitCode.ts';
import { FirnError, hasCode, messageOf, problemOf } from '../../core/firnError.ts';
import type { Log } from '../../core/log.ts';
import { tablesOf } from '../../core/stream/stream.ts';
import { realOutside } from '../../extract/http/outside.ts';
import { noteRun } from '../../load/bookkeeping/runRecords.ts';
import { noteUnresolved } from '../../load/bookkeeping/unresolved.ts';
import { halfOfMemory } from '../../load/database/halfOfMemory.ts';
import { diskError } from '../../load/diskError.ts';
import { limitWithin, roomierLimits } from '../../load/roomierLimits.ts';
import { describeTables } from '../../load/state/ensureTables.ts';
import { refuseMoved } from '../../load/state/refuseMoved.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { refuseUnread } from '../../publish/restored/lostState.ts';
import { hasReferences } from '../../references/loadReferences.ts';
import { readHeldBack } from '../../transform/heldBack.ts';
import { openProject } from '../openProject.ts';
import { type PlannedStream, planStreams } from '../planStreams.ts';
import { syncMemory } from '../read/syncStreams.ts';
import { type OpenRunRecord, openRunRecord } from '../records/openRunRecord.ts';
import { type Phase, phases, type RunReport, type RunStart } from '../records/runReport.ts';
import { openRunState } from '../records/runState.ts';
import type { Settings } from '../settings.ts';
import { compactState } from '../upkeep/compactState.ts';
import type { PhaseOptions, RunPlace, Session } from './phaseOptions.ts';
import { createSession, joinListeners, nothingRead } from './session.ts';
import { buildPhase, publishPhase, reconcilePhase } from './steps.ts';
import { syncPhase } from './syncPhase.ts';

/** What DuckDB has while little was read: see `Writer.narrowTo`. More than this spares nothing further. */
const roomOfSmallSync = '512MB';
/** What a large sync of one partition has. */
const mostOfSync = syncMemory(1);

/**
 * How DuckDB is opened for a sync: a second thread waits awake most of the time, which takes a tenth of a load's time from JavaScript on two
 * cores. What does not fit once it is large, such as batches of a dozen wide tables at once, is read again with more.
 *
 * @param most what a build may take
 */
export const syncResources = (most: string) => ({
  memoryLimit: limitWithin(syncMemory(0), roomOfSmallSync, most),
  roomierLimits: roomierLimits(mostOfSync, most),
  threads: 1,
});

/** What a run of these phases is called. @param isBackfill whether it reads something other than what is new */
export const runName = (of: readonly Phase[], isBackfill: boolean): string =>
  isBackfill ? 'backfill' : of.length === phases.length ? 'run' : of.join('+');

/**
 * Runs phases of the pipeline in their order: what `sync`, `build`, `reconcile`, `publish` do alone and `run` does in one.
 * Differences are published; what an audit that blocks protects is held back, and all else is published. After a signal the read is
 * drained and committed, and nothing further begins. What became of it is kept beside the state too (see `runRecords.ts`), also where
 * nothing could begin.
 *
 * @throws FirnError where nothing could begin: configuration, lock, another network, nothing to work on
 */
export async function runPhases(options: PhaseOptions): Promise<RunReport> {
  const { settings, selection, outside: { clock } = realOutside } = options;
  const isWhole = !selection?.select?.length && !options.read;
  const run = {
    runId: randomUUID(),
    command: runName(options.phases, options.read !== undefined),
    phases: options.phases,
    isWhole,
    isEverything: isWhole && options.phases.includes('sync') && !selection?.pipelines?.length,
    startedAt: new Date(clock.now()).toISOString(),
  };
  let record: OpenRunRecord | undefined;
  try {
    const isOwn = !options.open && !options.phases.includes('sync');
    if (isOwn && !(await hasReferences(settings.warehouse))) await refuseUnread(settings.warehouse);
    const planned = options.phases.includes('sync') ? planStreams(settings, options.catalogue, selection) : [];
    const begun: RunStart = { ...run, pipelines: [...new Set(planned.map(({ pipeline }) => pipeline))] };
    record = await openRunRecord(settings.warehouse, begun, clock);
    const report = await runPlanned(options, begun, planned);
    await record.end(report.exitCode, report);
    return report;
  } catch (thrown) {
    const error = diskError(thrown, 'go on');
    // A mistyped option is not worth a record; a configuration that became wrong stops every run.
    const isConfig = hasCode(error, 'config') && existsSync(settings.warehouse);
    if (isConfig) record ??= await openRunRecord(settings.warehouse, { ...run, pipelines: [] }, clock);
    await record?.end(exitCode(error), { problems: [problemOf(error)] });
    throw error;
  }
}

async function runPlanned(options: PhaseOptions, run: RunStart, planned: readonly PlannedStream[]): Promise<RunReport> {
  const { settings, signal, log, open = openOwn } = options;
  const place = await open(options);
  const { works } = place;
  const state = await openRunState(settings.warehouse, run);
  const listener = joinListeners(state.listener, options.listener ?? {});
  const session = createSession({ options, place, run, planned, listener });
  try {
    await begin(session);
    for (const phase of run.phases) {
      if (signal.aborted || session.isDiskFull()) break;
      const nothing = phase === 'sync' ? undefined : nothingRead(session.outcome.partitions);
      if (nothing) {
        session.tell(nothing);
        break;
      }
      options.listener?.phase?.(phase);
      await state.phase(phase);
      await session.timed(phase, async () => {
        if (phase !== 'sync') await takeAll(session, phase);
        await works[phase](session);
      });
      if (!session.isDiskFull()) await session.noteUnresolved();
    }
  } catch (error) {
    // Files may fail that no statement of the warehouse names: models, audits, those beside the state.
    session.fail(diskError(error, 'go on'));
    // The caller reports refusals; anything else is part of the report.
    if (exitCode(error) === 2) throw error;
    log.debug({ err: error }, 'phase failed');
  } finally {
    if (signal.aborted)
      session.count(exitCode(new FirnError('interrupted', '', { context: { signal: signal.reason } })));
    // A dead instance (disk full) cannot note its end; the next run still finds this one without an end.
    await session.noteReport().catch(() => {});
    await state.close();
    await place.close(session);
  }
  return session.report();
}

/** Opens the warehouse of this machine. */
async function openOwn(options: PhaseOptions): Promise<RunPlace> {
  const { settings, catalogue, actions = [], outside, signal, log, waitMs, listener } = options;
  const project = await openProject(settings, {
    declared: [...catalogue, ...actions],
    ...syncResources(limitOf(settings)),
    outside,
    signal,
    log,
    waitMs,
    onWait: listener?.waiting,
    onCopy: (sentence) => log.warn({}, sentence),
  });
  return {
    project,
    works: {
      async sync(session) {
        await syncPhase(session, project);
        refuseMoved(settings.warehouse);
      },
      build: buildPhase,
      reconcile: reconcilePhase,
      publish: (session) => publishPhase(session, project),
    },
    unresolved: () => noteUnresolved(project.warehouse),
    async close({ outcome }) {
      if (outcome.published && !signal.aborted) await compact(project.warehouse, log);
      project.close();
    },
  };
}

/** Notes that the run has begun, and what earlier ones left unresolved. */
async function begin({ project: { warehouse }, run, outcome, noteUnresolved }: Session): Promise<void> {
  await noteRun(warehouse, run);
  await noteUnresolved();
  outcome.heldBack = await readHeldBack(warehouse);
}

/** Where no table has more rows, more threads mostly wait for each other, which takes half as much CPU again. */
const rowsOfOneThread = 122_880;

/** Lets a phase use the whole machine: the sync only streams, the phases after it sort and group whole histories. */
async function takeAll({ project: { settings, declared, warehouse }, run }: Session, phase: Phase): Promise<void> {
  const [largest] = await warehouse.query<{ rows: bigint | null }>(
    'SELECT max(estimated_size) AS "rows" FROM duckdb_tables()',
  );
  const threads = Number(largest?.rows) > rowsOfOneThread ? '; RESET threads' : '';
  await warehouse.run(`SET memory_limit = '${limitOf(settings)}'${threads}`);
  if (phase === run.phases.find((one) => one !== 'sync')) await describeTables(warehouse, tablesOf(declared));
}

const limitOf = ({ memoryLimit }: Settings): string => memoryLimit ?? `${Math.floor(halfOfMemory() / 2 ** 20)}MiB`;

/** Gives back disk space that the state does not need. Where that fails, everything stays as it is, and the next run tries again. */
async function compact(warehouse: Warehouse, log: Log): Promise<void> {
  try {
    const compacted = await compactState(warehouse);
    if (compacted) log.debug({ ...compacted }, 'the state was rewritten without its free blocks');
  } catch (error) {
    log.warn({}, `${messageOf(error)} The state is as it was.`);
    log.debug({ err: error }, 'compacting failed');
  }
}
