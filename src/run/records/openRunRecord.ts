import { firstOfEach } from '../../core/firstOfEach.ts';
import { groupBy } from '../../core/groupBy.ts';
import { isReadToEnd } from '../../core/isReadToEnd.ts';
import { partitionName } from '../../core/partitionName.ts';
import { type Clock, systemClock } from '../../extract/clock.ts';
import { lastReads, type RunRecord, touchRunRecord, writeRunRecord } from '../../load/bookkeeping/runRecords.ts';
import { heartbeatMs } from '../../load/state/holdWarehouse.ts';
import { ownProcess } from '../../load/state/processFacts.ts';
import type { RunReport } from './runReport.ts';

/** The record of a run that has started. */
export interface OpenRunRecord {
  /** Notes how it ended, with what of its report there is. */
  end(exitCode: number, told: Partial<RunReport>): Promise<void>;
}

/** Partitions that a record names, the worst first, and of each stream some, however many another has; problems; and characters of each text. */
const mostPartitions = 2000;
const ofEachStream = 20;
const mostProblems = 50;
const mostText = 1000;

/** Begins the record of a run; one without an end is that of a run that goes on, or was killed. */
export async function openRunRecord(
  warehouse: string,
  run: Pick<RunReport, 'runId' | 'command' | 'phases' | 'pipelines' | 'isWhole' | 'startedAt'>,
  clock: Clock = systemClock,
): Promise<OpenRunRecord> {
  const { runId, command, startedAt, ...summary } = run;
  const started: RunRecord = {
    format: 1,
    ...(await ownProcess()),
    runId,
    command,
    startedAt,
    finishedAt: null,
    exitCode: null,
    summary,
  };
  await writeRunRecord(warehouse, started);
  // It may wait for another run, and has no other way to say so to those who cannot see its process.
  const heartbeat = setInterval(() => void touchRunRecord(warehouse, started), heartbeatMs).unref();
  return {
    async end(exitCode, told) {
      clearInterval(heartbeat);
      const unread = (told.partitions ?? [])
        .filter((one) => !isReadToEnd(one))
        .map((one) => partitionName(one.stream, one.partition));
      // Where that cannot be told now, a later run looks further back.
      const reads = await lastReads(warehouse, unread).catch(() => undefined);
      await writeRunRecord(warehouse, {
        ...started,
        finishedAt: new Date(clock.now()).toISOString(),
        exitCode,
        summary: { ...summary, ...inShort(told, reads) },
      });
    },
  };
}

/** What became of partitions, the worst first. */
const worst = ['failed', 'stopped', 'behind', 'not_offered', 'done'];
const rankOf = ({ outcome, behind }: RunReport['partitions'][number]) =>
  worst.indexOf(outcome === 'done' && behind ? 'behind' : outcome);

/**
 * What `status` tells of a run, bounded whatever the run met.
 *
 * @param reads when partitions that it did not read to their end were last read
 */
function inShort(
  { partitions = [], problems = [], requests, published, stoppedBy }: Partial<RunReport>,
  reads?: Awaited<ReturnType<typeof lastReads>>,
) {
  const cut = (text: string) => text.slice(0, mostText);
  const worstFirst = [...partitions].sort((a, b) => rankOf(a) - rankOf(b));
  // A stream of which none is named would seem not to have been read.
  const some = firstOfEach(worstFirst, ofEachStream, ({ stream }) => [stream]);
  const inOrder = [...new Set([...some, ...worstFirst])];
  const unnamed = groupBy(
    inOrder.slice(mostPartitions).filter(({ outcome }) => outcome === 'failed'),
    ({ stream }) => stream,
  );
  return {
    rows: partitions.reduce((sum, { rows }) => sum + rows, 0),
    partitions: inOrder.slice(0, mostPartitions).map(({ message, notes, ...rest }) => ({
      ...rest,
      ...(message !== undefined && { message: cut(message) }),
      ...(reads && !isReadToEnd(rest) && { lastRead: reads.get(partitionName(rest.stream, rest.partition)) ?? null }),
    })),
    unnamedFailures: Object.fromEntries([...unnamed].map(([stream, failed]) => [stream, failed.length])),
    problems: problems.slice(0, mostProblems).map(({ code, message }) => ({ code, message: cut(message) })),
    requests,
    published: published ? { version: published.version } : null,
    stoppedBy,
  };
}
