import type { Source } from '../../src/index.ts';

const url = 'https://metrics.avax.network';

/** The metrics service. Served numbers are kept digit by digit. */
export const metrics: Source = {
  name: 'metrics',
  description: 'The 17 chain metrics as served.',
  numbers: 'text',
  presets: () => ({ hosted: { url }, node: { url }, rpc: { url } }),
  hosted: { origins: [url], keyHeader: 'x-glacier-api-key' },
  probe: { chains: { path: '/v2/chains', member: 'evmChainId' } },
};

/** Compute units of one chain-metric request. */
export const metricWeight = 100;
