import { type DoctorCheck, passed, warning } from '../../run/probe/doctorCheck.ts';
import { clockMs } from '../ledger/controlClock.ts';

/** Whether a clock goes with that of this machine. @param aheadMs by how much it is ahead, in milliseconds */
export function checkClock(name: string, whose: string, aheadMs: number): DoctorCheck {
  const seconds = Math.abs(aheadMs / 1000).toFixed(1);
  const apart = `${whose} is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine`;
  return Math.abs(aheadMs) <= clockMs
    ? passed(name, apart)
    : warning(name, `${apart}. Let both take the time from the network.`);
}
