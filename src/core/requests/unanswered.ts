import type { FirnError } from '../firnError.ts';

/** Whether a server that is there had no answer to a request: it took too long, broke it off, or gave up with a 5xx. */
export const isUnanswered = ({ code, context: { status, reason } }: FirnError): boolean =>
  code === 'unavailable' && (status !== undefined || ['timeout', 'reset', 'truncated'].includes(String(reason)));
