import { z } from 'zod';
import { headers, type Source, sourceMembers, url } from '../../src/index.ts';
import { rpcPath } from './evmChains.ts';
import { identity } from './identity.ts';
import { notReady } from './notReady.ts';
import { probe } from './probe.ts';

const settings = z
  .strictObject({
    ...sourceMembers,
    url: url.optional().describe('URL of the node, without /ext; may be left out where only `rpc` is read.'),
    rpc: z
      .record(
        z.string(),
        z.union([url, z.strictObject({ url, headers: headers.optional() })], {
          error: 'write the RPC URL of the chain, or { url, headers }',
        }),
      )
      .optional()
      .describe(
        'Full RPC URL of a chain, where it is not <url>/ext/bc/<chain>/rpc. The headers of the node go to its own origin only.',
      ),
  })
  .refine(({ url: own, rpc }) => own !== undefined || Object.keys(rpc ?? {}).length > 0, {
    message: 'name the url of a node, or the rpc URL of a chain',
  });

/** What `firn.yaml` says of the node. */
export type NodeSettings = z.infer<typeof settings>;

const publicRpc: Readonly<Record<string, string>> = {
  mainnet: 'https://api.avax.network/ext/bc/C/rpc',
  fuji: 'https://api.avax-test.network/ext/bc/C/rpc',
};

/** An avalanchego node: JSON-RPC of the P-, X- and C-Chain, of any EVM L1, and the container index. No key, no quota. */
export const node: Source<NodeSettings> = {
  name: 'node',
  description: 'JSON-RPC and container index of an avalanchego node.',
  numbers: 'lossless',
  settings,
  presets: (network) => ({
    node: { url: 'http://127.0.0.1:9650' },
    rpc: { rpc: { C: publicRpc[network] ?? '' } },
  }),
  elsewhere: ({ rpc }) =>
    Object.entries(rpc ?? {}).map(([chain, given]) => ({
      path: rpcPath(chain),
      ...(typeof given === 'string' ? { url: given } : given),
    })),
  // Only the chains' Ethereum APIs take batches; index, platform, avm and info answer them with an error.
  takesBatches: (path) => path.endsWith('/rpc'),
  // While one chain or index does not answer, the others may.
  partOf: (path) => path,
  notReady,
  identity,
  probe,
};
