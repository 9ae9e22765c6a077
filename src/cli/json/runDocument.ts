import { z } from 'zod';
import type { HttpStats } from '../../extract/http/http.ts';
import type { PublishResult } from '../../publish/publish.ts';
import type { Dropped } from '../../retention/dropPartitions.ts';
import type { PartitionResult } from '../../run/read/syncOptions.ts';
import { phases, type RunReport } from '../../run/records/runReport.ts';
import type { AuditResult } from '../../transform/audits/runAudits.ts';
import type { BuiltModel } from '../../transform/builds/builtModel.ts';
import type { ReconcileResult } from '../../transform/reconcile/reconcile.ts';
import type { MatrixRow } from '../../transform/reconcile/servedSeries.ts';
import { count, measure, objectOf, time } from './shapes.ts';
import { heldBack, unresolved } from './unresolvedDocument.ts';

const partition = objectOf<PartitionResult>()({
  stream: z.string(),
  partition: z.string(),
  pipeline: z.string().optional(),
  outcome: z.enum(['done', 'not_offered', 'failed', 'stopped']),
  code: z.string().optional(),
  notes: z.array(z.string()).optional(),
  message: z.string().optional(),
  behind: count.optional(),
  rows: count,
  childRows: count,
  quarantined: count,
  bytes: count,
  requests: count,
  seconds: measure,
  endedAt: time.optional(),
});

const requests = objectOf<HttpStats>()({
  requests: count,
  retries: count,
  bytes: count,
  wireBytes: count,
  computeUnits: measure,
  waitedMs: measure,
  concurrency: measure,
});

const model = objectOf<BuiltModel>()({
  name: z.string(),
  kind: z.enum(['view', 'table']),
  rows: count,
  seconds: measure,
  hash: z.string(),
});

const audit = objectOf<AuditResult>()({
  name: z.string(),
  file: z.string(),
  description: z.string(),
  severity: z.enum(['blocks', 'warns']),
  protects: z.array(z.string()),
  problem: z.string().nullable(),
  failedRows: count,
  example: z.string().nullable(),
  seconds: measure,
});

const verdicts = z.record(z.string(), count.optional());

const reconciliation = objectOf<ReconcileResult>()({
  counts: verdicts,
  matrix: z.array(
    objectOf<MatrixRow>()({ chain: z.string(), metric: z.string(), interval: z.string(), verdicts: verdicts }),
  ),
  differs: count,
  servedContradictions: count,
});

const published = objectOf<PublishResult>()({
  version: count,
  isNew: z.boolean(),
  written: count,
  reused: count,
  removed: count,
  rows: count,
  bytes: count,
  folder: z.string(),
  parquet: z.string(),
  readerDatabase: z.string(),
});

export const dropped = objectOf<Dropped>()({ table: z.string(), rows: count });

/** What a run did: of `run`, its phases, and `backfill`. */
export const runDocument = objectOf<RunReport>()({
  runId: z.string(),
  command: z.string(),
  phases: z.array(z.enum(phases)),
  pipelines: z.array(z.string()),
  isWhole: z.boolean(),
  isEverything: z.boolean(),
  startedAt: time,
  exitCode: count,
  seconds: measure,
  secondsByPhase: z.partialRecord(z.enum(phases), measure),
  partitions: z.array(partition),
  requests: z.record(z.string(), requests.optional()),
  stoppedBy: z.enum(['--max-time', '--max-units']).nullable(),
  models: z.array(model),
  audits: z.array(audit),
  reconciliation: reconciliation.nullable(),
  heldBack: z.array(heldBack),
  dropped: z.array(dropped),
  waiting: z.array(z.string()),
  published: published.nullable(),
  unresolved: unresolved.nullable(),
  problems: z.array(z.object({ code: z.string(), message: z.string() })),
});
