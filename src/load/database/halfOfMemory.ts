import { totalmem } from 'node:os';

/** Half of what the machine, or the container, has, in bytes: readers and the system's file cache need the rest. */
export function halfOfMemory(): number {
  // Without a limit, that of the container is 0 or more than there is.
  return Math.min(totalmem(), process.constrainedMemory() || totalmem()) / 2;
}
