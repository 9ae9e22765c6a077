import { exitCode } from '../core/exitCode.ts';
import type { HealthFinding } from '../report/assessHealth.ts';
import { exitCodeText } from '../report/exitCodeText.ts';
import { spanText } from '../report/timeText.ts';
import type { RunReport } from '../run/records/runReport.ts';
import type { Settings } from '../run/settings.ts';
import type { Configured } from './configured.ts';
import type { Console } from './console.ts';
import { ageOfGoodRun, noteGoodRun, notify } from './notify.ts';
import { duration } from './optionValues.ts';
import { reasonsOf } from './runLine.ts';
import { withLineage } from './withLineage.ts';

/** Runs, and tells the configured lineage service and webhook, if any, how it ended. */
export async function withNotice(
  configured: Configured,
  console: Console,
  run: () => Promise<RunReport>,
): Promise<RunReport> {
  const { settings } = configured;
  if (!settings.notify) return withLineage(configured, console, run);
  try {
    const report = await withLineage(configured, console, run);
    if (report.published) await noteGoodRun(settings.warehouse);
    await notifyOf(settings, console, report.exitCode, reasonsOf(report));
    return report;
  } catch (error) {
    await notifyOf(settings, console, exitCode(error), [error instanceof Error ? error.message : String(error)]);
    throw error;
  }
}

async function notifyOf(settings: Settings, console: Console, code: number, reasons: readonly string[]): Promise<void> {
  // Who stopped it knows.
  if (code === 130 || code === 143) return;
  await notify(settings, await runFindings(settings, code, reasons), console);
}

/** What a run that ended with `code` gives reason to say. Trying again later is news only when later has become too late. */
async function runFindings(settings: Settings, code: number, reasons: readonly string[]): Promise<HealthFinding[]> {
  if (code === 0) return [];
  const why = reasons.length > 0 ? `: ${reasons.slice(0, 3).join(' ')}` : '.';
  const sentence = `The run ended with ${code}, ${exitCodeText(code)}${why}`;
  if (code === 3) return [{ kind: 'mismatch', sentence, exitCode: code }];
  if (code === 4) return [{ kind: 'quarantined', sentence, exitCode: code }];
  if (code !== 75) return [{ kind: 'failed', sentence, exitCode: code }];
  const age = await ageOfGoodRun(settings.warehouse);
  const limit = duration(settings.notify?.staleAfter ?? '24h');
  if (age === null || age <= limit) return [];
  return [{ kind: 'stale', sentence: `Nothing was published for ${spanText(age)}. ${sentence}`, exitCode: code }];
}
