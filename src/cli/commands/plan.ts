import { exitOf, worstExit } from '../../core/exitCode.ts';
import type { ErrorCode } from '../../core/firnError.ts';
import { countText, plural } from '../../report/texts/numberText.ts';
import type { Project } from '../../run/openProject.ts';
import { type PartitionPlan, planSync } from '../../run/plan/planSync.ts';
import { planStreams } from '../../run/planStreams.ts';
import type { Settings } from '../../run/settings.ts';
import { readConfigured } from '../config/configured.ts';
import { planDocument } from '../json/planDocument.ts';
import { refuseCluster, withProject } from '../open/withProject.ts';
import { selectionOptions } from '../options/runOptions.ts';
import type { RegisterCommand } from '../registerCommand.ts';
import type { Chosen } from '../runs/runChosen.ts';
import { partitionLines } from '../text/runLine.ts';
import { textTable } from '../text/textTable.ts';

/** `firn plan`: what a sync would read, after one request per partition. */
export const planCommand: RegisterCommand = (program, act) => {
  const command = program.command('plan');
  selectionOptions(command)
    .description('estimate what a sync will read: requests, compute units, hours at the quota, disk')
    .action(
      act(async ({ global, console, signal }, { select, pipeline }: Pick<Chosen, 'select' | 'pipeline'>) => {
        const { settings, registry } = await readConfigured(global);
        refuseCluster(settings, 'firn plan');
        const planned = planStreams(settings, registry.catalogue, { select, pipelines: pipeline });
        const read = async ({ warehouse, openSources, askNetwork }: Project) => {
          const sources = await openSources();
          try {
            const resolved = await askNetwork(planned, sources.fetch);
            const plans = await planSync({ warehouse, planned, ...resolved, fetch: sources.fetch });
            const hours = hoursAtQuota(plans, settings);
            console.data(planDocument, { partitions: plans, hours });
            console.print(planText(plans, hours));
            return worstExit(plans.map(({ code }) => (hasFailed(code) ? exitOf(code) : 0)));
          } finally {
            await sources.close(warehouse);
          }
        };
        return withProject({ settings, registry }, read, { isFirst: true, signal, log: console.log });
      }),
    );
};

function planText(plans: readonly PartitionPlan[], hours: Readonly<Record<string, number>>): string {
  const rows = plans.map((plan) => [
    plan.stream,
    plan.partition,
    plan.way,
    plan.from,
    plan.to,
    plan.rows === null ? '' : countText(plan.rows),
    countText(plan.requests),
    countText(plan.computeUnits),
    noteOf(plan),
  ]);
  const failures = plans.flatMap(({ stream, partition, code, note }) =>
    hasFailed(code) ? [{ stream, partition, text: note ?? '' }] : [],
  );
  const header = ['stream', 'partition', 'way', 'from', 'to', 'rows', 'requests', 'units', 'note'];
  const sum = (of: (plan: PartitionPlan) => number) => plans.reduce((total, plan) => total + of(plan), 0);
  const requests = sum((plan) => plan.requests);
  const units = sum((plan) => plan.computeUnits);
  const bytes = sum((plan) => plan.bytes ?? 0);
  return [
    textTable(header, rows),
    '',
    [
      `At least ${plural(requests, 'HTTP request')} (a batch of calls counts as one)`,
      plural(units, 'compute unit'),
      `about ${(bytes / 1e6).toFixed(1)} MB of answers`,
      ...Object.entries(hours).map(([source, time]) => `${time.toFixed(1)} h at the quota of ${source}`),
    ].join(', '),
    ...partitionLines(failures).flatMap((line) => ['', line]),
  ].join('\n');
}

const hasFailed = (code: ErrorCode | undefined): code is ErrorCode => code !== undefined && code !== 'not_offered';

function noteOf({ code, note = '' }: PartitionPlan): string {
  if (code === 'not_offered') return 'not offered';
  return hasFailed(code) ? 'failed' : note;
}

/** Hours that each source's quota makes of the planned compute units. */
function hoursAtQuota(plans: readonly PartitionPlan[], settings: Settings): Record<string, number> {
  const hours: Record<string, number> = {};
  for (const [name, source] of Object.entries(settings.sources)) {
    const quota = source?.quota;
    if (!quota) continue;
    const units = plans
      .filter(({ stream }) => stream.startsWith(`${name}/`))
      .reduce((sum, { computeUnits }) => sum + computeUnits, 0);
    hours[name] = Math.max(
      units / ((quota.perMinute ?? Number.POSITIVE_INFINITY) * 60),
      (units / (quota.perDay ?? Number.POSITIVE_INFINITY)) * 24,
    );
  }
  return hours;
}
