import { problemOf } from '../../core/firnError.ts';
import { partitionName } from '../../core/partitionName.ts';
import type { NetworkFacts } from '../../core/stream/network.ts';
import type { Partition } from '../../core/stream/partition.ts';
import { listPartitions, type NetworkAsFarAsKnown, type PlannedStream } from '../../run/planStreams.ts';
import { isChained } from '../../run/read/sameChain.ts';
import type { PartitionResult } from '../../run/read/syncOptions.ts';
import type { PartitionName } from '../contract.ts';
import type { ListPartition, RangePartition } from './leaseContext.ts';
import type { WorkerOptions, WorkerPart } from './workerOptions.ts';

/** A partition, and the stream that it is of. */
interface KnownPart {
  readonly of: PlannedStream;
  readonly partition: Partition;
}

/** The partitions that a worker reads, as far as it is known which there are. */
export class KnownParts {
  /** As the ledger knows them. */
  readonly partitions: { stream: string; partition: string; isLate: boolean }[] = [];
  readonly ranges: RangePartition[] = [];
  /** Lists whose rows tell of which chain they are. */
  readonly lists: ListPartition[] = [];
  /** As it was when it was asked for last: a source may have been down before. */
  network: NetworkFacts;
  readonly #options: Pick<WorkerOptions, 'planned' | 'ledger' | 'finished'>;
  readonly #known = new Map<string, KnownPart>();
  readonly #told = new Set<string>();
  /** How many of the partitions the ledger knows. */
  #enlisted = 0;

  constructor(options: Pick<WorkerOptions, 'planned' | 'ledger' | 'finished' | 'network'>) {
    this.#options = options;
    this.network = options.network;
  }

  /** Takes up what is known by now; gives what keeps other partitions from being read. */
  async takeUp(network: NetworkAsFarAsKnown): Promise<unknown> {
    const { planned, ledger } = this.#options;
    this.network = network.network;
    const unread: unknown[] = [];
    for (const of of planned) {
      for (const { key, partition, problem } of listPartitions(of, network)) {
        if (problem === undefined && partition) this.#add(key, { of, partition });
        else if (problem !== undefined && !this.#known.has(partitionName(of.stream.id, key))) {
          unread.push(problem);
          this.#tell({ stream: of.stream.id, partition: key }, problem);
        }
      }
    }
    // Also those of which the ledger did not hear when they became known.
    const known = this.partitions.length;
    await ledger.enlist(this.partitions.slice(this.#enlisted));
    this.#enlisted = known;
    return unread[0];
  }

  /** What a lease is for. */
  of({ stream, partition }: PartitionName): KnownPart {
    return this.#known.get(partitionName(stream, partition)) as KnownPart;
  }

  all(): readonly KnownPart[] {
    return [...this.#known.values()];
  }

  #add(key: string, part: KnownPart): void {
    const { stream } = part.of;
    const name = partitionName(stream.id, key);
    const isNew = !this.#known.has(name);
    this.#known.set(name, part);
    if (!isNew) return;
    this.partitions.push({ stream: stream.id, partition: key, isLate: stream.way === 'lookup' });
    if (stream.way === 'range') this.ranges.push({ stream, partition: part.partition });
    if (isChained(stream)) this.lists.push({ stream, partition: part.partition });
  }

  #tell(part: WorkerPart, problem: unknown): void {
    const name = partitionName(part.stream, part.partition);
    if (!this.#told.has(name)) this.#options.finished?.(part, notBegun(part, problem));
    this.#told.add(name);
  }
}

/** The result of a part of which nothing was read. */
export const notBegun = ({ stream, partition }: WorkerPart, error: unknown): PartitionResult => ({
  stream,
  partition,
  outcome: 'failed',
  ...problemOf(error),
  rows: 0,
  childRows: 0,
  quarantined: 0,
  bytes: 0,
  requests: 0,
  seconds: 0,
});
