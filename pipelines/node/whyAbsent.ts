/** What keeps a node from running a chain that the network has. */
export const whyAbsent = (chain: string): string =>
  ['C', 'X'].includes(chain.toUpperCase())
    ? 'With --partial-sync-primary-network a node follows the P-Chain alone.'
    : 'It runs the chain of an L1 if it tracks its subnet (--track-subnets) and has the plugin of its VM; why a VM did not start, its log says.';
