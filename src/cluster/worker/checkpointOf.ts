import type { Lease } from '../contract.ts';

/** The key under which a database of one machine keeps how far a lease's read is. */
export const checkpointOf = ({ partition, beside }: Pick<Lease, 'partition' | 'beside'>): string =>
  beside ? `${partition}|${beside.name}` : partition;
