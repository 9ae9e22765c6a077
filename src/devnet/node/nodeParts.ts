/** What a node can lack: its container index, traces, receipts, JSON-RPC batches, or its whole start. */
export const nodeParts = ['index', 'traces', 'receipts', 'batches', 'bootstrap'] as const;
export type NodePart = (typeof nodeParts)[number];
