import { z } from 'zod';
import { keyedMembers, type Source } from '../../src/index.ts';

const settings = z.strictObject({
  ...keyedMembers,
  network: z
    .enum(['mainnet', 'fuji', 'testnet'])
    .default('mainnet')
    .describe('The network asked for; testnet is fuji.'),
  downloadHosts: z
    .array(host())
    .optional()
    .describe(
      'Hosts from which exported files are fetched although their addresses are not public, such as storage.example.com.',
    ),
});

/** What `firn.yaml` says of the data service. */
export type DataSettings = z.infer<typeof settings>;

const url = 'https://data-api.avax.network';

/** The paged HTTP data service. */
export const data: Source<DataSettings> = {
  name: 'data',
  description: 'The paged HTTP data service over indexed chain data.',
  numbers: 'lossless',
  settings,
  presets: () => ({ hosted: { url } }),
  // One service under two names.
  hosted: { origins: [url, 'https://glacier-api.avax.network'], keyHeader: 'x-glacier-api-key' },
  probe: { chains: { path: '/v1/chains', member: 'chainId' } },
};

function host() {
  const shape = 'write a host without https://, port, path or *, such as storage.example.com';
  return z
    .string()
    .regex(/^(\[[\da-fA-F:.]+\]|[^\s/?#@:\\[\]*]+)$/, shape)
    .refine((name) => URL.canParse(`http://${name}`), shape);
}

/** Compute units a request costs (published weights of the hosted service). */
export const weights = { free: 1, small: 10, medium: 20, large: 50, extraLarge: 100 } as const;
