import type { Source } from '../../src/index.ts';

/** The paged HTTP data service. */
export const data: Source = {
  name: 'data',
  description: 'The paged HTTP data service over indexed chain data.',
  numbers: 'lossless',
};

/** Compute units a request costs (published weights of the hosted service). */
export const weights = { free: 1, small: 10, medium: 20, large: 50, extraLarge: 100 } as const;
