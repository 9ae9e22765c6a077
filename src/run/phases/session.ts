import { exitCode, exitOf, worstExit } from '../../core/exitCode.ts';
import { problemOf } from '../../core/firnError.ts';
import { partitionText } from '../../core/text/partitionText.ts';
import { noteRun } from '../../load/bookkeeping/runRecords.ts';
import type { PartitionResult, SyncListener } from '../read/syncOptions.ts';
import { type Phase, phases, type RunReport } from '../records/runReport.ts';
import type { Session } from './phaseOptions.ts';

const fullDisk = 73;

export function createSession(parts: Pick<Session, 'options' | 'place' | 'run' | 'planned' | 'listener'>): Session {
  const startedAt = performance.now();
  const codes: number[] = [];
  const problems: RunReport['problems'][number][] = [];
  const secondsByPhase: Partial<Record<Phase, number>> = {};
  const { project } = parts.place;
  const session: Session = {
    ...parts,
    project,
    isWholeRun: parts.run.phases.length === phases.length,
    outcome: {
      partitions: [],
      requests: {},
      stoppedBy: null,
      models: [],
      audits: [],
      reconciliation: null,
      heldBack: [],
      dropped: [],
      waiting: [],
      published: null,
      unresolved: null,
    },
    count: (code) => void codes.push(code),
    tell: (problem) => void problems.push(problem),
    fail(error) {
      codes.push(exitCode(error));
      problems.push(problemOf(error));
    },
    isDiskFull: () => codes.includes(fullDisk),
    async timed(phase, work) {
      const from = performance.now();
      try {
        await work();
      } finally {
        secondsByPhase[phase] = (performance.now() - from) / 1000;
      }
    },
    report: () => ({
      ...parts.run,
      exitCode: worstExit([
        ...codes,
        ...(session.outcome.unresolved?.records ? [exitOf('quarantined')] : []),
        ...(session.outcome.heldBack.length > 0 ? [3] : []),
      ]),
      seconds: (performance.now() - startedAt) / 1000,
      secondsByPhase,
      ...session.outcome,
      problems,
    }),
    async noteUnresolved() {
      session.outcome.unresolved = await parts.place.unresolved();
    },
    noteReport() {
      const { models, heldBack, unresolved: _, ...report } = session.report();
      return noteRun(project.warehouse, {
        ...parts.run,
        exitCode: report.exitCode,
        summary: { ...report, models: models.length, heldBack: heldBack.length },
      });
    },
  };
  return session;
}

/** Tells several listeners. */
export const joinListeners = (...all: readonly SyncListener[]): Required<SyncListener> => ({
  planned: (...told) => {
    for (const one of all) one.planned?.(...told);
  },
  started: (...told) => {
    for (const one of all) one.started?.(...told);
  },
  progress: (...told) => {
    for (const one of all) one.progress?.(...told);
  },
  finished: (result) => {
    for (const one of all) one.finished?.(result);
  },
});

/** What to say of a run that could read nothing; the first reason follows. */
export const nothing = 'Nothing could be read, so nothing was built or published: what readers see stays as it is.';

/** What to say where every partition that the sources were asked for, and offer, failed before its first row. */
export function nothingRead(partitions: readonly PartitionResult[]): RunReport['problems'][number] | undefined {
  // A lookup without keys, or a range that is read, is done without a request.
  const asked = partitions.filter(
    ({ outcome, requests }) => outcome !== 'not_offered' && (outcome !== 'done' || requests > 0),
  );
  const [first] = asked;
  if (!first || !asked.every(({ outcome, bytes }) => outcome === 'failed' && bytes === 0)) return undefined;
  return { code: first.code ?? 'failed', message: `${nothing} ${partitionText(first)}` };
}
