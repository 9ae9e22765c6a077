import type { ErrorCode, FirnError } from '../../core/firnError.ts';

/** `missing`: the source does not have it · `refused`: the source has it, but refuses us · `unreachable`: no usable answer came. */
export type FindingState = 'ok' | 'missing' | 'refused' | 'unreachable';

/** What a source said to one question. */
export interface Finding {
  readonly source: string;
  /** What was asked about: `network`, `chain C`, `traces C`, `node/containers index_name=C/block`, ... */
  readonly about: string;
  readonly state: FindingState;
  /** What was found, and where it is not ok what to do next. */
  readonly sentence: string;
  /** Why it is not ok. */
  readonly code?: ErrorCode;
  /** Refused, but not by an API. */
  readonly isForeign?: true;
}

const states: Partial<Record<ErrorCode, FindingState>> = {
  not_offered: 'missing',
  not_found: 'missing',
  config: 'missing',
  refused: 'refused',
  unauthorized: 'refused',
};

/** What a failed question means. */
export const findingState = ({ code }: FirnError): FindingState => states[code] ?? 'unreachable';

/** The finding of a question that failed. */
export function failedFinding(source: string, about: string, error: FirnError): Finding {
  const isForeign = error.context.isForeign === true;
  return {
    source,
    about,
    state: findingState(error),
    sentence: error.message,
    code: error.code,
    ...(isForeign && { isForeign }),
  };
}
