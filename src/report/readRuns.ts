import * as queries from './queries.ts';
import type { Query } from './readRelations.ts';
import type { RunFacts, SourceUse } from './reportData.ts';
import { count, moment, type Row, text } from './rowValues.ts';

/** A run with what its summary says of single partitions. */
export interface RunDetails extends RunFacts {
  readonly partitions: readonly PartitionOutcome[];
  /** Whether it read everything that was configured. */
  readonly whole: boolean;
  readonly sources: readonly SourceUse[];
}

export interface PartitionOutcome {
  readonly stream: string;
  readonly partition: string;
  /** The pipeline that read it; null where that was not what is new of it, and of runs before 0.2. */
  readonly pipeline: string | null;
  readonly outcome: string;
  /** End of the run. */
  readonly readAt: number;
  readonly message: string | null;
  readonly behind: number | null;
}

/** The last runs, newest first. A run that was killed has neither end nor summary. */
export async function readRuns(reader: Query): Promise<RunDetails[]> {
  const rows = await reader.query<Row>(queries.runsSql);
  return rows.map((row) => {
    const summary = parseSummary(row['summary']);
    const partitions = list(summary['partitions']);
    const failed = partitions.filter(({ outcome }) => outcome === 'failed');
    return {
      runId: text(row['run_id']),
      command: text(row['command']),
      startedAt: count(row['started_at']),
      finishedAt: moment(row['finished_at']),
      exitCode: moment(row['exit_code']),
      rows: sum(partitions, 'rows'),
      requests: sum(partitions, 'requests'),
      problems: [
        ...list(summary['problems']).map(({ message }) => text(message)),
        ...failed.map((p) => `${text(p['stream'])} (${text(p['partition'])}): ${text(p['message'])}`),
      ],
      whole: summary['whole'] === true,
      partitions: partitions.map((partition) => ({
        readAt: moment(row['finished_at']) ?? count(row['started_at']),
        stream: text(partition['stream']),
        partition: text(partition['partition']),
        pipeline: partition['pipeline'] === undefined ? null : text(partition['pipeline']),
        outcome: text(partition['outcome']),
        message: partition['message'] === undefined ? null : text(partition['message']),
        behind: moment(partition['behind']),
      })),
      sources: Object.entries(members(summary['requests'])).map(([source, stats]) => {
        const use = members(stats);
        return {
          source,
          requests: count(use['requests']),
          retries: count(use['retries']),
          waitedMs: count(use['waitedMs']),
          bytes: count(use['bytes']),
          computeUnits: count(use['computeUnits']),
        };
      }),
    };
  });
}

function parseSummary(value: unknown): Row {
  try {
    return members(JSON.parse(text(value) || '{}'));
  } catch {
    return {};
  }
}

const members = (value: unknown): Row => (value !== null && typeof value === 'object' ? (value as Row) : {});
const list = (value: unknown): Row[] => (Array.isArray(value) ? value.map(members) : []);
const sum = (rows: readonly Row[], name: string): number => rows.reduce((total, row) => total + count(row[name]), 0);
