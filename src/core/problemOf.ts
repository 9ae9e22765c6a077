import { type ErrorCode, FirnError } from './firnError.ts';

/** What is reported of an error: its message, and its code, which is `failed` for one that is not firn's own. */
export const problemOf = (error: unknown): { readonly code: ErrorCode; readonly message: string } => ({
  code: error instanceof FirnError ? error.code : 'failed',
  message: error instanceof Error ? error.message : String(error),
});
