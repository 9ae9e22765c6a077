import type { Log } from '../../core/log.ts';
import type { ActionStream, Stream } from '../../core/stream/stream.ts';
import type { Outside } from '../../extract/http/outside.ts';
import type { Audit } from '../../transform/audits/parseAudit.ts';
import type { Model } from '../../transform/models/model.ts';
import type { Selection } from '../planStreams.ts';
import type { PartitionResult, SyncListener, SyncOptions } from '../read/syncStreams.ts';
import type { Phase } from '../records/runReport.ts';
import type { Settings } from '../settings.ts';
import type { RunPlace } from './session.ts';

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
