import type { FirnError } from '../../core/firnError.ts';
import type { NetworkFacts } from '../../core/network.ts';
import { type Partition, partitionKey } from '../../core/stream.ts';
import type { NetworkProblems } from '../sources/resolveNetwork.ts';
import type { PlannedStream } from './planStreams.ts';

/** The network, and what could not be asked of it. */
export interface NetworkAsFarAsKnown {
  readonly network: NetworkFacts;
  readonly problems?: NetworkProblems;
}

/** A partition that is to be read, or what keeps it from being read. */
export interface ListedPartition {
  /** Its key; of a chain that is not known yet the name that the configuration gives it. */
  readonly key: string;
  /** null where the parameters do not say more than the name. */
  readonly partition: Partition | null;
  readonly problem?: unknown;
}

/** Every partition of a stream, each once. What cannot be said of one keeps no other from being read. */
export function listPartitions(
  { stream, parameters }: PlannedStream,
  { network, problems }: NetworkAsFarAsKnown,
): ListedPartition[] {
  if (!stream.needs?.includes('evm')) {
    const problem = stream.needs?.includes('network') ? problems?.identity : undefined;
    return listed(
      () => stream.partitions(parameters as never, network),
      'all',
      () => problem,
    );
  }
  const names = parameters['blockchainIds'] as readonly string[];
  const all = names.flatMap((name) =>
    listed(
      () => stream.partitions({ ...parameters, blockchainIds: [name] } as never, network),
      `blockchain_id=${name}`,
      (partition) => {
        const chain = network.chains.find(({ chainId }) => chainId === partition?.values['chain_id']);
        // What a chain id means is not known while the C-Chain says nothing of itself.
        return problems?.chains.get(chain?.alias ?? name) ?? (chain ? undefined : problems?.chains.get('C'));
      },
    ),
  );
  return [...new Map(all.map((one) => [one.key, one])).values()];
}

function listed(
  partitions: () => readonly Partition[],
  name: string,
  problemOf: (partition?: Partition) => FirnError | undefined,
): ListedPartition[] {
  try {
    return partitions().map((partition) => {
      const problem = problemOf(partition);
      return { key: partitionKey(partition), partition, ...(problem && { problem }) };
    });
  } catch (error) {
    return [{ key: name, partition: null, problem: problemOf() ?? error }];
  }
}
