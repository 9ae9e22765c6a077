import { RawNumber } from '../http/jsonText.ts';
import { nearestDouble, type Ratio } from './ratio.ts';
import type { ServedFault, ServedFaultName } from './servedFaults.ts';

/** The content of `value`: a JSON number (a double, so wei above 2^53 lose digits, as in reality) unless a fault says otherwise. */
export function servedValue(
  value: Ratio,
  timestamp: number,
  faults: ReadonlyMap<ServedFaultName, ServedFault>,
  lieAt: number | undefined,
): number | string | RawNumber {
  const scale = faults.get('scale');
  const { num, den } = scale === undefined ? value : { num: value.num, den: value.den * BigInt(scale.factor ?? 1e9) };
  let served = nearestDouble({ num, den });
  let digits = num % den === 0n ? num / den : null;
  const add = (more: number): void => {
    served += more;
    digits = digits === null || !Number.isInteger(more) ? null : digits + BigInt(more);
  };
  const offset = faults.get('offset');
  if (offset !== undefined) add(offset.offset ?? 155);
  const lie = faults.get('lie');
  if (lie !== undefined && timestamp === lieAt) add(lie.offset ?? Math.max(1, Math.floor(served / 100)));
  if (faults.has('rounded_averages')) served = Math.round(served);
  if (faults.has('values_as_strings')) return digits === null ? String(served) : digits.toString();
  return faults.has('wei_exact') && digits !== null ? new RawNumber(digits) : served;
}
