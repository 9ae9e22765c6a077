import type { Unresolved } from '../../core/unresolved.ts';
import type { HttpStats } from '../../extract/http/http.ts';
import type { PublishResult } from '../../publish/publish.ts';
import type { Dropped } from '../../retention/dropPartitions.ts';
import type { AuditResult } from '../../transform/audits/runAudits.ts';
import type { BuiltModel } from '../../transform/builds/builtModel.ts';
import type { HeldBackRow } from '../../transform/heldBack.ts';
import type { ReconcileResult } from '../../transform/reconcile/reconcile.ts';
import type { PartitionResult } from '../read/syncOptions.ts';

export const phases = ['sync', 'build', 'reconcile', 'publish'] as const;
export type Phase = (typeof phases)[number];

/** The user's limits, which end a read before it is done. */
export type LimitName = '--max-time' | '--max-units';

/** What is known of a run before it begins. */
export interface RunStart {
  readonly runId: string;
  readonly command: string;
  readonly phases: readonly Phase[];
  /** Pipelines of which something was read. */
  readonly pipelines: readonly string[];
  /** Whether it was all that is new of these pipelines: nothing selected, nothing read again. */
  readonly isWhole: boolean;
  /** Whether these pipelines are all that are configured: what such a run did not read is not configured any more. */
  readonly isEverything: boolean;
  readonly startedAt: string;
}

/** The outcome of a run's phases. */
export interface Outcome {
  readonly partitions: readonly PartitionResult[];
  readonly requests: Readonly<Partial<Record<string, HttpStats>>>;
  /** The user's limit that ended the reading before it was done. */
  readonly stoppedBy: LimitName | null;
  readonly models: readonly BuiltModel[];
  readonly audits: readonly AuditResult[];
  readonly reconciliation: ReconcileResult | null;
  /** Relations that readers see in their last good version, and why: of this run, or of one before it. */
  readonly heldBack: readonly HeldBackRow[];
  /** Raw rows that were dropped for their age (`keep`). */
  readonly dropped: readonly Dropped[];
  /** Chains of which `keep` drops nothing: blocks below others are still to be read. */
  readonly waiting: readonly string[];
  readonly published: PublishResult | null;
  /** Records in quarantine and relations held back, as the run left them; null where it did not end. */
  readonly unresolved: Unresolved | null;
}

/** What a run did, for the summary, `firn.run` and `--json`. */
export interface RunReport extends RunStart, Outcome {
  readonly exitCode: number;
  readonly seconds: number;
  readonly secondsByPhase: Readonly<Partial<Record<Phase, number>>>;
  /** What went wrong outside of single partitions. */
  readonly problems: readonly { readonly code: string; readonly message: string }[];
}
