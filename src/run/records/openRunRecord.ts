import { type Clock, systemClock } from '../../extract/clock.ts';
import { ownProcess } from '../../load/processFacts.ts';
import { type RunRecord, writeRunRecord } from './runRecords.ts';
import type { RunReport } from './runReport.ts';

/** The record of a run that has begun. */
export interface OpenRunRecord {
  /** Notes how it ended, with what of its report there is. */
  end(exitCode: number, told: Partial<RunReport>): Promise<void>;
}

/** Partitions that a record names, the worst first, and problems; and characters of each text. */
const mostPartitions = 2000;
const mostProblems = 50;
const mostText = 1000;

/** Begins the record of a run; without an end it is that of a run that goes on, or was killed. */
export async function openRunRecord(
  warehouse: string,
  run: Pick<RunReport, 'runId' | 'command' | 'phases' | 'pipelines' | 'isWhole' | 'startedAt'>,
  clock: Clock = systemClock,
): Promise<OpenRunRecord> {
  const { runId, command, startedAt, ...summary } = run;
  const begun: RunRecord = {
    format: 1,
    ...(await ownProcess()),
    runId,
    command,
    startedAt,
    finishedAt: null,
    exitCode: null,
    summary,
  };
  await writeRunRecord(warehouse, begun);
  return {
    end: (exitCode, told) =>
      writeRunRecord(warehouse, {
        ...begun,
        finishedAt: new Date(clock.now()).toISOString(),
        exitCode,
        summary: { ...summary, ...inShort(told) },
      }),
  };
}

/** What `status` tells of a run, bounded whatever the run met. */
function inShort({ partitions = [], problems = [], requests, published, stoppedBy }: Partial<RunReport>) {
  const cut = (text: string) => text.slice(0, mostText);
  return {
    partitions: [...partitions]
      .sort((a, b) => Number(a.outcome === 'done') - Number(b.outcome === 'done'))
      .slice(0, mostPartitions)
      .map(({ message, notes, ...rest }) => ({ ...rest, ...(message !== undefined && { message: cut(message) }) })),
    problems: problems.slice(0, mostProblems).map(({ code, message }) => ({ code, message: cut(message) })),
    requests,
    published: published ? { version: published.version } : null,
    stoppedBy,
  };
}
