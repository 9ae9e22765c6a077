import type { NodePart } from './nodeParts.ts';

/** Heights, both ends included, that are absent from an index (`C/block`, `P/block`, `X/block`) or an EVM chain (`C`, an L1's name). */
export type Gaps = Readonly<Record<string, readonly (readonly [number, number])[]>>;

/** How the node behaves; may be changed while it runs. */
export interface NodeSettings {
  /** Where the index is switched off and on again, it lacks what was accepted in between. */
  readonly without: readonly NodePart[];
  /** An index that starts late, has holes or was wiped: its containers are counted without the absent ones. */
  readonly gaps: Gaps;
  /** A pruned node: of how many of its newest blocks an EVM chain holds the state, without which nothing is traced or called. */
  readonly stateBlocks: number;
  /** How many EVM blocks are shown before they are accepted, as with `allow-unfinalized-queries`. Other blocks are then accepted in their places. */
  readonly unaccepted: number;
  /** How many of the newest blocks wait for execution, of those that are executed after they were accepted (`helicon`). */
  readonly unexecuted: number;
  /** After so many requests the node restarts: it cuts the next three off, and is bootstrapping for three more. 0: never. */
  readonly restartEvery: number;
  /**
   * The shapes of the documentation: bare arrays of containers, `networkRules`, `proofOfPosession`, balances without maps, blocks without ids, and
   * prices of the data service as text.
   */
  readonly seedShapes: boolean;
}

/** The settings of a node that lacks nothing. */
export const wholeNode: NodeSettings = {
  without: [],
  gaps: {},
  stateBlocks: Number.POSITIVE_INFINITY,
  unaccepted: 0,
  unexecuted: 0,
  restartEvery: 0,
  seedShapes: false,
};

export const inGaps = (gaps: Gaps[string] | undefined, height: number): boolean =>
  gaps?.some(([from, to]) => height >= from && height <= to) ?? false;
