import type { RunFacts, StatusData } from '../reportData.ts';
import { reportedRuns } from '../reportedRuns.ts';
import { plural } from '../texts/numberText.ts';
import { momentText, spanText } from '../texts/timeText.ts';

/** Stopped by hand, or by a system that shuts down: nobody need be told. */
const stopped: readonly (number | null)[] = [130, 143];

const isOver = ({ isGoing, exitCode }: RunFacts): boolean => !isGoing && !stopped.includes(exitCode);
const hasBegun = (run: RunFacts): boolean => isOver(run) && !run.isLockedOut;
const hasResult = (run: RunFacts): boolean => hasBegun(run) && run.exitCode !== null;

const isOf = ({ isWhole, pipelines }: RunFacts, name: string): boolean => isWhole && pipelines.includes(name);

/**
 * Locked out, and what it was to read was read since: nothing is missing. A run of another pipeline does not read that.
 *
 * @param names pipelines that count: where there are none, any run that came to a result does
 */
function isMadeGood(run: RunFacts, runs: readonly RunFacts[], names = run.isWhole ? run.pipelines : []): boolean {
  const since = runs.filter((other) => hasResult(other) && (other.finishedAt ?? 0) > (run.finishedAt ?? run.startedAt));
  return run.isLockedOut && since.length > 0 && names.every((name) => since.some((other) => isOf(other, name)));
}

/**
 * The runs by which a warehouse is judged: the newest, even where it was locked out and nothing made that good since; the newest that was
 * not, even where it was killed, since it may have locked out newer ones before; the newest that came to a result; and all three of every
 * pipeline, since one that goes well says nothing of the others.
 */
export function lastRuns(data: Pick<StatusData, 'runs' | 'pipelines'>): RunFacts[] {
  const { runs, pipelines } = data;
  const lastOf = (own: readonly RunFacts[], names?: readonly string[]) => [
    own.find((run) => isOver(run) && !isMadeGood(run, runs, names)),
    own.find(hasBegun),
    own.find(hasResult),
  ];
  const ofEach = pipelines.flatMap((name) => {
    const own = runs.filter((run) => isOf(run, name));
    return lastOf(own, [name]);
  });
  const found = [...lastOf(runs), ...ofEach];
  return [...new Set(found.filter((run) => run !== undefined))];
}

/** The newest run of a whole pipeline that came to a result. */
export const lastRunOf = ({ runs }: Pick<StatusData, 'runs'>, pipeline: string): RunFacts | undefined =>
  runs.find((run) => hasResult(run) && isOf(run, pipeline));

/** The run that ended last: one that began later may have been locked out by it. */
export const lastEnded = (runs: readonly RunFacts[]): RunFacts | undefined =>
  runs.find((run) => run.finishedAt !== null && !isMadeGood(run, runs));

type PublishFacts = Pick<StatusData, 'runs' | 'lastPublishedAt' | 'generatedAt'>;

/** Runs newer than the last one that published, by their order. */
function runsBehindPublish(runs: readonly RunFacts[]): readonly RunFacts[] {
  const publisher = runs.findIndex(({ isPublished }) => isPublished);
  return runs.slice(0, publisher < 0 ? undefined : publisher);
}

/** Rows that were read since the last publish: no reader sees them yet. */
export const unseenRows = ({ runs }: Pick<StatusData, 'runs'>): number =>
  runsBehindPublish(runs).reduce((sum, { rows }) => sum + rows, 0);

/** Runs since the last publish that should have published and did not, newest first. */
export function unpublishedRuns({ runs, lastPublishedAt, generatedAt }: PublishFacts): RunFacts[] {
  // By their order, too: one that began under a clock that was ahead seems to have come after all of them.
  const since = lastPublishedAt === null || lastPublishedAt > generatedAt ? 0 : lastPublishedAt;
  return runsBehindPublish(runs).filter(
    (run) => isOver(run) && run.phases.includes('publish') && run.startedAt > since,
  );
}

/** Since when nothing was published: the rest of a sentence that begins with "Nothing was"; undefined where no run failed to publish. */
export function unpublishedText(data: PublishFacts): string | undefined {
  const runs = unpublishedRuns(data);
  const { lastPublishedAt, generatedAt } = data;
  const since = lastPublishedAt === null ? 'yet' : sinceText(lastPublishedAt, generatedAt);
  // Of those before them nothing is known.
  const many = `${runs.length < reportedRuns ? '' : 'at least '}${plural(runs.length, 'run')}`;
  return runs.length === 0 ? undefined : `published ${since}, though ${many} should have`;
}

const sinceText = (moment: number, now: number): string =>
  moment > now ? `since ${momentText(moment)} UTC, when a clock was ahead` : `for ${spanText(now - moment)}`;
