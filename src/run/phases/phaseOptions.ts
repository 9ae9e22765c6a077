import type { Log } from '../../core/log.ts';
import type { ActionStream, Stream } from '../../core/stream/stream.ts';
import type { Unresolved } from '../../core/unresolved.ts';
import type { Outside } from '../../extract/http/outside.ts';
import type { Audit } from '../../transform/audits/parseAudit.ts';
import type { Model } from '../../transform/models/model.ts';
import type { Project } from '../openProject.ts';
import type { PlannedStream, Selection } from '../planStreams.ts';
import type { PartitionResult, SyncListener, SyncOptions } from '../read/syncOptions.ts';
import type { Outcome, Phase, RunReport, RunStart } from '../records/runReport.ts';
import type { Settings } from '../settings.ts';

/** What a user allows one run to take. */
export interface Limits {
  /** Milliseconds of reading. */
  readonly maxMs?: number | undefined;
  /** Compute units of all sources together. */
  readonly maxUnits?: number | undefined;
}

export interface PhaseOptions {
  readonly settings: Settings;
  readonly catalogue: readonly Stream[];
  readonly phases: readonly Phase[];
  readonly selection?: Selection;
  /** Whether every model is built from scratch. */
  readonly rebuild?: boolean | undefined;
  /** Whether publish hashes the files it keeps, and rewrites damaged ones. */
  readonly rehash?: boolean | undefined;
  /** What the reading may take; the other phases follow in any case. */
  readonly limits?: Limits;
  /** How long to wait for another run to let go of the warehouse, in milliseconds. Default: not at all. */
  readonly waitMs?: number | undefined;
  /** Tables beside those of the catalogue. */
  readonly actions?: readonly ActionStream[];
  /** Models and audits, where they are not those of the package alone. */
  readonly models?: readonly Model[];
  readonly audits?: readonly Audit[];
  /** Reads something other than what is new in the partitions. */
  readonly read?: ((options: SyncOptions) => Promise<PartitionResult[]>) | undefined;
  /** Opens where the phases work, where that is not the warehouse of this machine. */
  readonly open?: ((options: PhaseOptions) => Promise<RunPlace>) | undefined;
  /** Network access and clock, where they are not the machine's own. */
  readonly outside?: Outside;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly listener?: (SyncListener & { phase?(phase: Phase): void; waiting?(sentence: string): void }) | undefined;
}

/** Where phases do their work, and how. */
export interface RunPlace {
  readonly project: Pick<Project, 'settings' | 'declared' | 'warehouse'>;
  readonly works: Readonly<Record<Phase, (session: Session) => Promise<void>>>;
  /** What is unresolved there. */
  unresolved(): Promise<Unresolved>;
  /** Closes it at the end of the session. */
  close(session: Session): Promise<void>;
}

/** A run under way: what its phases work with, and their outcomes. */
export interface Session {
  readonly options: PhaseOptions;
  readonly project: RunPlace['project'];
  readonly place: RunPlace;
  readonly run: RunStart;
  readonly planned: readonly PlannedStream[];
  readonly listener: SyncListener;
  /** Whether all phases are run: a phase that is asked for alone does its work, even where it was done before. */
  readonly isWholeRun: boolean;
  readonly outcome: { -readonly [Name in keyof Outcome]: Outcome[Name] };
  /** Counts an exit code that nothing else in the report tells. */
  count(code: number): void;
  /** Adds a problem to the report. */
  tell(problem: RunReport['problems'][number]): void;
  /** Counts an error, and adds it to the report. */
  fail(error: unknown): void;
  /** Whether nothing can be written any more. */
  isDiskFull(): boolean;
  /** Measures a phase. */
  timed(phase: Phase, work: () => Promise<void>): Promise<void>;
  report(): RunReport;
  /** Notes what is unresolved. */
  noteUnresolved(): Promise<void>;
  /** Keeps the report, as far as it goes, in `firn.run`. */
  noteReport(): Promise<void>;
}
