import { type Settings, unsetVariable } from '../settings.ts';
import { type DoctorCheck, warning } from './doctorCheck.ts';

/** Whether those who are told of runs can be: a run with nothing to tell does not notice that a variable is missing. */
export function checkReceivers(settings: Pick<Settings, 'notify' | 'lineage'>): DoctorCheck[] {
  return (['notify', 'lineage'] as const).flatMap((name) => {
    const unset = unsetVariable(settings[name]);
    if (unset === undefined) return [];
    const sentence = `${name} takes a value from the environment variable ${unset}, which is not set: nothing would be sent.`;
    return [warning(name, `${sentence} Set ${unset}, also where cron or systemd finds it.`)];
  });
}
