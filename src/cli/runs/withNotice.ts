import { exitCode } from '../../core/exitCode.ts';
import { messageOf } from '../../core/firnError.ts';
import { publishedBy, readRunRecords } from '../../load/bookkeeping/runRecords.ts';
import { assessHealth, type FindingKind, type HealthFinding, kindOf } from '../../report/health/assessHealth.ts';
import { readRelations } from '../../report/read/readRelations.ts';
import { readStatus } from '../../report/read/readStatus.ts';
import { exitCodeText } from '../../report/texts/exitCodeText.ts';
import { spanText } from '../../report/texts/timeText.ts';
import type { RunReport } from '../../run/records/runReport.ts';
import type { Settings } from '../../run/settings.ts';
import type { Configured } from '../config/configured.ts';
import { withPublished } from '../open/withPublished.ts';
import { maxAgeOf } from '../options/maxAgeOf.ts';
import type { Console } from '../terminal/console.ts';
import { reasonsOf } from '../text/runLine.ts';
import { notify } from './notify.ts';

/** Runs, and tells the configured webhook, if any, how it ended. */
export async function withNotice(
  configured: Configured,
  console: Console,
  run: () => Promise<RunReport>,
): Promise<RunReport> {
  const { settings } = configured;
  if (!settings.notify) return run();
  try {
    const report = await run();
    await notifyOf(configured, console, report.exitCode, reasonsOf(report));
    return report;
  } catch (error) {
    await notifyOf(configured, console, exitCode(error), [messageOf(error)]);
    throw error;
  }
}

async function notifyOf(
  configured: Configured,
  console: Console,
  code: number,
  reasons: readonly string[],
): Promise<void> {
  // Who stopped it knows.
  if (code === 130 || code === 143) return;
  const own = await runFindings(configured.settings, code, reasons);
  const others = await standing(configured);
  if (own.length === 0 && others === undefined) return;
  const kinds = own.map(({ kind }) => kind);
  // What is late is no news of a run, and not over with it either.
  const besides = (said: readonly FindingKind[]) =>
    (others ?? []).filter(({ kind }) => !kinds.includes(kind) && (kind !== 'stale' || said.includes(kind)));
  // To try again later is no end of what was wrong before.
  if (code === 75 && own.length === 0 && besides([]).length === 0) return;
  await notify(configured.settings, (said) => [...own, ...besides(said)], console);
}

/** What needs attention besides, such as the last run of another pipeline; undefined where nothing can tell. */
async function standing(configured: Configured): Promise<readonly HealthFinding[] | undefined> {
  try {
    const data = await withPublished(configured, async (reader, context) =>
      readStatus(reader, await readRelations(reader), context),
    );
    return assessHealth(data, maxAgeOf(configured.settings)).findings;
  } catch {
    return undefined;
  }
}

/** What a run that ended with `code` gives reason to say. Trying again later is news only when later has become too late. */
async function runFindings(settings: Settings, code: number, reasons: readonly string[]): Promise<HealthFinding[]> {
  if (code === 0) return [];
  const why = reasons.length > 0 ? `: ${reasons.slice(0, 3).join(' ')}` : '.';
  const sentence = `The run ended with ${code} (${exitCodeText(code)})${why}`;
  const kind = kindOf(code);
  if (kind !== 'stale') return [{ kind, sentence, exitCode: code }];
  const age = await unpublishedFor(settings.warehouse);
  if (age <= (maxAgeOf(settings) ?? 0)) return [];
  return [{ kind, sentence: `Nothing was published for ${spanText(age)}. ${sentence}`, exitCode: code }];
}

/** Milliseconds since a run last published, or, where none did, since the first one that is known began; a wrong clock may have told either. */
async function unpublishedFor(warehouse: string): Promise<number> {
  const runs = await readRunRecords(warehouse).catch(() => []);
  const since = runs.find((run) => publishedBy(run) !== undefined)?.finishedAt ?? runs.at(-1)?.startedAt;
  return since === undefined ? 0 : Math.abs(Date.now() - Date.parse(since));
}
