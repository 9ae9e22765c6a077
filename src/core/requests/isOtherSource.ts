import type { FirnError } from '../firnError.ts';

/** Whether an error says that a source is not what was read: it holds something else, or less. */
export const isOtherSource = ({ code, context }: FirnError): boolean =>
  code === 'source_shrank' || context.reason === 'behind';
