import { unsetText, unsetVariable } from '../../core/input/unsetVariable.ts';
import type { Settings } from '../settings.ts';
import { type DoctorCheck, warning } from './doctorCheck.ts';

/** Whether those who are told of runs can be: a run with nothing to tell does not notice that a variable is missing. */
export function checkReceivers(settings: Pick<Settings, 'notify' | 'lineage'>): DoctorCheck[] {
  return (['notify', 'lineage'] as const).flatMap((name) => {
    const unset = unsetVariable(settings[name]);
    if (unset === undefined) return [];
    const next = `Set ${unset}, also where cron or systemd finds it.`;
    return [warning(name, `${unsetText(name, unset)}: nothing would be sent. ${next}`)];
  });
}
