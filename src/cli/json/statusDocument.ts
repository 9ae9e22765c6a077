import { z } from 'zod';
import type { ClusterProgress, PartitionProgress, WaitingTable } from '../../cluster/ledger/readProgress.ts';
import type { TaskUnderWay } from '../../cluster/ledger/readTasks.ts';
import { findingKinds, type Health, type HealthFinding } from '../../report/health/assessHealth.ts';
import type {
  AuditState,
  PartitionState,
  QuotaDay,
  ReportedChain,
  RunFacts,
  RunningNow,
  SourceUse,
  StatusData,
  StreamState,
  VerdictCount,
} from '../../report/reportData.ts';
import { count, measure, objectOf, time } from './shapes.ts';
import { unresolved } from './unresolvedDocument.ts';

const text = z.string().nullable();
const moment = time.nullable();

const health = objectOf<Health>()({
  findings: z.array(objectOf<HealthFinding>()({ kind: z.enum(findingKinds), sentence: z.string(), exitCode: count })),
  exitCode: count,
  ageMs: measure.nullable(),
});

const chain = objectOf<ReportedChain>()({
  chainId: z.string(),
  name: z.string(),
  vm: z.string(),
  newestBlock: count.nullable(),
  newestTime: moment,
});

const verdict = objectOf<VerdictCount>()({
  chainId: z.string(),
  metric: z.string(),
  interval: z.string(),
  verdict: z.string(),
  variant: text,
  scale: text,
  buckets: count,
  firstBucket: time,
  lastBucket: time,
});

const partition = objectOf<PartitionState>()({
  partition: z.string(),
  position: text,
  rows: count,
  quarantined: count,
  lastLoad: moment,
  outcome: text,
  message: text,
  code: text,
  lastRead: moment,
  behind: count.nullable(),
});

const stream = objectOf<StreamState>()({
  stream: z.string(),
  rows: count,
  quarantined: count,
  knownGaps: count,
  lastLoad: moment,
  lastRead: moment,
  newestRow: moment,
  partitions: z.array(partition),
  unnamedFailures: count,
});

const run = objectOf<RunFacts>()({
  runId: z.string(),
  command: z.string(),
  startedAt: time,
  finishedAt: moment,
  exitCode: count.nullable(),
  rows: count,
  requests: count,
  problems: z.array(z.string()),
  phases: z.array(z.string()),
  pipelines: z.array(z.string()),
  isWhole: z.boolean(),
  isEverything: z.boolean(),
  isPublished: z.boolean(),
  isLockedOut: z.boolean(),
  isGoing: z.boolean(),
});

const audit = objectOf<AuditState>()({
  name: z.string(),
  failedRows: count,
  checkedAt: time,
  example: text,
  couldNotLook: z.boolean(),
});

const use = objectOf<SourceUse>()({
  source: z.string(),
  requests: count,
  retries: count,
  waitedMs: measure,
  bytes: count,
  computeUnits: measure,
});

const reading = z.object({
  stream: z.string(),
  partition: z.string(),
  done: count,
  total: count.nullable(),
  remainingMs: measure.nullable(),
});

const running = objectOf<RunningNow>()({
  runId: z.string(),
  command: z.string(),
  phase: z.string(),
  pid: count,
  host: z.string().optional(),
  since: time,
  startedAt: time.optional(),
  partitions: z.object({ done: count, total: count }).optional(),
  rows: count.optional(),
  reading: z.array(reading).optional(),
});

const cluster = objectOf<ClusterProgress>()({
  partitions: z.array(
    objectOf<PartitionProgress>()({
      stream: z.string(),
      partition: z.string(),
      position: text,
      partFrom: count.nullable(),
      readAt: moment,
      stretches: count,
      held: count,
      owners: z.array(z.string()),
      problem: text,
    }),
  ),
  waiting: z.array(
    objectOf<WaitingTable>()({ table: z.string(), files: count, rows: count, bytes: count, since: z.iso.datetime() }),
  ),
  tasks: z.array(objectOf<TaskUnderWay>()({ name: z.string(), owner: text, since: z.iso.datetime().nullable() })),
});

/** What `status` tells. */
export const statusDocument = objectOf<StatusData & { warehouse: string; health: Health; cluster?: ClusterProgress }>()(
  {
    warehouse: z.string(),
    health,
    /** How far workers and appliers are; left out on one machine. */
    cluster: cluster.optional(),
    generatedAt: time,
    firnVersion: z.string(),
    network: z.object({ name: z.string(), id: count.nullable() }).nullable(),
    published: z.object({ version: count, at: time, files: count, rows: count, bytes: count }).nullable(),
    running: running.nullable(),
    chains: z.array(chain),
    verdicts: z.array(verdict),
    streams: z.array(stream),
    runs: z.array(run),
    unreadable: z.string().nullable(),
    audits: z.array(audit),
    quota: z.array(objectOf<QuotaDay>()({ source: z.string(), day: time, units: measure })),
    dailyQuota: z.record(z.string(), measure),
    sources: z.array(use),
    unloaded: z.array(z.object({ file: z.string(), problem: z.string() })),
    unresolved,
    lastPublishedAt: moment,
    workersHeardAt: moment.optional(),
    pipelines: z.array(z.string()),
  },
);
