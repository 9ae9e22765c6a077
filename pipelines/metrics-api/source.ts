import type { Source } from '../../src/index.ts';

/** The metrics service. Served numbers are kept digit by digit. */
export const metrics: Source = {
  name: 'metrics',
  description: 'The 17 chain metrics as served.',
  numbers: 'text',
};

/** Compute units of one chain-metric request. */
export const metricWeight = 100;
