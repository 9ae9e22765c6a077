import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { exitCode } from '../../core/exitCode.ts';
import { FirnError, messageOf } from '../../core/firnError.ts';
import { diskError } from '../../load/diskError.ts';
import {
  assessHealth,
  type FindingKind,
  type Health,
  type HealthFinding,
  kindOf,
} from '../../report/health/assessHealth.ts';
import { prometheusText, unreadText } from '../../report/health/prometheusText.ts';
import { readRelations } from '../../report/read/readRelations.ts';
import { readStatus } from '../../report/read/readStatus.ts';
import type { Settings } from '../../run/settings.ts';
import { type Configured, readConfigured } from '../config/configured.ts';
import { statusDocument } from '../json/statusDocument.ts';
import { clusterView, withPublished } from '../open/withPublished.ts';
import { maxAgeOf } from '../options/maxAgeOf.ts';
import { duration } from '../options/optionValues.ts';
import type { RegisterCommand } from '../registerCommand.ts';
import { notify } from '../runs/notify.ts';
import type { Console } from '../terminal/console.ts';
import { clusterText } from '../text/clusterText.ts';
import { runsText, statusText } from '../text/statusText.ts';
import { writeOut } from '../writeOut.ts';

interface Options {
  readonly runs?: boolean;
  readonly check?: boolean;
  readonly maxAge?: number;
  readonly prometheus?: string;
  readonly notify?: boolean;
}

const help = `
Exit codes: 0, unless --check is given; with it the worst of what was found:
  1 or 77, 73, 2  the last run of a pipeline failed or was killed, or part of a
                  stream did
  3               a settled number differs, an audit fails, or a relation is
                  held back
  4               records are in quarantine, until they are read or accepted,
                  or part of a stream had no usable answer
  75              stale: locked out, a source that did not answer, behind what
                  there is to read, or older than --max-age`;

/** `firn status`: what readers see now, what became of the runs since, what needs attention, and what is running; never waits for a run. */
export const statusCommand: RegisterCommand = (program, act) => {
  program
    .command('status')
    .description('what was read, published and is running, and what needs attention')
    .option('--runs', 'the last runs')
    .option('--check', 'end with an exit code that tells what needs attention')
    .option(
      '--max-age <time>',
      'how long ago the last good run may have ended, and workers of a cluster may have read, such as 2h',
      duration,
    )
    .option('--prometheus <file>', "write the state for Prometheus' textfile collector; - for stdout")
    .option('--notify', "send what is new to the configuration's webhook")
    .addHelpText('after', help)
    .action(
      act(async ({ global, console }, options: Options) => {
        // Who watches is told of an age and of pipelines by the configuration alone.
        const onlyShows = !options.check && !options.notify && options.prometheus === undefined;
        const configured = await readConfigured({ ...global, onlyShows }).catch((error) =>
          tellUnread(error, console, options),
        );
        const { settings } = configured;
        const { data, cluster } = await currentStatus(configured).catch(async (error: unknown) => {
          // What workers do is known without the engine, too.
          const view = await clusterView(settings).catch(() => undefined);
          if (view && !options.runs) console.print(await view.progress().then(clusterText, () => ''));
          await view?.close();
          return tellUnread(error, console, options, settings);
        });
        const maxAge = options.maxAge ?? maxAgeOf(settings);
        const health = assessHealth(data, maxAge);
        if (options.prometheus) await tellPrometheus(options.prometheus, prometheusText(data, health), console);
        if (options.prometheus !== '-') {
          console.data(statusDocument, { warehouse: settings.warehouse, health, ...data, ...(cluster && { cluster }) });
          console.print(options.runs ? runsText(data) : statusText(data, health));
          if (cluster && !options.runs) console.print(`\n${clusterText(cluster)}`);
        }
        if (options.notify) await notify(settings, (said) => newsOf(health, said, maxAge), console);
        return options.check ? health.exitCode : 0;
      }),
    );
};

/** What a webhook is told. That something is to be tried again is no news before nothing was published for too long, as after a run. */
function newsOf({ findings, ageMs }: Health, said: readonly FindingKind[], maxAge = 0): readonly HealthFinding[] {
  const isLate = Math.abs(ageMs ?? Number.POSITIVE_INFINITY) > maxAge || said.includes('stale');
  return findings.filter(({ kind }) => isLate || kind !== 'stale');
}

const currentStatus = (configured: Configured) =>
  withPublished(configured, async (reader, context, cluster) => ({
    data: await readStatus(reader, await readRelations(reader), context),
    cluster: await cluster?.progress(),
  }));

/**
 * Tells those who watch that the state could not be read: what they were told before would count for ever.
 *
 * @param settings left out where the configuration is what could not be read: then nobody is known
 * @throws the error
 */
async function tellUnread(thrown: unknown, console: Console, options: Options, settings?: Settings): Promise<never> {
  const error = diskError(thrown, 'go on');
  const code = exitCode(error);
  // What keeps them from being told is another problem, and this one comes first.
  if (options.prometheus)
    await tellPrometheus(options.prometheus, unreadText(code), console).catch((problem) =>
      console.note(messageOf(problem)),
    );
  const finding = { kind: kindOf(code), sentence: `The state could not be read: ${error.message}`, exitCode: code };
  if (options.notify && settings) await notify(settings, () => [finding], console);
  throw error;
}

/** The collector reads at any moment: it must never see half a file. */
async function tellPrometheus(name: string, text: string, console: Console): Promise<void> {
  if (name === '-') return console.raw(text);
  const file = resolve(name);
  if (!existsSync(dirname(file)))
    throw new FirnError(
      'disk',
      `Could not write ${file}: there is no folder ${dirname(file)}. Correct its name, or make it.`,
    );
  await writeOut(file, text);
}
