import { type ErrorCode, FirnError } from './firnError.ts';

const exitCodes: Partial<Record<ErrorCode, number>> = {
  usage: 2,
  config: 2,
  network_mismatch: 2,
  newer_warehouse: 2,
  mismatch: 3,
  quarantined: 4,
  contract: 4,
  disk: 73,
  locked: 75,
  rolled_back: 75,
  rate_limited: 75,
  unavailable: 75,
  unauthorized: 77,
  interrupted: 130,
};

/** Kinds of failure that asking again later may end. */
export const forLater = (Object.keys(exitCodes) as ErrorCode[]).filter((code) => exitCodes[code] === 75);

/** Worst first. 2 comes from refusals before anything of a run, or of a partition, was read; met beside other failures it counts like 1. */
const worstFirst = [130, 143, 73, 1, 2, 77, 75, 4, 3];

/**
 * The process exit code for a failure: 2 usage or configuration, 3 mismatch, 4 quarantined or contract broken, 73 disk,
 * 75 try again later, 77 not authorised, 130 or 143 stopped by Ctrl-C or another signal, 1 anything else.
 */
export function exitCode(error: unknown): number {
  if (!(error instanceof FirnError)) return isDisk(error) ? 73 : 1;
  return error.code === 'interrupted' ? signalExit(error.context.signal) : exitOf(error.code);
}

/** The same of what a signal ended; of Ctrl-C where it is not known. */
export const signalExit = (signal: unknown): number => (signal === 'SIGTERM' || signal === 'SIGHUP' ? 143 : 130);

/** The same of a kind of failure. */
export const exitOf = (code: ErrorCode): number => exitCodes[code] ?? 1;

/** Whether a run that ended so did its work: 3 and 4 are about the data. One that did not end has none. */
export const didItsWork = (code: number | null): boolean => code !== null && [0, 3, 4].includes(code);

/** Whether it is an error of the system about a disk that nobody wrapped in a message. */
const isDisk = (error: unknown) =>
  ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO'].includes(
    (error as NodeJS.ErrnoException | null | undefined)?.code ?? '',
  );

/** The one exit code of a run whose parts ended with `codes`: 0 when all did, otherwise the worst. */
export function worstExit(codes: Iterable<number>): number {
  let worst = 0;
  for (const code of codes) if (rank(code) < rank(worst)) worst = code;
  return worst;
}

/** Place in the order of severity. An unknown code is as bad as 1; 0 is better than any other. */
function rank(code: number): number {
  if (code === 0) return worstFirst.length;
  const place = worstFirst.indexOf(code);
  return place === -1 ? worstFirst.indexOf(1) : place;
}
