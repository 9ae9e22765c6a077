import { partitionsAtOnce } from '../read/syncStreams.ts';

/** MB. */
const shared = 64;
const ofEachFree = 8;

/**
 * What DuckDB may take while partitions are read, as `memory_limit`: the fewer are read at once, the fewer batches wait beside it in the process,
 * which stays at some 500 MiB. A single chain's blocks with receipts and logs then fit until they are written: 10,000 take 4.1 s in place of
 * the 4.3 with 64 MB, in which DuckDB compresses what waits.
 *
 * @param partitions how many there are to read; 0 where that is not known
 */
export function syncMemory(partitions: number): string {
  const free = partitionsAtOnce - Math.min(partitionsAtOnce, partitions || partitionsAtOnce);
  return `${shared + free * ofEachFree}MB`;
}
