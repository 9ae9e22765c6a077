import { didItsWork, exitOf, worstExit } from '../../core/exitCode.ts';
import type { ErrorCode } from '../../core/firnError.ts';
import { groupBy } from '../../core/groupBy.ts';
import type { PartitionState, StatusData, StreamState } from '../reportData.ts';
import { exitCodeText } from '../texts/exitCodeText.ts';
import { explainCommand } from '../texts/explainCommand.ts';
import { countText, differText, plural } from '../texts/numberText.ts';
import { agoText, momentText, spanText } from '../texts/timeText.ts';
import { groupOf } from '../verdicts/verdictFacts.ts';
import { auditFails, heldBackBy, heldBackText } from './heldBackText.ts';
import { lastRuns, unpublishedRuns } from './lastRuns.ts';
import { streamHealth } from './streamHealth.ts';

export const findingKinds = ['failed', 'mismatch', 'quarantined', 'stale'] as const;
export type FindingKind = (typeof findingKinds)[number];

/** The kind of trouble that a run's exit code tells of. */
export const kindOf = (exitCode: number): FindingKind =>
  exitCode === 75 ? 'stale' : exitCode === 3 ? 'mismatch' : exitCode === 4 ? 'quarantined' : 'failed';

/** Something that somebody should look at. */
export interface HealthFinding {
  readonly kind: FindingKind;
  /** What is wrong, and where to look. */
  readonly sentence: string;
  /** The exit code of a check that found it. */
  readonly exitCode: number;
}

export interface Health {
  readonly findings: readonly HealthFinding[];
  /** 0 where nothing was found, else the worst: 1 failed, 2 usage or configuration, 3 mismatch, 4 quarantined, 73 disk, 75 stale or unfinished, 77 not authorised. */
  readonly exitCode: number;
  /** Milliseconds since the end of the last run that published. */
  readonly ageMs: number | null;
}

/**
 * Judges what is published, and what became of the runs since.
 *
 * @param maxAgeMs how long ago the last run that published may have ended, and a worker of a cluster may have read; without it no age is too old
 */
export function assessHealth(data: StatusData, maxAgeMs?: number): Health {
  const ageMs = data.lastPublishedAt === null ? null : data.generatedAt - data.lastPublishedAt;
  const findings = [
    ...unknownRuns(data),
    ...badRuns(data),
    ...unread(data, maxAgeMs),
    ...mismatches(data),
    ...quarantined(data),
    ...(maxAgeMs === undefined ? [] : [...staleness(data, ageMs, maxAgeMs), ...silence(data, maxAgeMs)]),
  ];
  return { findings, exitCode: worstExit(findings.map(({ exitCode }) => exitCode)), ageMs };
}

/** Where the state is gone, or the record of runs cannot be read, none of them is known to be well. */
export const unknownRuns = ({ unreadable }: Pick<StatusData, 'unreadable'>): HealthFinding[] =>
  unreadable === null ? [] : [{ kind: 'failed', sentence: unreadable, exitCode: 73 }];

/** The last runs that failed, and the last one that should have published and did not. */
export function badRuns(data: StatusData): HealthFinding[] {
  const bad = lastRuns(data).filter(({ exitCode }) => !didItsWork(exitCode));
  const unpublished = unpublishedRuns(data).slice(0, 1);
  return [...new Set([...bad, ...unpublished])].map((run) => {
    const { exitCode, problems } = run;
    const which =
      run.isWhole && run.pipelines.length > 0 && data.pipelines.length > 1 ? ` of ${run.pipelines.join(', ')}` : '';
    const name = `The last run${which} (${run.command}, ${momentText(run.startedAt)} UTC)`;
    if (exitCode === null) {
      const sentence = `${name} ${exitCodeText(null)}. The next run goes on where it stopped.`;
      return { kind: 'failed', sentence, exitCode: 1 };
    }
    const not = unpublished.includes(run) ? ' and published nothing' : '';
    const why = problems[0] ? `: ${problems[0].replace(/\.?$/, '.')}` : '.';
    const ended = `${name} ended with ${exitCode} (${exitCodeText(exitCode)})${not}${why}`;
    const sentence = `${ended} A "firn run" that ends with 0 clears this.`;
    // A run that should have published and did not is not good, whatever it ended with.
    return { kind: kindOf(exitCode), sentence, exitCode: exitCode || 1 };
  });
}

function unread({ streams, generatedAt, workersHeardAt }: StatusData, maxAgeMs = Infinity): HealthFinding[] {
  const reader = workersHeardAt === undefined ? 'firn run' : 'firn worker';
  const failedOf = ({ partitions }: StreamState) => partitions.filter(({ outcome }) => outcome === 'failed');
  // A source that is down is one reason for all that is read from it.
  const failing = streams.filter((stream) => failedOf(stream).length > 0);
  const messageOf = ([first]: readonly PartitionState[]) => first?.message ?? 'see firn report';
  const reasonOf = (stream: StreamState) => withoutPath(messageOf(failedOf(stream)));
  const failures = [...groupBy(failing, reasonOf)].map(([reason, own]): HealthFinding => {
    const [which, message] = own.length === 1 ? ['the stream', messageOf(own.flatMap(failedOf))] : ['them', reason];
    const failed = own.map((stream) => `${stream.stream}: ${plural(streamHealth(stream).failed, 'partition')} failed`);
    const sentence = `${failed.join('; ')}: ${message} A "${reader}" that reads ${which} clears this.`;
    const all = own.flatMap(failedOf);
    const exitCode = worstExit(all.map(({ code }) => exitOf((code ?? 'failed') as ErrorCode)));
    // What is to be tried again is late at first, and has failed when that went on for too long.
    const ageOf = ({ lastRead, lastLoad }: PartitionState) =>
      generatedAt - Math.max(lastRead ?? -Infinity, lastLoad ?? -Infinity);
    const isLate = exitCode === 75 && all.every((partition) => ageOf(partition) <= maxAgeMs);
    return { kind: isLate ? 'stale' : 'failed', sentence, exitCode };
  });
  const late = streams.flatMap((stream): HealthFinding[] => {
    const { failed, behind } = streamHealth(stream);
    if (failed > 0 || behind === 0) return [];
    const sentence = `${stream.stream} is ${countText(behind)} behind what there is to read: "${reader}" reads on.`;
    return [{ kind: 'stale', sentence, exitCode: 75 }];
  });
  return [...failures, ...late];
}

/** What a source that is down, or throttles, says to every request: any other answer is about the path. */
const withoutPath = (message: string): string =>
  message.replace(/^[A-Z]+ (https?:\/\/[^/\s]+)\/\S*(?= answered (?:429|50[0234]) )/, '$1');

function mismatches({ verdicts, audits, unresolved }: StatusData): HealthFinding[] {
  // Served weekly values are too unreliable to raise an alarm; the report shows them.
  const wrong = verdicts.filter(({ verdict, interval }) => groupOf(verdict) === 'differs' && interval !== 'week');
  const buckets = wrong.reduce((sum, count) => sum + count.buckets, 0);
  const where = wrong.map(({ chainId, metric, interval }) => `${metric} of ${chainId} by ${interval}`);
  const [first] = wrong;
  const failing = audits.filter(auditFails).map(({ name }) => name);
  const sentences = [
    first &&
      `${differText(buckets)} from what is served: ${firstOf(where)}. "firn report" shows them, "${explainCommand(first.chainId, first.metric, first.interval, first.firstBucket)}" goes from one down to its blocks.`,
    failing.length > 0 &&
      `${plural(failing.length, 'audit')} failed: ${firstOf(failing)}. "firn report" shows what each found.`,
    ...heldBackBy(unresolved).map(heldBackText),
  ];
  return sentences.flatMap((sentence) => (sentence ? { kind: 'mismatch', sentence, exitCode: 3 } : []));
}

const firstOf = (names: readonly string[]) => `${names.slice(0, 3).join(', ')}${names.length > 3 ? ' and more' : ''}`;

/** Groups of records that a sentence names. */
const groupsNamed = 3;

function quarantined({ unresolved, unloaded }: StatusData): HealthFinding[] {
  const files = unloaded.map(({ file, problem }): HealthFinding => {
    return { kind: 'quarantined', sentence: `refs/${file} is not loaded: ${problem}.`, exitCode: 4 };
  });
  const { records, groups } = unresolved;
  if (records === 0) return files;
  const named = groups
    .slice(0, groupsNamed)
    .map((group) => `${countText(group.records)} of ${group.stream} (${group.partition}): ${group.reason}`);
  const more = groups.length > named.length ? '; and more' : '';
  const sentence = `${plural(records, 'record')} could not be read: ${named.join('; ')}${more}. ${whatToDo}`;
  return [{ kind: 'quarantined', sentence, exitCode: 4 }, ...files];
}

/** What to do about records in quarantine. */
export const whatToDo =
  '"firn quarantine" lists them, "firn quarantine replay" tries them again, "firn quarantine accept" leaves them unread.';

function staleness(
  { runs, running, generatedAt }: StatusData,
  ageMs: number | null,
  maxAgeMs: number,
): HealthFinding[] {
  // What a clock told that was far ahead is no more recent than what is too old.
  const isRecent = (age: number) => Math.abs(age) <= maxAgeMs;
  // A first sync takes as long as there is to read.
  const first = running ? generatedAt - Date.parse(running.startedAt ?? running.since) : Number.POSITIVE_INFINITY;
  if (isRecent(ageMs ?? first)) return [];
  const isCalled = runs.some(({ startedAt }) => isRecent(generatedAt - startedAt));
  const since = ageMs === null ? 'No run has published yet' : `The last run that published ended ${agoText(ageMs)}`;
  return [
    {
      kind: 'stale',
      sentence: `${since}; at most ${spanText(maxAgeMs)} is expected.${isCalled ? '' : ' Is cron running?'} "firn run" publishes.`,
      exitCode: 75,
    },
  ];
}

/** Workers that read nothing for too long: what is published goes on without anything new, and each run of it ends well. */
function silence({ workersHeardAt: at, generatedAt }: StatusData, maxAgeMs: number): HealthFinding[] {
  if (at === undefined || (at !== null && Math.abs(generatedAt - at) <= maxAgeMs)) return [];
  const since =
    at === null ? 'No worker has read anything yet' : `No worker has read anything since ${momentText(at)} UTC`;
  const sentence = `${since}; at most ${spanText(maxAgeMs)} is expected. Start "firn worker", or see what it ended with.`;
  return [{ kind: 'failed', sentence, exitCode: 75 }];
}
