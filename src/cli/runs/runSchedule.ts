import { exitCode } from '../../core/exitCode.ts';
import { problemOf } from '../../core/firnError.ts';
import { runName } from '../../run/phases/runPhases.ts';
import { neverRun, scheduledPipelines, schedulePipelines } from '../../run/plan/schedulePipelines.ts';
import { phases } from '../../run/records/runReport.ts';
import { readConfigured } from '../config/configured.ts';
import { runDocument } from '../json/runDocument.ts';
import type { CliContext } from '../registerCommand.ts';
import { outliveOutput } from '../terminal/outputErrors.ts';
import { brokenLine, runLine } from '../text/runLine.ts';
import { runSummary } from '../text/runSummary.ts';
import { runAndTell } from './runAndTell.ts';

/**
 * Runs the pipelines at their times until Ctrl-C. The configuration is read again before each run, as cron's runs do: one that is wrong is
 * reported, and the times stay. A failed run is reported and the next one comes at its time.
 */
export async function runSchedule(context: CliContext): Promise<number> {
  const { global, console, signal } = context;
  let pipelines = scheduledPipelines((await readConfigured(global)).settings);
  outliveOutput();
  const tell = () => {
    for (const { name, expression } of pipelines) console.note(`${name}: ${expression} (UTC)`);
    for (const sentence of neverRun(pipelines)) console.note(sentence);
  };
  tell();
  console.note('Waiting for the next time. Ctrl-C ends it.');
  const run = async (name: string) => {
    try {
      const configured = await readConfigured(global);
      const before = JSON.stringify(pipelines);
      pipelines = scheduledPipelines(configured.settings);
      if (JSON.stringify(pipelines) !== before) tell();
      if (!pipelines.some((pipeline) => pipeline.name === name)) return;
      const report = await runAndTell(context, configured, { phases, selection: { pipelines: [name] } });
      console.data(runDocument, report);
      console.print(
        global.quiet
          ? `${runLine(report)} pipeline=${name}`
          : `${new Date().toISOString()} ${name}\n${runSummary(report)}\n`,
      );
    } catch (error) {
      const code = exitCode(error);
      if (global.quiet)
        console.print(`${brokenLine(runName(phases, false), code, problemOf(error).message)} pipeline=${name}`);
      console.failed(error, code, `${new Date().toISOString()} ${name}`);
    }
  };
  await schedulePipelines(() => pipelines, run, signal);
  return 0;
}
