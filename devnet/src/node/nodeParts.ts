/**
 * What a node can lack: its container index, traces, receipts, JSON-RPC batches, a C-Chain RPC that does not answer 500, or the end of its
 * bootstrap: that of the P-Chain, before which the other chains are not there, or that of one of these.
 */
export const nodeParts = [
  'index',
  'traces',
  'receipts',
  'batches',
  'rpc-C',
  'bootstrap',
  'bootstrap-C',
  'bootstrap-X',
] as const;
export type NodePart = (typeof nodeParts)[number];

/** Whether a chain is still bootstrapping: `P`, `X`, `C`, or an L1's name. */
export const isLate = (without: readonly NodePart[], chain: string): boolean =>
  without.includes('bootstrap') || without.some((part) => part === `bootstrap-${chain}`);

/** Whether a chain has no paths yet: the node makes the others when the P-Chain is bootstrapped. */
export const isUnborn = (without: readonly NodePart[], chain: string): boolean =>
  without.includes('bootstrap') && chain !== 'P';
