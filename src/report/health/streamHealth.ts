import type { StreamState } from '../reportData.ts';

/** What became of a stream's partitions when they were last read. */
export interface StreamHealth {
  readonly failed: number;
  readonly stopped: number;
  readonly notOffered: number;
  /** Positions up to the heads as last seen, and keys that a lookup's budget left, over all partitions that say so. */
  readonly behind: number;
  /** One word for it: the worst of its partitions. */
  readonly word: 'failed' | 'stopped' | 'dropped' | 'not offered' | 'up to date' | 'read';
}

export function streamHealth({ partitions, unnamedFailures }: StreamState): StreamHealth {
  const having = (outcome: string) => partitions.filter((partition) => partition.outcome === outcome).length;
  const [failed, stopped, notOffered] = [having('failed') + unnamedFailures, having('stopped'), having('not_offered')];
  const behind = partitions.reduce((sum, partition) => sum + (partition.behind ?? 0), 0);
  return { failed, stopped, notOffered, behind, word: wordOf() };

  function wordOf(): StreamHealth['word'] {
    if (failed > 0) return 'failed';
    if (stopped > 0 || behind > 0) return 'stopped';
    if (having('dropped') > 0) return 'dropped';
    if (notOffered > 0) return 'not offered';
    // A run that was killed leaves rows and no outcome.
    return partitions.some(({ outcome }) => outcome === 'done') ? 'up to date' : 'read';
  }
}
