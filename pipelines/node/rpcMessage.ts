import { FirnError } from '../../src/index.ts';

/** What the node said in an error of its API; nothing for other errors. */
export const rpcMessage = (error: unknown): string =>
  error instanceof FirnError ? (error.context.rpcMessage ?? '') : '';
