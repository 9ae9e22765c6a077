import { exitOf } from '../../core/exitCode.ts';
import type { ErrorCode } from '../../core/firnError.ts';
import { wrongUrl } from '../read/failWhereNothingIs.ts';
import type { Finding } from './finding.ts';

/** One line of `firn doctor`. */
export interface DoctorCheck {
  readonly name: string;
  /** `warn`: a run goes on, but reads less than it could. */
  readonly state: 'ok' | 'warn' | 'fail';
  /** What was found, and where it is not ok what to do next. */
  readonly sentence: string;
  /** The exit code of a run; 0 except for `fail`. */
  readonly exitCode: number;
}

export const passed = (name: string, sentence: string): DoctorCheck => ({ name, state: 'ok', sentence, exitCode: 0 });
export const warning = (name: string, sentence: string): DoctorCheck => ({
  name,
  state: 'warn',
  sentence,
  exitCode: 0,
});
export const failed = (name: string, code: ErrorCode, sentence: string): DoctorCheck => ({
  name,
  state: 'fail',
  sentence,
  exitCode: exitOf(code),
});

/** What a run can do without. */
const dispensable = /^(?:traces|receipts|history|chains|quota)\b/;

/** The findings without those that only repeat another one. */
export function withoutRepeats(findings: readonly Finding[]): Finding[] {
  return findings.filter((finding) => !isTold(finding, findings));
}

/** The findings as checks; what a run can do without is a warning. */
export function checksOf(findings: readonly Finding[]): DoctorCheck[] {
  return withoutRepeats(findings).map((finding, _, all) => judgedOne(finding, all));
}

function judgedOne({ source, about, state, sentence, code = 'failed' }: Finding, all: readonly Finding[]): DoctorCheck {
  const name = about.startsWith(`${source}/`) ? about : `${source} ${about}`;
  if (state === 'ok') return passed(name, sentence);
  const own = all.filter((one) => one.source === source);
  const isNowhere = about === 'network' && own.every((one) => one.state === 'missing');
  if (isNowhere) return failed(name, 'not_found', wrongUrl(source, sentence));
  // Of URLs of single chains nothing else is asked.
  const isNoRpc = own.every((one) => one.state === 'missing' && one.about.startsWith('chain '));
  if (isNoRpc) return failed(name, 'not_found', sentence);
  const isOptional = code === 'not_offered' || (dispensable.test(about) && state !== 'unreachable');
  return isOptional ? warning(name, sentence) : failed(name, code, sentence);
}

/** A refused key explains every refusal of its source; a list of chains is not needed where the streams answer. */
function isTold(first: Finding, all: readonly Finding[]): boolean {
  const { source, about, state, code } = first;
  const own = all.filter((finding) => finding.source === source);
  const isList = about === 'chains' && (state === 'missing' || state === 'refused');
  if (isList && own.some((finding) => finding.about.startsWith(`${source}/`) && finding.state === 'ok')) return true;
  return code === 'unauthorized' && own.some((finding) => saysWhy(finding)) && !saysWhy(first);
}

const saysWhy = ({ about }: Finding) => about === 'key' || about === 'host';
