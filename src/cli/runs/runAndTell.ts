import type { PhaseOptions } from '../../run/phases/phaseOptions.ts';
import { runPhases } from '../../run/phases/runPhases.ts';
import type { RunReport } from '../../run/records/runReport.ts';
import type { Configured } from '../config/configured.ts';
import type { CliContext } from '../registerCommand.ts';
import { tellLineage } from './tellLineage.ts';
import { withNotice } from './withNotice.ts';

/** Runs phases of what is configured, and reports the outcome to those that the configuration names. */
export const runAndTell = (
  { console, signal }: CliContext,
  configured: Configured,
  options: Omit<PhaseOptions, keyof Configured['registry'] | 'settings' | 'signal' | 'log'>,
): Promise<RunReport> => {
  const { settings, registry } = configured;
  return withNotice(configured, console, async () => {
    const cluster = settings.engine && (await import('../../cluster/lake/openLakePlace.ts'));
    const open = cluster?.openLakePlace;
    const report = await runPhases({ settings, ...registry, open, ...options, signal, log: console.log });
    await tellLineage(configured, console, report);
    return report;
  });
};
